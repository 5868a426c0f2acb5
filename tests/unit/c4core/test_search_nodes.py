"""Node counts: reproducible, equal with every kernel, and changed only on purpose."""

import json
import os
import subprocess
import sys

import pytest

from c4core.position import Position
from c4core.solver import Solver

# A change that is not meant to alter the search leaves these unchanged. After an intended change,
# run this file as a program: it prints the new counts.
NODES = {
    ("7x6", "45461667"): 2578,
    ("7x6", "32164625"): 1106,
    ("7x6", "274552224131661"): 19795,
    ("7x6", "5455174361263362"): 8707,
    ("7x6", "2531276566711153"): 16633,
    ("7x6", "32751571231557"): 36693,
    ("7x6", "335662333565"): 14662,
    ("7x6", "52753311433677442422121"): 7,
    ("6x6", "12344321"): 22141,
    ("7x7", "244123411211"): 2337,
    ("8x6", "6245355537173332"): 18691,
    ("10x4", "726513552131"): 46361,
    ("5x7", "44534"): 22308,
    ("6x7", "35635435411243"): 22322,
    ("9x4", "84493476"): 57392,
}

# In the order of C4_KERNEL: some processors have only the first ones.
KERNELS = ("portable", "x86-v3", "x86-v3-pext")
WIDE_KERNELS = tuple(f"wide-{kernel}" for kernel in KERNELS)

COUNT_NODES = """
import json, sys
from c4core.engine import kernel
from c4core import Position, Solver
from c4core.notation import parse_board
counts = []
for board, moves in json.loads(sys.argv[1]):
    # An entry of a wide table takes twice as much memory.
    solver = Solver(table_mb=16 if kernel.ALWAYS_WIDE else 8)
    counts.append(solver.solve(Position(moves, board=board)).nodes)
print(json.dumps([kernel.NAME, counts]))
"""


def test_node_counts_are_unchanged() -> None:
    """A cleared solver visits the same nodes as a new one."""
    solver = Solver()
    for (board, moves), nodes in NODES.items():
        solver.clear()
        assert solver.solve(Position(moves, board=board)).nodes == nodes


@pytest.mark.parametrize("kernel", KERNELS + WIDE_KERNELS)
def test_every_kernel_visits_the_same_nodes(kernel: str) -> None:
    output = subprocess.run(
        [sys.executable, "-c", COUNT_NODES, json.dumps(list(NODES))],
        env={**os.environ, "C4_KERNEL": kernel},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    name, counts = json.loads(output)
    assert dict(zip(NODES, counts, strict=True)) == NODES
    assert name in KERNELS[: KERNELS.index(kernel.removeprefix("wide-")) + 1]


@pytest.mark.parametrize(
    ("program", "name"),
    [(["-c", "import c4core"], "c4core.errors.C4Error"), (["-m", "cli", "solve", "4"], "Error")],
)
def test_an_unknown_kernel_is_refused(program: list[str], name: str) -> None:
    done = subprocess.run(
        [sys.executable, *program],
        env={**os.environ, "C4_KERNEL": "fast"},
        check=False,
        capture_output=True,
        text=True,
    )
    wanted = "C4_KERNEL cannot be 'fast': it is portable, x86-v3, x86-v3-pext, or wide-NAME"
    assert done.stderr.splitlines()[-1] == f"{name}: {wanted}"


if __name__ == "__main__":
    for board, moves in NODES:
        nodes = Solver().solve(Position(moves, board=board)).nodes
        sys.stdout.write(f'    ("{board}", "{moves}"): {nodes},\n')
