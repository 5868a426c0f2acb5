"""The unit that a worker holds beyond one for each thread, while it waits for its turn.

Such a unit may wait long for a thread while another worker has nothing to do. Then it goes back.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION
from db import registry
from db.errors import StorageError
from db.jobs import has_queued_unit

if TYPE_CHECKING:
    from db.database import Database
    from workers.core.lanes import Lane

SPARE_SECONDS: Final = 2.0
"""Time that a claimed unit waits for its turn before it is asked who else could begin with it, and
between two such looks."""


class SpareUnit:
    """A claimed unit of which no search has begun.

    Args:
        database: the unit's.
        lane: the unit's.
    """

    def __init__(self, database: Database, lane: Lane) -> None:
        self._database = database
        self._lane = lane
        self._next_look = time.monotonic() + SPARE_SECONDS
        self.is_better_elsewhere = False
        """Whether another worker was found to be idle."""

    def look(self) -> bool:
        """Look now and then whether another worker is idle; called while the unit waits."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + SPARE_SECONDS
            with suppress(StorageError), self._database.read() as session:
                workers = registry.live_workers(session)
                others = sum(self._lane.queue in worker.queues for worker in workers) - 1
                # While units are queued, the others are at work on those.
                self.is_better_elsewhere = others > 0 and not has_queued_unit(
                    session,
                    engine_version=ENGINE_VERSION,
                    interactive=self._lane.is_interactive,
                )
        return self.is_better_elsewhere
