"""The cost of a book's deepest ply, estimated from some of its units."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.record import this_processor
from c4core.arrays import open_plies
from c4core.book.units import cut_units
from c4core.position import Position
from c4core.solver import Solver
from workers.books.planning import ANCESTOR_PLIES, LEAST_POSITIONS, MAX_BY_LEAST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

TABLE_MB: Final = 16
HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Units:
    """Randomly chosen units of a ply."""

    positions: int
    """Of the ply: mirror-reduced, not over."""
    searched: int
    """Positions without a win at once; the units consist of them."""
    chosen: tuple[Keys, ...]
    """The units: keys of positions."""


def choose_units(ply: int, count: int, *, seed: int) -> Units:
    """Cut a ply of 7x6 into units as a job does, and choose some of them.

    Args:
        ply: the ply, :data:`ANCESTOR_PLIES` or more.
        count: the number of units to choose; all of them if there are fewer.
        seed: the seed of the choice.
    """
    levels = list(islice(open_plies(Position()), ply - ANCESTOR_PLIES, ply + 1))
    cut = list(cut_units(levels, least=LEAST_POSITIONS, most=LEAST_POSITIONS * MAX_BY_LEAST))
    chosen = np.random.default_rng(seed).choice(len(cut), min(count, len(cut)), replace=False)
    return Units(
        len(levels[-1]), sum(map(len, cut)), tuple(cut[index] for index in chosen.tolist())
    )


@dataclass(frozen=True, slots=True)
class Sample:
    """The estimated cost of a complete book's deepest ply, from some of its units."""

    plies: int
    positions: int
    """Of the ply: mirror-reduced, not over."""
    searched: int
    """Positions without a win at once."""
    units: int
    """Units that were solved, chosen at random."""
    unit_positions: int
    """Positions in these units."""
    nodes: int
    """Nodes that were searched in these units."""
    seconds: float
    """Seconds that one thread took for these units."""
    processor: str

    @property
    def hours(self) -> float:
        """Estimated hours of one thread for the whole ply."""
        return self.seconds / self.unit_positions * self.searched / HOUR


def take_sample(ply: int, units: int, *, seed: int) -> Sample:
    """Solve some units of a ply as a job does.

    Args:
        ply: the ply, :data:`ANCESTOR_PLIES` or more.
        units: the number of units.
        seed: the seed of the choice.
    """
    some = choose_units(ply, units, seed=seed)
    solver = Solver(table_mb=TABLE_MB)
    nodes, seconds = 0, 0.0
    for keys in some.chosen:
        found = solver.solve_many(keys, related=True)
        nodes, seconds = nodes + int(found.nodes.sum()), seconds + found.seconds
    return Sample(
        ply,
        some.positions,
        some.searched,
        len(some.chosen),
        sum(map(len, some.chosen)),
        nodes,
        seconds,
        this_processor(),
    )
