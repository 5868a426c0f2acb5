"""``docs/matches.md`` says what ``docs/matches.json`` holds, and the commands write both."""

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy import stats

from benchmarks.matches import agreement, comparison, pages, summary
from benchmarks.matches.__main__ import main
from benchmarks.matches.outcomes import Outcome, Outcomes
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


def test_a_reading_is_of_a_result_that_is_there() -> None:
    by_name = {match.name: match for match in all_matches()}
    readings = [match for match in by_name.values() if match.reading_of]
    assert len(readings) == 5
    for match in readings:
        first = by_name[match.reading_of]
        assert first.reported == match.reported
        assert not first.reading_of


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
    few, more = Tally(20, 80), Tally(30, 70)
    assert comparison.standard_errors(few, more) == pytest.approx(1.633, abs=0.001)
    assert comparison.standard_errors(more, few) == pytest.approx(-1.633, abs=0.001)
    assert comparison.standard_errors(Tally(0, 0, 50), Tally(25, 25)) == 0.0
    assert comparison.standard_errors(Tally(9, 0), Tally(5, 0)) == 0.0


def test_leaders() -> None:
    assert comparison.leader(Tally(80, 20)) == "a"
    assert comparison.leader(Tally(20, 80)) == "b"
    assert comparison.leader(Tally(53, 34, 13)) is None  # by the two-sided P
    assert comparison.leader(Tally(0, 0, 9)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [((26, 74), (3, 97)), ((5, 45), (11, 39)), ((500, 500), (560, 440)), ((10, 0), (9, 1))],
)
def test_a_difference_without_draws_is_fisher_s(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    # Samples of one size: then the tables that are as far apart are those as unlikely.
    expected = stats.fisher_exact([one, other]).pvalue
    found = comparison.difference_p(Tally(*one), Tally(*other))
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("one", "other"),
    [((3, 5, 4), (30, 10, 8)), ((0, 12, 0), (20, 40, 9)), ((2, 1, 7), (9, 9, 9))],
)
def test_a_difference_with_draws_is_that_of_all_divisions(
    one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    whole, games = [sum(pair) for pair in zip(one, other, strict=True)], sum(one)
    law = stats.multivariate_hypergeom(whole, games)
    mean = games * (whole[0] + whole[2] / 2) / sum(whole)
    away = abs(one[0] + one[2] / 2 - mean)
    expected = sum(
        law.pmf([wins, games - wins - draws, draws])
        for wins in range(games + 1)
        for draws in range(games - wins + 1)
        if abs(wins + draws / 2 - mean) >= away - 1e-9
    )
    found = comparison.difference_p(Tally(*one), Tally(*other))
    assert found == pytest.approx(expected, rel=1e-9)


def test_differences_at_the_ends() -> None:
    assert comparison.difference_p(Tally(5, 0), Tally(2000, 0)) == 1
    assert comparison.difference_p(Tally(0, 0), Tally(3, 4)) == 1
    assert comparison.difference_p(Tally(100, 0), Tally(0, 0, 2000)) < 1e-100


def test_the_yardstick_is_that_of_the_normal_distribution() -> None:
    share = stats.norm.cdf(agreement.CLOSE) - stats.norm.cdf(-agreement.CLOSE)
    same = agreement.Comparison(all_matches()[0], Tally(5, 5), Tally(6, 4))
    found = agreement.Agreement.of([same] * 58)
    assert (found.number, found.close, found.far, found.same_leader) == (58, 58, 0, 58)
    assert found.expected_close == pytest.approx(58 * share)
    assert f"{found.expected_close:.1f}" == "55.4"
    assert found.different == []


def test_a_result_of_a_source_counts_once() -> None:
    outcomes = Outcomes.read(FILE)
    for longer in (False, True):
        found = agreement.comparisons(outcomes, longer=longer)
        results = [each.match.result for each in found]
        assert len(set(results)) == len(results)
    counted = agreement.comparisons(outcomes, longer=False)
    assert not any(each.match.reading_of for each in counted)
    assert len(counted) == len({match.result for match in all_matches() if match.reported})


def played(name: str, wins: int, losses: int, draws: int = 0) -> Outcome:
    return Outcome(name, wins, losses, draws, wins + losses + draws, 1.0, 30.0, 1)


def test_contradictions_are_told_in_sentences() -> None:
    by_players = {(match.a, match.b): match.name for match in all_matches()}
    outcomes = Outcomes.read(FILE)
    outcomes.longer.clear()
    outcomes.matches[:] = [
        played(by_players["mcts-uct", "pvs"], 827, 1162, 11),
        played(by_players["mcts-uct", "greedy"], 1958, 42),
        played(by_players["minimax-windows", "montecarlo-flat"], 974, 1026),
        played(by_players["blog-v6:depth=3", "blog-v6:depth=3"], 358, 1642),
        played(by_players["blog-v5:depth=0", "blog-v5:depth=0"], 1030, 970),
    ]
    better, equal = summary.contradictions(outcomes).split("No side is significantly better here:")
    assert "Qiu, Wang, Xu 2022 ranks A above B; here it is 827-1162-11" in better
    assert "Huang, Lu 2025 reports 18-32-0, B better; here it is 974-1026-0 (P 0.254)" in equal
    assert "greedy" not in better + equal
    assert "blog" not in better + equal
    outcomes.matches.clear()
    assert summary.contradictions(outcomes) == "None."


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
