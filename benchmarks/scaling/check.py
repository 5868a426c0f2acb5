"""A job that real workers do, beside the same one as the costs and the simulation foresee it."""

from __future__ import annotations

import io
import os
import random
import statistics
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import select, text

from benchmarks.scaling.costs import RealRun, Seen
from benchmarks.scaling.fleet import Fleet
from benchmarks.scaling.limits import demands
from benchmarks.scaling.meters import processes
from benchmarks.scaling.model import Scenario, Service
from benchmarks.scaling.units import clear
from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD, format_moves
from c4core.position import Position
from db import jobs
from db.models import Unit
from db.records.jobs import JobState
from workers.broker.doorbell import top_up
from workers.core.lanes import Lane
from workers.positions import analysis
from workers.positions.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.scaling.costs import Costs
    from benchmarks.scaling.limits import Demand
    from benchmarks.scaling.messages import Place

PLIES: Final = 20
"""Stones on the boards: a position takes some tenths of a millisecond."""

EDGE: Final = 0.1
"""This share of the units at either end of the job does not count: not all workers are at work."""

JOB_SECONDS: Final = 600.0

LOOK_SECONDS: Final = 0.1
"""Time between two looks at the job, and at how much else the machine has to do."""

WARM_UP_SHARE: Final = 4
"""Before the job, one of so much less warms up caches."""

REPEATED: Final = 20
"""How much longer the simulated job is than the real one."""


class _Units(NamedTuple):
    """What the units of a job tell in the end."""

    seconds: list[float]
    """Search of each, in the order of completion."""
    finished_at: list[float]


class _Took(NamedTuple):
    """What a job took of processors. Seconds."""

    worker: float
    database: float
    broker: float


def run_and_compare(
    place: Place, costs: Costs, *, workers: int, threads: int, units: int, positions: int
) -> RealRun:
    """Let real workers do a job, then foresee it.

    Args:
        place: where.
        costs: of the simulation.
        workers: how many.
        threads: of each.
        units: of the job.
        positions: of each unit.
    """
    clear(place.database)
    with Fleet(place.database_url, place.broker_url, workers=workers, threads=threads) as fleet:
        fleet.await_registered(place.database)
        games = _games((units + units // WARM_UP_SHARE) * positions)
        _await_job(place, fleet, _submit(place, games[units * positions :], positions))
        with place.database.write() as session:
            session.execute(text("ANALYZE"))  # as the server does by itself about once a minute
        job_id = _submit(place, games[: units * positions], positions)
        before = _took(place, fleet)
        with _load(ours=workers * threads) as loads:
            _await_job(place, fleet, job_id)
        took = _Took(*(end - begin for begin, end in zip(before, _took(place, fleet), strict=True)))
    found = _look(place, job_id)
    first, last = round(EDGE * units), round((1 - EDGE) * units)
    search = found.seconds[first:last]
    elapsed = found.finished_at[last - 1] - found.finished_at[first - 1]
    mean = statistics.fmean(search)
    scenario = Scenario(
        workers=workers,
        threads=threads,
        unit_seconds=mean,
        unit_positions=positions,
        unit_spread=statistics.stdev(search) / mean,
        units=REPEATED * units,
    )
    return RealRun(
        workers=workers,
        threads=threads,
        units=units,
        positions=positions,
        unit_seconds=mean,
        unit_spread=scenario.unit_spread,
        load=statistics.fmean(loads),
        real=Seen(
            took.worker / units, took.database / units, took.broker / units, len(search) / elapsed
        ),
        foreseen=_foresee(costs, scenario, found.finished_at[-1] - found.finished_at[0], units),
    )


def _foresee(costs: Costs, scenario: Scenario, seconds: float, units: int) -> Seen:
    asked = demands(costs, scenario)
    planned = costs.unit.plan.of(scenario.unit_positions)  # before anything was measured
    lives = scenario.workers * seconds / units
    sweeps = seconds / units

    def of(demand: Demand) -> float:
        return demand.unit + demand.searching * scenario.unit_seconds + demand.worker * lives

    return Seen(
        worker=of(asked.python) + scenario.unit_seconds + costs.shared.sweep.client * sweeps,
        database=of(asked.database) - planned.server + costs.shared.sweep.server * sweeps,
        broker=of(asked.broker),
        units_per_second=Service(costs, scenario).run_job().units_per_second,
    )


def _took(place: Place, fleet: Fleet) -> _Took:
    servers = place.meter().running, place.redis.meter().running
    return _Took(processes(fleet.pids).running, *servers)


@contextmanager
def _load(ours: int) -> Iterator[list[float]]:
    """Look now and then how many processes are ready to run, besides ours, for each processor."""
    seen: list[float] = [0.0]
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            ready = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
            seen.append(max(0, ready - 1 - ours) / (os.cpu_count() or 1))

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()


def _await_job(place: Place, fleet: Fleet, job_id: int) -> None:
    top_up(place.database, place.doorbell, Lane.BULK)

    def is_over() -> bool:
        threading.Event().wait(LOOK_SECONDS)  # rarely: that is work for the server as well
        with place.database.read() as session:
            return jobs.get_job(session, job_id).state is not JobState.RUNNING

    fleet.wait(is_over, JOB_SECONDS)


def _submit(place: Place, games: list[str], positions: int) -> int:
    lines = "".join(f"{moves}\n" for moves in games)
    return analysis.submit(
        place.database,
        read_lines(io.BytesIO(lines.encode()), board=DEFAULT_BOARD),
        board=DEFAULT_BOARD,
        question=Question(columns=False),
        unit_lines=positions,
    ).job_id


def _games(number: int) -> list[str]:
    """Different random games that are not over."""
    chance = random.Random(3)  # noqa: S311
    found: dict[int, str] = {}
    while len(found) < number:
        position, columns = Position(), list[int]()
        while position.ply < PLIES and not position.is_over:
            columns.append(chance.choice(position.legal_columns()))
            position = position.play(columns[-1])
        if not position.is_over:
            found[position.canonical_key] = format_moves(columns)
    return list(found.values())


def _look(place: Place, job_id: int) -> _Units:
    query = (
        select(Unit.seconds, Unit.finished_at)
        .where(Unit.job_id == job_id)
        .order_by(Unit.finished_at)
    )
    with place.database.read() as session:
        rows = session.execute(query).all()
    return _Units([row.seconds for row in rows], [row.finished_at for row in rows])
