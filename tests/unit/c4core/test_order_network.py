"""The move-ordering networks: the files included in c4, and damaged ones."""

import hashlib
import subprocess
import sys

import pytest

from benchmarks.order.samples import Network
from c4core.engine.kernel import network_path
from c4core.notation import parse_board

# After training a new network (docs/engine.md), write its size and checksum here.
SHIPPED = {
    "5x7": (411_156, "c194d688d014e49a96eab7bd98b280fdb934f40ed924212e0d3cca761a02aeba"),
    "6x6": (520_980, "9e362c087af03c895e6772765b7110ccd1f44b93e94976efa8441b1677834368"),
    "6x7": (664_980, "ff32a86fd739af1bd1f25b9a7ce0f39c3f02cf45c7097fa36771566d3130e1e1"),
    "7x6": (1_270_932, "efd9a3b87ed261ee365c19866beea1a243fa335769044dc7f57395774f6d2d45"),
    "7x7": (1_696_788, "584a7d31f3aca2f7a20cb0e243da66e107f347e42c19b16c83c85424380a9fb2"),
    "8x6": (1_277_204, "2a24fd43babc687ffd80ee3cb7114290b0ffd227dee1c1c9a1cb93e8a8d506b8"),
    "10x4": (284_052, "8754b4ba11263fd5028f5c713ccae8a1ef70e262c1dc50c3981a6405afd11ddf"),
}


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


def test_the_shipped_networks_are_the_measured_ones() -> None:
    for name, measured in SHIPPED.items():
        board = parse_board(name)
        data = network_path(board.width, board.height).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == measured
        network = Network(data)
        assert (network.width, network.height) == tuple(board)
    directory = network_path(7, 6).parent
    assert {path.stem for path in directory.glob("*.c4order")} == {f"c4-{name}" for name in SHIPPED}


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
