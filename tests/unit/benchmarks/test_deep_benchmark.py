"""The simulation of many workers: what it counts, and that what was measured is enough for it."""

from pathlib import Path

import pytest

from benchmarks.deep.costs import Costs, UnknownPieceError
from benchmarks.deep.simulation import Outcome, simulate
from c4core.position import Position


@pytest.fixture(scope="module")
def costs() -> Costs:
    """Pieces of a small board, as far as one and four workers want them."""
    start = Position("33", width=5, height=4)
    measured = Costs.measured(start, "33", unit_nodes=20_000, table_mb=1)
    for workers in (1, 4):
        simulate(measured, workers=workers, split_plies=2)
    return measured


def run(costs: Costs, workers: int, **options: int) -> Outcome:
    return simulate(costs, workers=workers, split_plies=2, **options)


def test_one_worker_is_never_idle_and_nothing_is_cut(costs: Costs) -> None:
    alone = run(costs, 1)
    assert (alone.nodes, alone.cut, alone.idle) == (alone.wall, 0, 0)
    assert alone.nodes >= max(cost.nodes for cost in costs.pieces.values())


def test_four_workers_take_less_time_and_search_more(costs: Costs) -> None:
    alone, four = run(costs, 1), run(costs, 4)
    assert four.wall < alone.wall <= four.nodes
    assert four.nodes <= 4 * four.wall
    assert 0 <= four.idle < 1
    assert four.speed_up(costs.single_nodes) > alone.speed_up(costs.single_nodes)


def test_overhead_takes_time_but_no_nodes(costs: Costs) -> None:
    alone, slow = run(costs, 1), run(costs, 1, overhead=100)
    assert slow.nodes == alone.nodes
    assert slow.wall == alone.wall + 100 * alone.pieces


def test_what_is_kept_is_what_was_measured(costs: Costs, tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    costs.write(path)
    kept = Costs.read(path)
    assert kept.pieces == costs.pieces
    assert run(kept, 4) == run(costs, 4)
    kept.pieces.clear()
    with pytest.raises(UnknownPieceError, match="'33' on 5x4"):
        run(kept, 4)


def test_a_wrong_score_is_noticed(costs: Costs, tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    costs.write(path)
    wrong = Costs.read(path)
    wrong.score += 1
    with pytest.raises(AssertionError, match="is not the score"):
        run(wrong, 1)


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text("{}")
    with pytest.raises(ValueError, match="has no costs of pieces"):
        Costs.read(path)
