"""Memory for the transposition table: a worker refuses sizes that do not fit at its start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.running.command_line import C4, ROOT
from tests.support.running.waiting import HANG_SECONDS
from workers.celery.process import check_room, memory_limit
from workers.errors import TableTooLargeError

MEGABYTE = 1 << 20
WORKER = ("--broker", "redis://127.0.0.1:1", "worker", "--table-mb")
LITTLE_SPACE = f"""
import resource, sys
from cli.__main__ import main
import workers.celery.service
sys.argv[0] = "c4"
room = int(open("/proc/self/statm").read().split()[0]) * 4096 + {512 * MEGABYTE}
resource.setrlimit(resource.RLIMIT_AS, (room, room))
main()
"""


@pytest.mark.parametrize(
    ("groups", "files", "limit"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": "67108864"}, 64),
        ("0::/\n", {"memory.max": "1048576"}, 1),
        ("4:cpu,memory:/a\n1:name=x:/\n", {"memory/a/memory.limit_in_bytes": "2097152"}, 2),
        ("0::/gone\n", {}, None),
    ],
)
def test_the_smallest_limit_of_all_groups_counts(
    tmp_path: Path, groups: str, files: dict[str, str], limit: int | None
) -> None:
    for name, content in files.items():
        (tmp_path / "fs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fs" / name).write_text(content)
    (tmp_path / "groups").write_text(groups)
    found = memory_limit(tmp_path / "fs", tmp_path / "groups")
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert found == (machine if limit is None else limit * MEGABYTE)


def test_a_table_that_cannot_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.celery.process.memory_limit", lambda: 100 * MEGABYTE)
    check_room(127)  # rounded to a table of 64
    with pytest.raises(TableTooLargeError, match=r"a table of 128 MB cannot fit.* has 100 MB"):
        check_room(128)
    with pytest.raises(TableTooLargeError, match="2 tables of 64 MB"):
        check_room(64, 2)


def test_a_worker_without_room_ends_at_its_start(c4: C4) -> None:
    done = c4(*WORKER, "1000000")
    assert done.code == 2
    assert "a table of 524,288 MB cannot fit" in done.err


def test_a_worker_that_gets_no_memory_ends_at_its_start(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LITTLE_SPACE, "--db", "c4.db", *WORKER, "1024"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "not enough memory; a smaller --table-mb may be enough" in done.stderr
