"""The move-ordering networks: damaged ones, and threads that read one together.

``test_search_nodes.py`` counts nodes with every network that is included in c4.
"""

import subprocess
import sys

import pytest

from benchmarks.order.samples import Network
from c4core.engine.kernel import network_path

TOGETHER = """
from threading import Barrier, Thread
from c4core import Position
from c4core.solver import Solver
barrier, solver, scores = Barrier(8), Solver(), []
def search():
    barrier.wait()
    scores.append(Solver().solve(Position("444555542")).score)
threads = [Thread(target=search) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert len(scores) == 8 and len(set(scores)) == 1, scores
"""


def test_damaged_files_are_refused() -> None:
    whole = network_path(7, 6).read_bytes()
    damaged = [whole[:length] for length in (0, 8, 16, 20, 1000, -1)]
    for place in (0, 7, 8, 9, 10, 11, 12, 16, 500_000, -5, -1):
        data = bytearray(whole)
        data[place] ^= 1
        damaged.append(bytes(data))
    for content in damaged:
        with pytest.raises(ValueError, match="not an order network"):
            Network(content)


def test_threads_that_start_together_read_the_network() -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", TOGETHER], check=False, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
