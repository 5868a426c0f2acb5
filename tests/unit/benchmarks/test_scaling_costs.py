"""Costs that were measured: lines through two points, files, books."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from benchmarks.scaling.books import PLIES, cost_of_book, seconds_of_book
from benchmarks.scaling.costs import (
    Cost,
    Measured,
    RealRun,
    SharedCosts,
    Sizes,
    Taken,
    UnitCost,
    UnitCosts,
)
from benchmarks.scaling.limits import unit_cycle

if TYPE_CHECKING:
    from pathlib import Path

UNIT = UnitCosts(
    plan=UnitCost(Cost(0.001), Cost(client=1e-6)),
    claim=UnitCost(Cost(0.002, 0.003, 0.004, 5)),
    complete=UnitCost(Cost(0.003), Cost(server=2e-6)),
)
MEASURED = Measured(
    date="2026-01-31",
    command="python -m benchmarks.scaling measure",
    machine={"processor": "one", "cores": 2, "system": "Linux"},
    versions={"Redis": "7"},
    units={"analyze": UnitCosts(), "book": UNIT},
    sizes={"analyze": Sizes(evaluation=100.0), "book": Sizes(1_000.0, 10.0, 0.0, 3_000.0, 5.0)},
    shared=SharedCosts(ring=Cost(0.5), poll=Cost(client=0.25)),
    connections={1: 3, 16: 8},
    runs=[RealRun(2, 1, 9, 10, 0.5, 1.0, 4.0, Taken(1.0, 2.0, 3.0), Taken(1.5, 2.5, 3.5))],
    book_seconds={12: 0.004},
)


def test_a_line_goes_through_both_points() -> None:
    few, many = Cost(0.2, 2.0, 0.0, 4), Cost(1.1, 3.8, 0.0, 4)
    line = UnitCost.through(few, many, at=(10, 100))
    assert line.of(10).server == pytest.approx(0.2)
    assert line.of(100).client == pytest.approx(3.8)
    assert line.each == Cost(pytest.approx(0.1), pytest.approx(1.8), 0.0, 4)


def test_noise_makes_nothing_cheaper_than_nothing() -> None:
    line = UnitCost.through(Cost(0.3), Cost(0.2), at=(10, 100))
    assert line.position.server == 0.0
    assert line.each.server == 0.3
    assert Cost(1.0, 1.0) - Cost(2.0, 0.5) == Cost(0.0, 0.5)


def test_a_file_keeps_everything(tmp_path: Path) -> None:
    path = tmp_path / "there" / "costs.json"
    MEASURED.write(path)
    assert Measured.read(path) == MEASURED


@pytest.mark.parametrize("text", ["[]", "{}", '{"format": 1}', '{"format": 2}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "costs.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"costs\.json: "):
        Measured.read(path)


def test_an_entry_that_is_not_known_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    MEASURED.write(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"more": 1}))
    with pytest.raises(ValueError, match="not what `measure` writes"):
        Measured.read(path)


def test_a_book_costs_what_its_units_and_positions_do() -> None:
    book = cost_of_book(MEASURED, 12)
    units, searched = PLIES[12].units, PLIES[12].searched
    assert book.search_seconds == pytest.approx(0.004 * searched)
    assert book.unit_seconds == pytest.approx(0.004 * searched / units)
    assert book.broker_operations == 3 * units
    assert book.bytes == pytest.approx(1_000 * units + 10 * searched)
    assert book.log_bytes == pytest.approx(3_000 * units + 5 * searched)
    assert book.evaluation_bytes == pytest.approx(100 * searched)
    assert book.database_seconds == pytest.approx(0.006 * units + 2e-6 * searched, rel=1e-3)
    assert book.planner_seconds == pytest.approx(0.001 * units + 1e-6 * searched, rel=1e-3)


def test_more_threads_make_a_book_faster_until_its_planning_and_one_unit_are_left() -> None:
    measured = replace(MEASURED, book_seconds={8: 0.03}, shared=SharedCosts())
    book = cost_of_book(measured, 8)
    one, some, many = (seconds_of_book(measured, 8, threads) for threads in (1, 64, 1_024))
    cycle = unit_cycle(measured.costs("book"), book.service())
    assert cycle == pytest.approx(book.unit_seconds + 0.002 + 0.003 + 0.004 + 0.003, abs=0.002)
    assert one == pytest.approx(book.planner_seconds + book.counts.units * cycle)
    assert some == pytest.approx(book.planner_seconds + 3 * cycle)
    assert many == pytest.approx(book.planner_seconds + cycle)


def test_a_book_takes_as_long_as_the_resource_that_it_asks_for_most() -> None:
    book = cost_of_book(MEASURED, 12)
    broker = book.counts.units * 0.5  # seconds that a message is said to take
    assert seconds_of_book(MEASURED, 12, 1_024) == pytest.approx(book.planner_seconds + broker)
