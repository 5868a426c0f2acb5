"""Work without messages: a worker helps itself while the broker takes none.

The database is the queue of truth, so messages only save the workers from asking it all the time.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import StorageError
from workers.errors import BrokerUnreachableError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.database import Database
    from workers.broker.doorbell import Doorbell
    from workers.core.kinds import Lane
    from workers.service.unit_worker import UnitWorker

LOOK_SECONDS: Final = 1.0
"""Time between two looks whether messages get through."""


class WithoutBroker:
    """Takes units from the database in threads of its own while no message gets through.

    Args:
        database: the units'.
        doorbell: knows whether messages get through.
        unit_worker: works on the units.
        lanes: those from which the worker takes units.
        threads: units that it works on at a time.
    """

    def __init__(
        self,
        database: Database,
        doorbell: Doorbell,
        unit_worker: UnitWorker,
        *,
        lanes: Sequence[Lane],
        threads: int,
    ) -> None:
        self._database = database
        self._doorbell = doorbell
        self._unit_worker = unit_worker
        self._lanes = lanes
        self._threads = threads
        self._helpers: list[threading.Thread] = []
        self._was_told = False

    def look(self) -> None:
        """Start threads if no message gets through; say so once."""
        with suppress(BrokerUnreachableError):
            self._doorbell.try_again(self._lanes[0])
        trouble = self._doorbell.trouble
        if trouble is None:
            if self._was_told:
                LOGGER.warning("messages get through again")
            self._was_told = False
            return
        if not self._was_told:
            LOGGER.warning("%s; this worker asks the database for work meanwhile", trouble)
            self._was_told = True
        self._helpers = [helper for helper in self._helpers if helper.is_alive()]
        # Units of messages that came before are still being worked on.
        busy = max(len(self._helpers), self._unit_worker.counters.in_work)
        for _ in range(self._threads - busy):
            helper = threading.Thread(target=self._work, name="c4-unit-asked", daemon=True)
            self._helpers.append(helper)
            helper.start()

    def _work(self) -> None:
        """Work on unit after unit of all lanes, until there is none or messages get through."""
        stopping = self._unit_worker.stopping
        while self._doorbell.trouble is not None and not stopping.is_set():
            found = [lane for lane in self._lanes if self._work_on_one(lane)]
            if not found:
                return

    def _work_on_one(self, lane: Lane) -> bool:
        """Work on the next unit of a lane, if there is one."""
        try:
            unit_ids = self._database.run(
                lambda session: jobs.announce(
                    session,
                    engine_version=ENGINE_VERSION,
                    interactive=lane.is_interactive,
                    limit=1,
                )
            )
        except StorageError:
            return False  # the next look tries again
        for unit_id in unit_ids:
            self._unit_worker.work_on(unit_id, lane)
        return bool(unit_ids)
