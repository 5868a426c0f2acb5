"""The measurement of all costs."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import make_url, text

from benchmarks.fleet import Fleet, clear
from benchmarks.record import these_versions, this_machine, today
from benchmarks.scaling.costs import Cost, Measured, SharedCosts
from benchmarks.scaling.kinds import Batch, BookPly
from benchmarks.scaling.messages import (
    Place,
    count_connections,
    count_round_trips,
    drain,
    measure_duties,
    measure_idling,
    measure_ring,
    measure_take,
    measure_vain,
)
from benchmarks.scaling.meters import RedisServer, database_meter, median
from benchmarks.scaling.units import UnitBench
from db.database import Database
from workers.broker.doorbell import Doorbell
from workers.service.registration import BEAT_SECONDS
from workers.service.sweeping import SWEEP_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

THREADS: Final = (1, 4, 16)
"""Numbers of threads of the workers whose connections are counted."""

IDLE_WORKERS: Final = 4

REST_SECONDS: Final = 1.0
"""Seconds until a worker that has just registered is idle."""


def open_place(database_url: str, broker_url: str, at_end: ExitStack) -> Place:
    """Open the scratch database and the scratch broker, and empty both.

    Raises:
        StorageError, BrokerUrlError: the database or the broker cannot be opened.
        MeterError: a server is on another machine.
    """
    database = at_end.enter_context(Database.open(database_url))
    clear(database)
    doorbell = at_end.enter_context(closing(Doorbell(broker_url)))
    redis = at_end.enter_context(closing(RedisServer(broker_url)))
    redis.empty()
    at_end.callback(clear, database)
    at_end.callback(redis.empty)
    meter = database_meter(make_url(database_url).database or "")
    return Place(database_url, broker_url, database, doorbell, redis, meter)


def measure_everything(
    place: Place, *, rounds: int, command: str, say: Callable[[str], None]
) -> Measured:
    """Measure all costs.

    Args:
        place: the database and the broker.
        rounds: the number of repetitions; the median counts.
        command: the command line, for the record.
        say: called with the name of the next measurement.
    """
    units, sizes = {}, {}
    for kind in (Batch(), BookPly()):
        say(f"units of jobs of kind {kind.name}")
        bench = UnitBench(kind, place.database, place.meter)
        units[kind.name] = bench.measure(rounds, place.database_url)
        sizes[kind.name] = bench.sizes()
    say("messages, and duties beside the units")
    shared = measure_shared(place, rounds)
    say("connections")
    connections = {threads: count_connections(place, threads) for threads in THREADS}
    return Measured(
        date=today(),
        command=command,
        machine=this_machine(),
        versions=these_versions() | _servers(place),
        units=units,
        sizes=sizes,
        shared=shared,
        connections=connections,
    )


def measure_shared(place: Place, rounds: int) -> SharedCosts:
    """Measure the costs of messages and duties."""
    duties = measure_duties(place, rounds)
    ring, vain = measure_ring(place, rounds), measure_vain(place)
    with Fleet(place.database_url, place.broker_url) as fleet:
        alone = _measure_idling(place, fleet)
        take = median(measure_take(place, fleet, vain) for _ in range(rounds))
    with Fleet(place.database_url, place.broker_url, workers=IDLE_WORKERS) as fleet:
        # One worker sweeps; the others try to acquire the duty in vain.
        other = (_measure_idling(place, fleet) - alone) * (1 / (IDLE_WORKERS - 1))
    asks = duties["turn"] * (1 / SWEEP_SECONDS) + duties["beat"] * (1 / BEAT_SECONDS)
    trips = count_round_trips(place)
    return SharedCosts(
        **duties,
        ring=replace(ring, round_trips=trips["ring"]),
        take=replace(take, round_trips=trips["take"]),
        poll=other - Cost(client=asks.client),
    )


def _measure_idling(place: Place, fleet: Fleet) -> Cost:
    fleet.await_registered(place.database)
    drain(place, fleet)
    time.sleep(REST_SECONDS)
    return median(measure_idling(place, fleet) for _ in range(3))


def _servers(place: Place) -> dict[str, str]:
    with place.database.read() as session:
        version = str(session.scalar(text("SHOW server_version")))
    return {"PostgreSQL": version.split(maxsplit=1)[0], "Redis": place.redis.version}
