"""Batches through a real server: in order, with constant memory, while they arrive."""

import json
from itertools import cycle, islice

from tests.support.boards.games import random_games
from tests.support.running.raw_http import connected
from tests.support.running.waiting import needs_proc
from tests.support.running.web_server import WebServer

EASY = random_games(200, empty=6)
MANY = 8_000
MEMORY_MB = 40
"""Limit for the additional memory of any batch: its solver's table, and a few thousand lines."""


@needs_proc
def test_many_lines_take_constant_memory(server: WebServer) -> None:
    """All lines are sent before an answer is read, which must not block the server.

    Lines and answers are several times as large as the memory limit.
    """
    moves = list(islice(cycle(EASY), MANY))
    asked = [{"id": f"{number:5000d}", "moves": each} for number, each in enumerate(moves)]
    server.ask("/api/v1/batch", method="POST", body=EASY[0].encode())
    before = highest = server.resident_mb
    lines = [json.dumps(one).encode() for one in asked]
    for place, (one, shown) in enumerate(zip(asked, server.batch(lines), strict=True)):
        assert (shown["id"], shown["moves"]) == (one["id"], one["moves"])
        if not place % 100:
            highest = max(highest, server.resident_mb)
    assert highest - before < MEMORY_MB


def test_lines_are_answered_before_the_next_are_sent(server: WebServer) -> None:
    with connected(server) as client:
        client.sendall(
            b"POST /api/v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        received = client.makefile("rb")
        for number, moves in enumerate(EASY[:5]):
            line = json.dumps({"id": number, "moves": moves}).encode() + b"\n"
            client.sendall(b"%x\r\n%b\r\n" % (len(line), line))
            if not number:
                assert received.readline().startswith(b"HTTP/1.1 200")
                while received.readline().strip():
                    pass
            size = int(received.readline(), 16)
            shown = json.loads(received.read(size))
            received.readline()
            assert (shown["id"], shown["moves"]) == (number, moves)
