"""The number of searching threads is limited, however many units are claimed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import EASY
from tests.support.running.waiting import HANG_SECONDS, await_that
from workers.core.searching import TurnTakingSolver, turn_of


class Crowd:
    """A searcher that counts simultaneous searches and waits until it is released."""

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.lock = threading.Lock()
        self.go = threading.Event()

    def solve(self, *_arguments: object, **_options: object) -> str:
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        assert self.go.wait(HANG_SECONDS)
        with self.lock:
            self.inside -= 1
        return "answer"


@pytest.mark.parametrize("threads", [1, 3])
def test_others_wait_for_their_turn(threads: int) -> None:
    crowd: Any = Crowd()
    searcher = TurnTakingSolver(crowd, threads)
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(searcher.solve, Position("44")) for _ in range(8)]
        await_that(lambda: crowd.inside == threads)
        assert not searcher.has_turn(0.01)
        crowd.go.set()
        assert [answer.result() for answer in answers] == ["answer"] * 8
    assert crowd.most == threads
    assert searcher.has_turn(0)


def test_a_failing_search_releases_its_turn() -> None:
    broken: Any = Mock(analyze=Mock(side_effect=MemoryError))
    searcher = TurnTakingSolver(broken, 1)
    with pytest.raises(MemoryError):
        searcher.analyze(Position("44"))
    assert searcher.has_turn(0)


def test_answers_come_from_the_solver_also_within_a_longer_turn() -> None:
    position = Position(EASY)
    solver = Solver(table_mb=1)
    searcher = TurnTakingSolver(solver, 1)
    keys = np.array([position.key], dtype=np.uint64)
    assert searcher.solve(position).score == solver.solve(position).score
    assert searcher.solve(position, weak=True).lower == solver.solve(position, weak=True).lower
    assert searcher.analyze(position).scores == solver.analyze(position).scores
    assert searcher.solve_many(keys).lower.tolist() == solver.solve_many(keys).lower.tolist()
    assert searcher.analyze_many(keys).scores.tolist() == solver.analyze_many(keys).scores.tolist()
    with turn_of(searcher) as within:
        assert not searcher.has_turn(0)
        assert within.solve(position).score == solver.solve(position).score
    assert searcher.has_turn(0)
    with turn_of(solver) as alone:
        assert alone is solver
