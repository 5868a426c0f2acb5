"""The simulation of many workers: what it counts, and what sharing saves."""

import pytest
from click.testing import CliRunner

from benchmarks.deep import simulation
from benchmarks.deep.__main__ import main
from benchmarks.deep.simulation import Outcome, Setting, simulate
from c4core.position import Position

START = Position(width=6, height=6)
SCORE = -1


@pytest.fixture(autouse=True)
def _fine_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "SLICE", 20_000)
    monkeypatch.setattr(simulation, "LEAST_NODES", 1 << 10)


def run(workers: int, *, share_nodes: int = 0, unit_nodes: int = 10**9) -> Outcome:
    setting = Setting(
        start=START,
        workers=workers,
        split_plies=2,
        unit_nodes=unit_nodes,
        table_mb=1,
        share_nodes=share_nodes,
    )
    return simulate(setting)


def test_one_worker_is_never_idle_and_nothing_is_cut() -> None:
    alone = run(1)
    assert (alone.score, alone.nodes, alone.cut, alone.idle) == (SCORE, alone.wall, 0, 0)
    assert alone.sent == 0


def test_four_workers_take_less_time_and_search_more() -> None:
    alone, four = run(1), run(4)
    assert four.score == SCORE
    assert four.wall < alone.wall <= four.nodes
    # At the end a worker may be a slice ahead of the others.
    assert four.nodes <= 4 * (four.wall + simulation.SLICE)
    assert 0 <= four.idle < 1
    assert four.speed_up(alone.nodes) > 1


def test_what_is_shared_is_not_searched_again() -> None:
    alone, together = run(4), run(4, share_nodes=20_000)
    assert together.score == SCORE
    assert together.sent > 100
    assert together.nodes < alone.nodes


def test_pieces_that_are_too_hard_are_split() -> None:
    whole, split = run(2), run(2, unit_nodes=100_000)
    assert split.score == SCORE
    assert split.pieces > whole.pieces


def test_the_command_prints_a_line_for_each_number_of_workers() -> None:
    done = CliRunner().invoke(main, ["simulate", "4x4", "5x4", "--workers=1,3", "--table-mb=1"])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert [line.split(":")[0] for line in lines if "in one search" in line] == ["4x4", "5x4"]
    assert [line.split()[1] for line in lines if line.startswith("| ")] == [
        *("workers", "1", "3", "workers", "1", "3")
    ]
