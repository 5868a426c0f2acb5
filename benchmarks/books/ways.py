"""The gain by the order, the units and the table: the same positions, solved in several ways."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from benchmarks.books.sampling import TABLE_MB, choose_units
from benchmarks.record import this_processor
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

LARGE_TABLE_MB: Final = 256
HARDEST: Final = 0.1
"""The share of all positions that counts as the hardest ones."""


class Cost(NamedTuple):
    """The costs of some positions."""

    nodes: NDArray[np.uint64]
    """Shape (n,): the nodes of each position."""
    seconds: float
    """Processor seconds of one thread for all positions."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to solve positions, and its cost."""

    name: str
    nodes: int
    seconds: float
    """Processor seconds."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The costs of some units of a ply, solved in several ways."""

    plies: int
    units: int
    positions: int
    """Positions in these units."""
    median: int
    """Mean nodes of a position; this and the next three figures are for the way of jobs."""
    mean: int
    """Median nodes of a position."""
    most: int
    """Nodes of the hardest position."""
    hardest_share: float
    """The hardest tenth's share of all nodes."""
    ways: tuple[Way, ...]
    """All ways; the first is the way of jobs."""
    processor: str

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Ways:
        """Undo :func:`dataclasses.asdict`."""
        return cls(**{**entry, "ways": tuple(Way(**way) for way in entry["ways"])})


def compare_ways(ply: int, units: int, *, seed: int) -> Ways:
    """Solve some units of a ply as jobs do, and in other ways.

    Args:
        ply: the ply, :data:`workers.books.planning.ANCESTOR_PLIES` or more.
        units: the number of units.
        seed: the seed of the choice and of the random order.
    """
    chosen = choose_units(ply, units, seed=seed).chosen
    mixed = np.random.default_rng(seed).permutation(np.concatenate(chosen))
    planned = _kept_table(chosen, TABLE_MB)
    costs = {
        f"units of common ancestors, a table of {TABLE_MB} MB kept": planned,
        f"a table of {LARGE_TABLE_MB} MB": _kept_table(chosen, LARGE_TABLE_MB),
        "a quick win of each looked for first": _kept_table(chosen, TABLE_MB, related=False),
        "the units' positions in random order": _kept_table([mixed], TABLE_MB),
        "the table emptied before each position": _emptied_table(mixed, TABLE_MB),
    }
    ordered = np.sort(planned.nodes)
    hardest = ordered[len(ordered) - round(HARDEST * len(ordered)) :]
    return Ways(
        ply,
        len(chosen),
        len(mixed),
        int(np.median(ordered)),
        int(ordered.mean()),
        int(ordered[-1]),
        float(hardest.sum() / ordered.sum()),
        tuple(Way(name, int(cost.nodes.sum()), cost.seconds) for name, cost in costs.items()),
        this_processor(),
    )


def _kept_table(units: Sequence[Keys], table_mb: int, *, related: bool = True) -> Cost:
    solver = Solver(table_mb=table_mb)
    began = time.process_time()
    nodes = [solver.solve_many(keys, related=related).nodes for keys in units]
    return Cost(np.concatenate(nodes), time.process_time() - began)


def _emptied_table(keys: Keys, table_mb: int) -> Cost:
    solver = Solver(table_mb=table_mb)
    nodes, seconds = [], 0.0
    for key in keys.tolist():  # emptying takes longer than an easy position, so it is not timed
        solver.clear()
        began = time.process_time()
        nodes.append(solver.solve(Position.from_key(key)).nodes)
        seconds += time.process_time() - began
    return Cost(np.array(nodes, dtype=np.uint64), seconds)


def way_lines(ways: Ways) -> list[str]:
    """A sentence and a table, in Markdown."""
    first = ways.ways[0]
    told = (
        f"Ply {ways.plies}, {ways.positions:,} positions in {ways.units} units: {ways.mean:,} "
        f"nodes a position, half of them fewer than {ways.median:,}, one {ways.most:,}; the tenth "
        f"that takes most takes {ways.hardest_share:.0%} of all."
    )
    lines = [
        told,
        "",
        "| | nodes a position | times | seconds | times |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {way.name} | {way.nodes / ways.positions:,.0f} | {way.nodes / first.nodes:.2f} "
        f"| {way.seconds:.1f} | {way.seconds / first.seconds:.2f} |"
        for way in ways.ways
    ]
    return lines
