"""Settings of the server's process."""

import gc
import subprocess
import sys

import pytest

from tests.support.running.command_line import ROOT
from web.server import TURN_SECONDS, short_switch_interval

PROGRAM = """
import resource
from web.server import room_for_connections
for limits in ((4096, 4096), (1024, 4096), (1024, 1500), (200, 200)):
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    print(room_for_connections(2000), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
"""A process of its own: a lowered limit cannot be raised again."""


def test_room_for_2000_connections() -> None:
    command = [sys.executable, "-c", PROGRAM]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    assert out.splitlines() == [
        "2000 4096",  # there is enough
        "2000 2256",  # it may be raised
        "1244 1500",  # cannot be raised far enough
        "1 200",
    ]


def test_settings_of_the_process_are_restored_at_the_end() -> None:
    before, frozen = sys.getswitchinterval(), gc.get_freeze_count()
    with short_switch_interval():
        assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
        assert gc.get_freeze_count() > frozen
    assert sys.getswitchinterval() == before
    assert gc.get_freeze_count() <= frozen
