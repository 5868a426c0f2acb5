"""Node counts: reproducible, equal with every kernel, and changed only on purpose."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from c4core import Position
from c4core.solver import Solver

# Whoever changes the search without meaning to change what it visits must find these unchanged;
# whoever improves it writes the new counts here and says what they brought.
NODES = {
    "45461667": 2578,
    "32164625": 1106,
    "274552224131661": 19512,
    "5455174361263362": 7149,
    "2531276566711153": 16633,
    "32751571231557": 36693,
    "335662333565": 14662,
    "52753311433677442422121": 7,
}

# In the order of C4_KERNEL: a processor may have only the first ones.
KERNELS = ("portable", "x86-v3", "x86-v3-pext")

COUNT_NODES = """
import json, sys
from c4core import Position, kernel
from c4core.solver import Solver
solver = Solver()
counts = {}
for moves in json.loads(sys.argv[1]):
    solver.clear()
    counts[moves] = solver.solve(Position(moves)).nodes
print(json.dumps([kernel.NAME, counts]))
"""


@pytest.mark.parametrize("moves", NODES)
def test_node_counts_are_held(moves: str) -> None:
    assert Solver().solve(Position(moves)).nodes == NODES[moves]


def test_a_cleared_solver_counts_as_a_new_one() -> None:
    solver = Solver()
    for moves, nodes in NODES.items():
        solver.clear()
        assert solver.solve(Position(moves)).nodes == nodes


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_visits_the_same_nodes(kernel: str) -> None:
    output = subprocess.run(
        [sys.executable, "-c", COUNT_NODES, json.dumps(list(NODES))],
        env={**os.environ, "C4_KERNEL": kernel},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    name, counts = json.loads(output)
    assert counts == NODES
    assert name in KERNELS[: KERNELS.index(kernel) + 1]
