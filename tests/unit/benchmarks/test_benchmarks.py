"""The pages of the benchmarks show the stored results, and their calculations are right."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import PAGES, main
from benchmarks.engine import solvers
from benchmarks.matches.measure import PARTS, outcomes_of
from benchmarks.matches.pages import leader, standard_errors
from benchmarks.matches.sources import all_matches
from benchmarks.page import DOCS, fill
from benchmarks.record import RESULTS, Results
from c4core.arena.statistics import Tally
from c4core.players import parse_player
from cli.measuring import Lap
from tests.support.running.benchmarks import run


@pytest.mark.parametrize("name", PAGES)
def test_page_shows_the_stored_figures(name: str, tmp_path: Path) -> None:
    page = f"{PAGES[name][1]}.md"
    shown = (DOCS / page).read_text()
    emptied = re.sub(r"(<!-- begin \w+ -->\n).*?(<!-- end)", r"\1\2", shown, flags=re.DOTALL)
    (tmp_path / page).write_text(emptied)
    run(RESULTS, "render", "--docs", str(tmp_path), name)
    assert (tmp_path / page).read_text() == shown


def test_missing_places_and_other_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no place for run"):
        fill("", {"run": "text"})
    with pytest.raises(ValueError, match="a place with the unknown name 'odd'"):
        fill("<!-- begin odd -->\n<!-- end odd -->", {"run": "text"})
    (tmp_path / "web.json").write_text('{"format": 99}')
    done = CliRunner().invoke(main, ["--results", str(tmp_path), "render", "web"])
    assert (done.exit_code, "web.json does not hold" in done.output) == (1, True)


def test_every_quick_match_was_played() -> None:
    outcomes, matches = outcomes_of(Results().read("matches")), all_matches()
    assert len({match.name for match in matches}) == len(matches)
    for match in matches:
        parse_player(match.a)
        parse_player(match.b)
        assert match.reported is None or match.reported.games == match.games, match.name
        outcome, longer = (outcomes[part].get(match.name) for part in PARTS)
        assert match.is_slow or (outcome and longer), match.name
        assert outcome is None or outcome.results.games == match.games


def test_repetitions_are_interleaved_and_short_ones_repeated() -> None:
    order: list[str] = []
    least = solvers.LEAST_SECONDS

    def entry(name: str, repeats: int, seconds: float) -> solvers.Entry:
        def run() -> solvers.Run:
            order.append(name)
            return solvers.Run([1], Lap(seconds, seconds), 5)

        return solvers.Entry(name, run, repeats)

    entries = [entry("a", 3, 2 * least), entry("b", 2, least / 2)]
    first, second = solvers.compare("g", "c", [0], entries)
    assert order == list("ababbabb"), "a first pass that is short does not count"
    assert (first.wrong, first.nodes, first.count, len(first.cpu)) == (1, 5, 1, 3)
    assert second.cpu == pytest.approx([least / 2] * 2)


def test_differences_are_in_standard_errors() -> None:
    # 20 of 100 and 30 of 100: the difference is 0.1, its standard error 0.0612.
    assert standard_errors(Tally(20, 80), Tally(30, 70)) == pytest.approx(1.633, abs=0.001)
    assert [leader(Tally(80, 20)), leader(Tally(20, 80)), leader(Tally(53, 40))] == ["a", "b", None]
