"""Real workers do jobs, and the processor time of a unit is compared with the measured costs."""

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

from benchmarks.games import different_games
from benchmarks.processes import Fleet, clear
from benchmarks.scaling.limits import RealRun, Service, Taken, demands
from benchmarks.scaling.meters import processes
from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from db import jobs
from db.models import Unit
from db.records.jobs import JobState
from workers.broker.doorbell import top_up
from workers.core.lanes import Lane
from workers.positions import analysis
from workers.positions.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.games import Game
    from benchmarks.scaling.limits import Costs, Demand
    from benchmarks.scaling.meters import Place

RUNS: Final = (
    {"workers": 1, "threads": 1, "units": 400, "positions": 10},
    {"workers": 2, "threads": 1, "units": 800, "positions": 10},
    {"workers": 1, "threads": 2, "units": 800, "positions": 10},
    {"workers": 2, "threads": 1, "units": 400, "positions": 100},
    {"workers": 2, "threads": 1, "units": 100, "positions": 1_000},
)
"""The jobs of the check with real workers."""

STONES: Final = 20
"""The number of stones on the boards: a position takes some tenths of a millisecond."""

EDGE: Final = 0.1
"""The share of units at either end of the job that does not count, as some workers are idle."""

JOB_SECONDS: Final = 600.0

POLL_SECONDS: Final = 0.1
"""Seconds between two queries of the job, and between two samples of the machine's load."""

WARM_UP_SHARE: Final = 4
"""A job with one in this many units is done first: it warms up caches."""


class _Units(NamedTuple):
    """Measurements from the units of a finished job."""

    seconds: list[float]
    """Seconds of each unit's search, in the order of completion."""
    finished_at: list[float]


def run_and_compare(
    place: Place, costs: Costs, *, workers: int, threads: int, units: int, positions: int
) -> RealRun:
    """Let real workers do a job, and calculate what the costs predict for it."""
    clear(place.database)
    with Fleet(place.database_url, place.broker_url, workers=workers, threads=threads) as fleet:
        fleet.await_registered(place.database)
        number = (units + units // WARM_UP_SHARE) * positions
        games = different_games(random.Random(3), STONES, number)  # noqa: S311
        _await_job(place, fleet, _submit(place, games[units * positions :], positions))
        with place.database.write() as session:
            session.execute(text("ANALYZE"))  # the server itself does so about once a minute
        job_id = _submit(place, games[: units * positions], positions)
        before = _used(place, fleet)
        with _load(ours=workers * threads) as loads:
            _await_job(place, fleet, job_id)
        after = _used(place, fleet)
    found = _units_of(place, job_id)
    first, last = round(EDGE * units), round((1 - EDGE) * units)
    search = found.seconds[first:last]
    elapsed = found.finished_at[last - 1] - found.finished_at[first - 1]
    service = Service(workers, threads, statistics.fmean(search), positions)
    return RealRun(
        workers=workers,
        threads=threads,
        units=units,
        positions=positions,
        unit_seconds=service.unit_seconds,
        load=statistics.fmean(loads),
        units_per_second=len(search) / elapsed,
        real=Taken(*((end - begin) / units for begin, end in zip(before, after, strict=True))),
        foreseen=_predict(costs, service, (found.finished_at[-1] - found.finished_at[0]) / units),
    )


def _predict(costs: Costs, service: Service, unit_time: float) -> Taken:
    """The processor time of a unit that the measured costs predict."""
    asked = demands(costs, service)
    planned = costs.unit.plan.of(service.unit_positions)  # before the measurement began
    sweep = costs.shared.sweep * unit_time

    def of(demand: Demand) -> float:
        return demand.with_search(service) + demand.worker * service.workers * unit_time

    return Taken(
        worker=of(asked.python) + service.unit_seconds + sweep.client,
        database=of(asked.database) - planned.server + sweep.server,
        broker=of(asked.broker),
    )


def _used(place: Place, fleet: Fleet) -> tuple[float, float, float]:
    """The processor seconds of the workers, the database's server and the broker so far."""
    return processes(fleet.pids).running, place.meter().running, place.redis.meter().running


@contextmanager
def _load(ours: int) -> Iterator[list[float]]:
    """Record now and then how many other processes are ready to run, for each processor."""
    seen: list[float] = [0.0]
    over = threading.Event()

    def sample() -> None:
        while not over.wait(POLL_SECONDS):
            ready = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
            seen.append(max(0, ready - 1 - ours) / (os.cpu_count() or 1))

    sampling = threading.Thread(target=sample, daemon=True)
    sampling.start()
    try:
        yield seen
    finally:
        over.set()
        sampling.join()


def _await_job(place: Place, fleet: Fleet, job_id: int) -> None:
    top_up(place.database, place.doorbell, Lane.BULK)

    def is_over() -> bool:
        threading.Event().wait(POLL_SECONDS)  # each query is work for the server
        with place.database.read() as session:
            return jobs.get_job(session, job_id).state is not JobState.RUNNING

    fleet.wait(is_over, JOB_SECONDS)


def _submit(place: Place, games: list[Game], positions: int) -> int:
    lines = "".join(f"{game.moves}\n" for game in games)
    return analysis.submit(
        place.database,
        read_lines(io.BytesIO(lines.encode()), board=DEFAULT_BOARD),
        board=DEFAULT_BOARD,
        question=Question(columns=False),
        unit_lines=positions,
    ).job_id


def _units_of(place: Place, job_id: int) -> _Units:
    query = (
        select(Unit.seconds, Unit.finished_at)
        .where(Unit.job_id == job_id)
        .order_by(Unit.finished_at)
    )
    with place.database.read() as session:
        rows = session.execute(query).all()
    return _Units([row.seconds for row in rows], [row.finished_at for row in rows])
