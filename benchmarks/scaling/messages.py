"""The costs of messages, and of workers beside their units, on a real Redis and PostgreSQL.

A real worker shows the cost of bringing a message to its task. It gets messages about units that do
not exist, so for each message it only makes a claim in vain.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import delete, make_url

from benchmarks.fleet import Fleet, clear
from benchmarks.scaling.costs import Cost
from benchmarks.scaling.kinds import Batch
from benchmarks.scaling.meters import RoundTrips, backends, measure, median, processes
from benchmarks.scaling.units import announce, take
from c4core.version import ENGINE_VERSION
from db import jobs
from db.duties import acquire_duty
from db.models import Duty
from workers.broker.doorbell import Doorbell
from workers.broker.url import REDIS_PORT
from workers.core.lanes import Lane
from workers.service.counters import UnitCounters
from workers.service.registration import Registration
from workers.service.sweeping import SWEEP_DUTY, sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.scaling.meters import Meter, RedisServer
    from db.database import Database

NO_UNIT: Final = 2**31 - 1
"""No unit has this number."""

TIMES: Final = 100
MESSAGES: Final = 300
"""The number of repetitions in a round."""

IDLE_SECONDS: Final = 5.0
"""Seconds for which an idle worker is watched."""

DRAIN_SECONDS: Final = 120.0


class Place(NamedTuple):
    """The database and the broker of a measurement."""

    database_url: str
    broker_url: str
    database: Database
    doorbell: Doorbell
    redis: RedisServer
    meter: Meter
    """The meter of the database's server."""


def measure_duties(place: Place, rounds: int) -> dict[str, Cost]:
    """Measure the costs of the workers' duties beside their units."""
    database = place.database
    registration = Registration(
        database, UnitCounters(), name="benchmark", threads=1, table_mb=8, lanes=list(Lane)
    )
    batch = Batch()
    batch.submit(database, batch.prepare(2, 10), 10)
    claim = take(database, announce(database, 1)[0])
    sweep(database, place.doorbell)
    works: dict[str, Callable[[], object]] = {
        "heartbeat": lambda: database.run(lambda session: jobs.heartbeat(session, claim, 600.0)),
        "turn": lambda: database.run(lambda session: acquire_duty(session, SWEEP_DUTY, 3600.0)),
        "beat": registration.beat,
    }
    found = {
        name: median(measure(work, place.meter, times=TIMES) for _ in range(rounds))
        for name, work in works.items()
    }
    clear(database)
    found["sweep"] = median(_measure_sweep(place) for _ in range(3 * rounds))
    registration.leave()
    place.redis.empty()
    return found


def measure_ring(place: Place, rounds: int) -> Cost:
    """Measure the cost of a message to the broker."""
    found = median(
        measure(lambda: place.doorbell.ring(Lane.BULK, [NO_UNIT]), place.redis.meter, times=TIMES)
        for _ in range(rounds)
    )
    place.redis.empty()
    return found


def measure_vain(place: Place) -> Cost:
    """Measure the cost of a claim of a unit that does not exist."""
    return median(
        measure(lambda: _claim_nothing(place), place.meter, times=TIMES) for _ in range(3)
    )


def measure_idling(place: Place, fleet: Fleet) -> Cost:
    """Measure what a second of waiting costs the broker and all workers."""
    broker, workers = place.redis.meter(), processes(fleet.pids)
    time.sleep(IDLE_SECONDS)
    broker, workers = place.redis.meter() - broker, processes(fleet.pids) - workers
    return Cost(broker.running, workers.running) * (1 / IDLE_SECONDS)


def measure_take(place: Place, fleet: Fleet, vain: Cost) -> Cost:
    """Measure the cost of bringing a message to a worker's task and of acknowledging it.

    Args:
        place: the database and the broker.
        fleet: one worker with one thread.
        vain: the cost of a claim in vain, which is subtracted.
    """
    pid = _hold(place, fleet)
    broker, worker, wall = place.redis.meter(), processes([pid]), time.perf_counter()
    os.kill(pid, signal.SIGCONT)
    drain(place, fleet)
    elapsed = time.perf_counter() - wall
    broker, worker = place.redis.meter() - broker, processes([pid]) - worker
    wait = max(0.0, elapsed - sum(broker) - sum(worker))
    whole = Cost(broker.running, worker.running, wait) * (1 / MESSAGES)
    return whole - Cost(client=vain.client, wait=vain.wait + vain.server)


def count_round_trips(place: Place) -> dict[str, float]:
    """Count the round trips to the broker, for sending a message and for taking one."""
    address = urlsplit(place.broker_url)
    user, at, _ = address.netloc.rpartition("@")
    host, port = address.hostname or "127.0.0.1", address.port or REDIS_PORT
    with RoundTrips(host, port) as proxy:
        url = address._replace(netloc=f"{user}{at}127.0.0.1:{proxy.port}").geturl()
        with closing(Doorbell(url)) as doorbell:
            doorbell.ring(Lane.BULK, [NO_UNIT])
            before = proxy.count
            for _ in range(TIMES):
                doorbell.ring(Lane.BULK, [NO_UNIT])
            sent = proxy.count - before
        with Fleet(place.database_url, url) as fleet:
            fleet.await_registered(place.database)
            drain(place, fleet)
            pid = _hold(place, fleet)
            before = proxy.count
            os.kill(pid, signal.SIGCONT)
            drain(place, fleet)
            taken = proxy.count - before
    return {"ring": sent / TIMES, "take": taken / MESSAGES}


def count_connections(place: Place, threads: int) -> int:
    """Count the connections to the database of a worker that has been busy."""
    name = make_url(place.database_url).database or ""
    before = len(backends(name))
    with Fleet(place.database_url, place.broker_url, threads=threads) as fleet:
        fleet.await_registered(place.database)
        pid = _hold(place, fleet)
        os.kill(pid, signal.SIGCONT)
        drain(place, fleet)
        return len(backends(name)) - before


def drain(place: Place, fleet: Fleet) -> None:
    """Wait until all messages are processed."""
    fleet.wait(lambda: place.redis.messages(Lane.BULK.queue) == 0, DRAIN_SECONDS)


def _hold(place: Place, fleet: Fleet) -> int:
    """Stop the worker and send it many messages. Returns its process id."""
    (pid,) = fleet.pids
    os.kill(pid, signal.SIGSTOP)
    place.doorbell.ring(Lane.BULK, [NO_UNIT] * MESSAGES)
    return pid


def _measure_sweep(place: Place) -> Cost:
    """Sweep once. The duty is deleted first, so that the sweep is due."""
    place.database.run(lambda session: session.execute(delete(Duty)))
    return measure(lambda: sweep(place.database, place.doorbell), place.meter, times=1)


def _claim_nothing(place: Place) -> None:
    place.database.run(
        lambda session: jobs.claim_unit(
            session, NO_UNIT, owner="benchmark", lease_seconds=1.0, engine_version=ENGINE_VERSION
        )
    )
