"""Measure costs on a real PostgreSQL and a real Redis.

The cost of bringing a message to its task is measured with a real worker. It gets messages about
units that do not exist, so each message causes only one claim, which fails.

::

    python -m benchmarks scaling measure --postgres URL --redis URL     # the costs
    python -m benchmarks scaling limits --workers 40 --threads 32       # the limits of a service
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click
from sqlalchemy import delete, make_url, text
from workers.celery.doorbell import Doorbell
from workers.celery.process import BEAT_SECONDS, SWEEP_DUTY, SWEEP_SECONDS, Registration, sweep
from workers.celery.unit_worker import UnitCounters, WorkerSettings

from benchmarks.options import WITH_HELP, failures
from benchmarks.processes import Fleet, FleetError, clear
from benchmarks.scaling.limits import (
    PLIES,
    Cost,
    Measured,
    Service,
    SharedCosts,
    bound,
    thread_limits,
    threads_of_a_process,
)
from benchmarks.scaling.meters import (
    MeterError,
    Place,
    RoundTrips,
    backends,
    measure_cost,
    median,
    open_place,
    processes,
)
from benchmarks.scaling.units import Batch, BookPly, UnitBench, announce, take
from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import StorageError
from db.jobs import acquire_duty
from db.models import Duty
from workers.celery.url import REDIS_PORT
from workers.core.kinds import Lane
from workers.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.record import Results

SERVER_ERRORS: Final = (MeterError, FleetError, StorageError, BrokerError)

THREADS: Final = (1, 4, 16)
"""Numbers of threads of the workers whose connections are counted."""

IDLE_WORKERS: Final = 4

REST_SECONDS: Final = 1.0
"""Seconds until a newly registered worker is idle."""

NO_UNIT: Final = 2**31 - 1
"""A number that no unit has."""

TIMES: Final = 100
"""Number of repetitions in a round."""

MESSAGES: Final = 300
"""Number of messages in a round."""

IDLE_SECONDS: Final = 5.0
"""Seconds for which an idle worker is observed."""

DRAIN_SECONDS: Final = 120.0


def servers_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name the servers."""
    for name, form in (
        ("redis", "redis://HOST:PORT/NUMBER"),
        ("postgres", "postgresql://.../NAME"),
    ):
        command = click.option(
            f"--{name}",
            metavar="URL",
            required=True,
            help=f"A scratch database on this machine, which is emptied: {form}.",
        )(command)
    return command


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the costs of units and messages, and calculate how far the service scales."""


@main.command()
@servers_options
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True)
@click.pass_obj
def measure(results: Results, *, postgres: str, redis: str, rounds: int) -> None:
    """Measure all costs on real servers that run on this machine."""
    with ExitStack() as at_end, failures(*SERVER_ERRORS):
        place = open_place(postgres, redis, at_end)
        figures = measure_everything(place, rounds).figures()
        with place.database.read() as session:
            version = str(session.scalar(text("SHOW server_version"))).split(maxsplit=1)[0]
        versions = {"PostgreSQL": version, "Redis": place.redis.version}
    results.keep("scaling", "measure", figures, **versions)


@main.command()
@click.option(
    "--kind", type=click.Choice(["analyze", "book"]), default="analyze", show_default=True
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads per worker."
)
@click.option(
    "--unit-seconds", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True
)
@click.option("--unit-positions", type=click.IntRange(1), default=100, show_default=True)
@click.option("--database-cores", type=click.IntRange(1), default=8, show_default=True)
@click.option("--distance", type=click.FloatRange(0), default=0.0, help="Seconds per round trip.")
@click.pass_obj
def limits(results: Results, /, *, kind: str, **options: Any) -> None:  # noqa: ANN401 (click's)
    """Calculate the limits of a service from the measured costs."""
    service = Service(**options)
    costs = _read(results).costs(kind)
    most = bound(costs, service)
    click.echo(f"units/s, at most    {most.units_per_second:.1f}")
    click.echo(f"threads that search {most.searching:.1%}")
    for name in ("database", "broker", "planner", "python"):
        click.echo(f"busy: {name:13} {getattr(most, name):.1%}")
    serves = {
        **thread_limits(costs, service)._asdict(),
        "process": threads_of_a_process(costs, service),
    }
    for name, threads in serves.items():
        click.echo(f"{name + ' serves':19} {threads:,.0f} such threads")


@main.command()
@click.argument("ply", type=click.Choice([str(ply) for ply in PLIES]))
@click.argument("milliseconds", type=click.FloatRange(0, min_open=True))
@click.pass_obj
def book(results: Results, *, ply: str, milliseconds: float) -> None:
    """Store the time that one core needs for one position of a book."""
    seconds = {**_read(results).book_seconds, int(ply): milliseconds / 1_000}
    results.keep("scaling", "book", dict(sorted(seconds.items())))


def _read(results: Results) -> Measured:
    with failures(ValueError):
        return Measured.of(results.read("scaling"))


def measure_everything(place: Place, rounds: int) -> Measured:
    """Measure all costs, as medians of repetitions."""
    units, sizes = {}, {}
    for kind in (Batch(), BookPly()):
        click.echo(f"measuring units of jobs of kind {kind.name}", err=True)
        bench = UnitBench(kind, place.database, place.meter)
        units[kind.name] = bench.measure(rounds, place.database_url)
        sizes[kind.name] = bench.sizes()
    click.echo("measuring messages and background duties", err=True)
    shared = measure_shared(place, rounds)
    click.echo("measuring connections", err=True)
    connections = {threads: count_connections(place, threads) for threads in THREADS}
    return Measured(units, sizes, shared, connections)


def measure_shared(place: Place, rounds: int) -> SharedCosts:
    """Measure the costs of messages and duties."""
    duties = measure_duties(place, rounds)
    ring, vain = measure_ring(place, rounds), measure_vain(place)
    with Fleet(place.database_url, place.broker_url) as fleet:
        alone = _measure_idling(place, fleet)
        take = median(measure_take(place, fleet, vain) for _ in range(rounds))
    with Fleet(place.database_url, place.broker_url, workers=IDLE_WORKERS) as fleet:
        # One worker sweeps; the others try to acquire the duty without success.
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


def measure_duties(place: Place, rounds: int) -> dict[str, Cost]:
    """Measure the costs of the workers' background duties."""
    database = place.database
    settings = WorkerSettings(name="benchmark", table_mb=8)
    registration = Registration(database, settings, UnitCounters())
    Batch().prepare(2, 10)(database)
    claim = take(database, announce(database, 1)[0])
    sweep(database, place.doorbell)
    works: dict[str, Callable[[], object]] = {
        "heartbeat": lambda: database.run(lambda session: jobs.heartbeat(session, claim, 600.0)),
        "turn": lambda: database.run(lambda session: acquire_duty(session, SWEEP_DUTY, 3600.0)),
        "beat": registration.beat,
    }
    found = {
        name: median(measure_cost(work, place.meter, times=TIMES) for _ in range(rounds))
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
        measure_cost(
            lambda: place.doorbell.ring(Lane.BULK, [NO_UNIT]), place.redis.meter, times=TIMES
        )
        for _ in range(rounds)
    )
    place.redis.empty()
    return found


def measure_vain(place: Place) -> Cost:
    """Measure the cost of claiming a unit that does not exist."""
    return median(
        measure_cost(lambda: _claim_nothing(place), place.meter, times=TIMES) for _ in range(3)
    )


def measure_idling(place: Place, fleet: Fleet) -> Cost:
    """Measure the cost of a second of waiting, for the broker and all workers."""
    broker, workers = place.redis.meter(), processes(fleet.pids)
    time.sleep(IDLE_SECONDS)
    broker, workers = place.redis.meter() - broker, processes(fleet.pids) - workers
    return Cost(broker.running, workers.running) * (1 / IDLE_SECONDS)


def measure_take(place: Place, fleet: Fleet, vain: Cost) -> Cost:
    """Measure the cost of bringing a message to a worker's task and acknowledging it."""
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
    """Count the round trips to the broker for sending and for taking a message."""
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
    """Stop the worker and send it many messages; return its process id."""
    (pid,) = fleet.pids
    os.kill(pid, signal.SIGSTOP)
    place.doorbell.ring(Lane.BULK, [NO_UNIT] * MESSAGES)
    return pid


def _measure_sweep(place: Place) -> Cost:
    """Measure one sweep. The duty is deleted first, so that the sweep is due."""
    place.database.run(lambda session: session.execute(delete(Duty)))
    return measure_cost(lambda: sweep(place.database, place.doorbell), place.meter, times=1)


def _claim_nothing(place: Place) -> None:
    place.database.run(
        lambda session: jobs.claim_unit(
            session, NO_UNIT, owner="benchmark", lease_seconds=1.0, engine_version=ENGINE_VERSION
        )
    )
