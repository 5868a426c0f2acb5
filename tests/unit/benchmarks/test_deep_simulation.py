"""Simulated workers that search one position together; the engine's own search and registry."""

import pytest

from benchmarks.deep.simulation import simulate
from c4core import Position, Solver

POSITION = Position("34", board="6x6")
"""Takes one search some hundred thousand nodes."""


@pytest.fixture(scope="module")
def score() -> int | None:
    return Solver().solve(POSITION).score


@pytest.mark.parametrize(("workers", "hosts"), [(1, 1), (2, 1), (16, 1), (4, 2), (16, 16)], ids=str)
def test_the_score_is_that_of_one_search(score: int, workers: int, hosts: int) -> None:
    found = simulate(POSITION, workers=workers, hosts=hosts, table_mb=1, exchange_nodes=256)
    assert (found["lower"], found["upper"]) == (score, score)


def test_every_run_is_the_same() -> None:
    runs = [
        simulate(POSITION, workers=5, hosts=2, table_mb=1, exchange_nodes=512) for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_more_workers_are_faster() -> None:
    clocks = [simulate(POSITION, workers=number, table_mb=1)["clock"] for number in (1, 4, 16)]
    assert clocks == sorted(clocks, reverse=True)


def test_hosts_share_their_work() -> None:
    """Hosts that hardly ever exchange anything search the same positions."""
    often, seldom = (
        simulate(POSITION, workers=4, hosts=4, table_mb=1, exchange_nodes=nodes)["clock"]
        for nodes in (256, 1 << 40)
    )
    assert often < 0.7 * seldom


def test_a_limit_leaves_correct_bounds(score: int) -> None:
    found = simulate(POSITION, workers=4, table_mb=1, most_nodes=20_000)
    assert found["lower"] <= score <= found["upper"]
    assert found["nodes"] < 40_000


def test_a_finished_game_is_refused() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        simulate(Position("1212121"), workers=2)
