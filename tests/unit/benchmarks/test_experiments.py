"""The experiments run, small; ``docs/experiments.md`` says what ``docs/experiments.json`` holds."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.experiments import corpus, heuristics, pages, results
from benchmarks.experiments.__main__ import main
from benchmarks.experiments.catalogue import EXPERIMENTS
from benchmarks.experiments.playing import made, play, play_both, random_positions
from benchmarks.page import fill

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
FILE = ROOT / "docs" / "experiments.json"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that only time depends on."""
    monkeypatch.setattr(corpus, "SIZES", (0, 20))
    monkeypatch.setattr(heuristics, "DEPTHS", (2, 4))


def test_tables_are_current() -> None:
    assert fill(PAGE, pages.sections(results.read(FILE))) == PAGE, (
        "python -m benchmarks.experiments report"
    )


def test_every_run_is_of_the_experiment_as_it_is() -> None:
    for name, run in results.read(FILE).items():
        assert run.sample == EXPERIMENTS[name].sample
        assert run.command == f"python -m benchmarks.experiments {name}"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_runs_and_is_kept(name: str, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = CliRunner().invoke(main, [name, "--sample", "2", "--output", str(file)])
    assert done.exit_code == 0, done.output
    run = results.read(file)[name]
    assert done.output == f"{name}: {run.finding.found}\n"
    assert run.finding.rows
    assert {len(row) for row in run.finding.rows} == {len(run.finding.headings)}
    assert not re.search(r"nan|inf\b", run.finding.found)


def test_a_page_needs_every_experiment(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="these experiments were never run: seats, "):
        pages.sections({})
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(ValueError, match=r"other.json: no findings of experiments in format 1"):
        results.read(tmp_path / "other.json")


def test_games_are_seen_by_both_players() -> None:
    a, b = made("set"), made("random")
    games = play(a, b, 20, 1)
    seen = games.reversed()
    assert (games.results.wins, games.won_moves) == (seen.results.losses, seen.lost_moves)
    assert games.results.games == 20
    assert games.score + seen.score == pytest.approx(1)
    again = play(a, b, 20, 1)
    assert (again.text, again.moves, again.different) == (games.text, games.moves, games.different)
    assert play_both(a, b, 5, 1).results.games == 5
    assert games.score > 0.8


def test_positions_to_begin_from() -> None:
    positions = random_positions(10, plies=range(3, 5), seed=1)
    assert [position.ply for position in positions] == [3, 4] * 5
    assert positions == random_positions(10, plies=range(3, 5), seed=1)
    games = play(made("random"), made("random"), 4, 1, starts=positions[1::2])
    assert games.results.games == 4
