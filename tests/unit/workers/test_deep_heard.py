"""What a listener of a deep job remembers beside its table."""

import numpy as np
import pytest

from c4core.batch import BOUND
from c4core.position import Position
from c4core.solver import Solver
from workers.deep import heard
from workers.deep.heard import Heard
from workers.deep.tree import Bounds, first_bounds

EARLY = Position("4", width=7, height=7)
LATE = Position("764137142134747115", width=7, height=7)


def told(*bounds: tuple[int, int, bool, int]) -> Heard:
    listener = Heard(Solver(table_mb=1))
    for bound in bounds:
        listener.add_bounds(np.array([bound], dtype=BOUND), width=7, height=7)
    return listener


def test_both_bounds_of_a_position_are_known() -> None:
    key = EARLY.canonical_key
    for bounds in (
        [(key, 0, False, 20), (key, 0, True, 22)],
        [(key, 0, True, 9), (key, 0, False, 20)],
    ):
        assert told(*bounds).bounds(EARLY) == (0, 0)


def test_of_several_bounds_the_closest_counts() -> None:
    key = EARLY.key
    listener = told((key, -3, False, 20), (key, -1, False, 21), (key, -2, False, 22))
    assert listener.bounds(EARLY) == Bounds(-1, first_bounds(EARLY).upper)


def test_mirror_images_are_known_whichever_was_told() -> None:
    assert LATE.key != LATE.mirrored().key
    for key in (LATE.key, LATE.mirrored().key):
        listener = told((key, 2, True, 20))
        assert listener.bounds(LATE).upper == listener.bounds(LATE.mirrored()).upper == 2


def test_what_nobody_has_told_follows_from_the_position() -> None:
    for listener in (told(), told((EARLY.key, 0, True, 20))):
        assert listener.bounds(LATE) == first_bounds(LATE)


def test_if_there_is_too_much_the_cheapest_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heard, "MOST_BOUNDS", 2)
    children = [LATE.play(column) for column in LATE.legal_columns()[:6]]
    listener = told(
        *(
            (child.key, 0, True, cost)
            for child, cost in zip(children, (3, 9, 4, 8, 5, 6), strict=True)
        )
    )
    known = [listener.bounds(child).upper == 0 for child in children]
    assert known == [False, True, False, True, False, False]


def test_the_solver_gets_all_of_it() -> None:
    solver = Solver(table_mb=1)
    bound = np.array([(EARLY.canonical_key, 0, True, 20)], dtype=BOUND)
    Heard(solver).add_bounds(bound, width=7, height=7)
    assert solver.table_bounds(width=7, height=7, least_nodes=1).tolist() == bound.tolist()
