"""Switch interval of threads, garbage collection, and limits for connections."""

import gc
import subprocess
import sys

import pytest

from tests.support.running.command_line import ROOT
from web.http.server import TURN_SECONDS, short_switch_interval

PROGRAM = """
import resource, sys
soft, hard, wanted = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from web.http.server import room_for_connections
print(room_for_connections(wanted), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
"""A process of its own: a lowered limit cannot be raised again."""


def test_settings_are_restored_at_the_end() -> None:
    before, frozen = sys.getswitchinterval(), gc.get_freeze_count()
    with short_switch_interval():
        assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
        assert gc.get_freeze_count() > frozen
    assert sys.getswitchinterval() == before
    assert gc.get_freeze_count() <= frozen


def test_later_objects_are_still_collected() -> None:
    class Node:
        def __init__(self) -> None:
            self.itself = self
            gone.append(0)

        def __del__(self) -> None:
            gone.pop()

    gone: list[int] = []
    with short_switch_interval():
        for _ in range(10):
            Node()
        gc.collect()
        assert not gone


@pytest.mark.parametrize(
    ("soft", "hard", "room", "limit"),
    [
        (4096, 4096, 2000, 4096),  # there is enough
        (1024, 4096, 2000, 2256),  # it may be raised
        (1024, 1500, 1244, 1500),  # cannot be raised far enough
        (200, 200, 1, 200),
    ],
)
def test_room_for_2000_connections(soft: int, hard: int, room: int, limit: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(soft), str(hard), "2000"]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    assert out.split() == [str(room), str(limit)]
