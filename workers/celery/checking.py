"""Check the service before a worker starts: database, broker, builds of the workers, clocks."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION, __version__
from db import jobs
from db.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from db.database import Database
    from db.records.jobs import WorkerInfo

CLOCK_SECONDS: Final = 5.0
"""A larger difference between two clocks is reported."""


def problems(database: Database, answering: set[str] | None, *, must_write: bool) -> Iterator[str]:
    """Yield a sentence for each problem that this machine's settings would give a worker.

    ``answering`` are the names of the workers that answer at the broker (:meth:`Broker.workers`);
    None if there is no broker or it does not answer. ``must_write`` reports a read-only database.
    """
    before = time.time()
    with database.read() as session:
        clock = jobs.clock(session)
        workers = jobs.live_workers(session)
    ahead = (before + time.time()) / 2 - clock
    if must_write:
        try:
            database.run(jobs.try_writing)
        except StorageError as error:
            yield str(error)
    if abs(ahead) > CLOCK_SECONDS:
        word = "ahead of" if ahead > 0 else "behind"
        yield f"the clock of this machine is {abs(ahead):.0f} s {word} that of the database"
    yield from _other_builds(workers)
    live = {worker.name for worker in workers}
    # The database does not have the names that Celery's own command gives to its workers.
    if answering is not None and answering <= live and (missing := sorted(live - answering)):
        yield f"workers do not answer at this broker, or use another one: {', '.join(missing)}"


def _other_builds(workers: tuple[WorkerInfo, ...]) -> Iterator[str]:
    """Report builds other than this one."""
    names: dict[str, list[str]] = defaultdict(list)
    for worker in workers:
        names[f"{worker.version} (engine {worker.engine_version})"].append(worker.name)
    own = f"{__version__} (engine {ENGINE_VERSION})"
    for build in sorted(set(names) - {own}):
        yield f"this is c4 {own}, but workers run {build}: {', '.join(names[build])}"
