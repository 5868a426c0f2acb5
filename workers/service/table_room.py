"""Room for the transposition table: a worker that has none ends at its start, before any unit."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from c4core.position import Position
from c4core.solver import Solver
from workers.errors import TableTooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEGABYTE: Final = 1 << 20
_GROUPS: Final = Path("/sys/fs/cgroup")
_PROCESS: Final = Path("/proc/self/cgroup")


def solver_with_table(table_mb: int) -> Solver:
    """A solver whose table has its memory already.

    Raises:
        TableTooLargeError: this process may not have as much memory.
        MemoryError: there is no room.
    """
    check_room(table_mb)
    solver = Solver(table_mb=table_mb)
    solver.solve(Position(), node_limit=1)
    return solver


def check_room(table_mb: int, processes: int = 1) -> None:
    """Refuse a table that can never fit: the kernel would kill the process while it searches.

    Args:
        table_mb: megabytes as given; a table is the next smaller power of two.
        processes: so many have a table of this size each.

    Raises:
        TableTooLargeError: it does not fit.
    """
    table = 1 << (table_mb.bit_length() - 1)
    limit = memory_limit() // _MEGABYTE
    if table * processes >= limit:
        tables = f"{processes} tables" if processes > 1 else "a table"
        raise TableTooLargeError(
            f"{tables} of {table:,} MB cannot fit: this machine or control group has {limit:,} MB "
            "of memory; give a smaller --table-mb (C4_TABLE_MB)"
        )


def memory_limit(groups: Path = _GROUPS, process: Path = _PROCESS) -> int:
    """The bytes that this process may use at most: those of the machine, or of a control group."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_group_limits(groups, process)])


def _group_limits(groups: Path, process: Path) -> Iterator[int]:
    """The limits of the control groups that this process is in, outermost last."""
    with suppress(OSError):  # there are no control groups
        for line in process.read_text().splitlines():
            _number, controllers, path = line.split(":", 2)
            if not controllers:
                root, name = groups, "memory.max"
            elif "memory" in controllers.split(","):
                root, name = groups / "memory", "memory.limit_in_bytes"
            else:
                continue
            inner = root / path.lstrip("/")
            for group in (inner, *inner.parents):
                with suppress(OSError, ValueError):  # no such file, or "max"
                    yield int((group / name).read_text())
                if group == root:
                    break
