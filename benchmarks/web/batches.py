"""Batches that run meanwhile: JSON Lines that never end, of positions that have to be searched."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Final

from benchmarks.page import ROOT
from benchmarks.random_play import random_games

if TYPE_CHECKING:
    from collections.abc import Iterator

STONES: Final = (15, 20)
"""The fewest and the most stones of a position: each takes some milliseconds."""
AHEAD: Final = 2_000
"""Lines that are sent before the first of them is answered."""


@contextmanager
def running_batches(port: int, count: int) -> Iterator[None]:
    """Batches, until the end of the block, each from a process of its own.

    Args:
        port: of the server.
        count: how many.
    """
    command = [sys.executable, "-m", "benchmarks.web.batches", str(port)]
    processes = [
        subprocess.Popen([*command, str(seed)], cwd=ROOT, stderr=subprocess.DEVNULL)
        for seed in range(count)
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def lines(seed: int) -> Iterator[bytes]:
    """Random positions, a line each, without end, some at a time."""
    chance = random.Random(f"batch {seed}")  # noqa: S311 (no secret)
    while True:
        games = islice(random_games(chance, chance.randint(*STONES)), 20)
        yield "".join(f"{game.moves}\n" for game in games).encode()


def send(port: int, seed: int) -> None:
    """Send a batch without end, some lines ahead of the answers, so that this takes no time."""
    headers = "Host: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked"
    head = f"POST /api/v1/batch?columns=true HTTP/1.1\r\n{headers}\r\n\r\n"
    pieces, ahead = lines(seed), 0
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(head.encode())
        while True:
            while ahead < AHEAD:
                piece = next(pieces)
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                ahead += piece.count(b"\n")
            received = connection.recv(1 << 16)
            if not received:
                break
            ahead -= received.count(b'"board"')


if __name__ == "__main__":
    send(int(sys.argv[1]), int(sys.argv[2]))
