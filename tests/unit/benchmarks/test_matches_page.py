"""``docs/matches.md`` says what ``docs/matches.json`` holds, and the commands write both."""

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.matches import pages
from benchmarks.matches.__main__ import main
from benchmarks.matches.outcomes import Outcomes
from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.page import fill
from c4core.arena.statistics import Tally
from c4core.players import parse_player

ROOT = Path(__file__).parents[3]
FILE = ROOT / "docs" / "matches.json"
PAGE = (ROOT / "docs" / "matches.md").read_text(encoding="utf-8")


def test_tables_are_current() -> None:
    texts = pages.sections(Outcomes.read(FILE))
    assert fill(PAGE, texts) == PAGE, "python -m benchmarks.matches report"


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link


def test_every_match_can_be_played_and_is_counted_once() -> None:
    matches = all_matches()
    assert len({match.name for match in matches}) == len(matches)
    assert {match.group for match in matches} == set(GROUPS)
    for match in matches:
        parse_player(match.a)
        parse_player(match.b)
        if match.reported is not None:
            assert match.reported.games == match.games, match.name


def test_every_quick_match_was_played() -> None:
    outcomes = Outcomes.read(FILE)
    for match in all_matches():
        outcome = outcomes.find(match.name)
        assert match.is_slow or outcome is not None, match.name
        if outcome is not None:
            assert outcome.results.games == match.games
        longer = outcomes.find(match.name, longer=True)
        assert match.is_slow or longer is not None, match.name
        if longer is not None:
            assert longer.results.games >= 2000


def test_standard_errors() -> None:
    # 20 of 100 and 30 of 100: the difference is 0.1, its standard error 0.0612.
    assert pages.standard_errors(Tally(20, 80), Tally(30, 70)) == pytest.approx(1.633, abs=0.001)
    assert pages.standard_errors(Tally(30, 70), Tally(20, 80)) == pytest.approx(-1.633, abs=0.001)
    assert pages.standard_errors(Tally(0, 0, 50), Tally(25, 25)) == 0.0
    assert pages.standard_errors(Tally(9, 0), Tally(5, 0)) == 0.0


def test_verdicts() -> None:
    assert pages.verdicts_agree(Tally(80, 20), Tally(90, 10))
    assert not pages.verdicts_agree(Tally(80, 20), Tally(20, 80))
    assert not pages.verdicts_agree(Tally(80, 20), Tally(52, 48))
    assert pages.verdicts_agree(Tally(48, 52), Tally(52, 48))


def test_commands_play_and_write(tmp_path: Path) -> None:
    file, page = tmp_path / "matches.json", tmp_path / "matches.md"
    shutil.copy(ROOT / "docs" / "matches.md", page)
    arguments = ["run", "--db", str(tmp_path / "c4.db"), "--group", "line", "--output", str(file)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    outcomes = Outcomes.read(file)
    assert [outcome.results.games for outcome in outcomes.matches] == [500] * 2
    assert outcomes.longer == []
    done = CliRunner().invoke(main, [*arguments, "--games", "600"])
    assert done.exit_code == 0, done.output
    again = Outcomes.read(file)
    assert again.matches == outcomes.matches
    assert [outcome.results.games for outcome in again.longer] == [600] * 2
    assert str(tmp_path) not in file.read_text()
    done = CliRunner().invoke(main, ["report", str(file), "--page", str(page)])
    assert done.exit_code == 0, done.output
    assert "not played yet" in page.read_text()
    file.write_text("{}")
    done = CliRunner().invoke(main, ["report", str(file), "--page", str(page)])
    assert done.exit_code == 1
    assert "no outcomes of matches" in done.output
