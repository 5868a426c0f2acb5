"""Room for connections, each in a process of its own: a lowered limit cannot be raised again."""

import subprocess
import sys

import pytest

from tests.support.running.command_line import ROOT

PROGRAM = """
import resource, sys
soft, hard, wanted = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from web.http.open_files import room_for_connections
print(room_for_connections(wanted), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(
    ("soft", "hard", "room", "limit"),
    [
        (4096, 4096, 2000, 4096),  # there is enough
        (1024, 4096, 2000, 2256),  # it may be raised
        (1024, 1500, 1244, 1500),  # not as far as is wanted
        (200, 200, 1, 200),
    ],
)
def test_room_for_2000(soft: int, hard: int, room: int, limit: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(soft), str(hard), "2000"]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    assert out.split() == [str(room), str(limit)]
