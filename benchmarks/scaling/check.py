"""A job that real workers do, held against what the measured costs make of it."""

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

from benchmarks.random_play import random_games
from benchmarks.scaling.costs import RealRun, Taken
from benchmarks.scaling.fleet import Fleet
from benchmarks.scaling.limits import Service, demands
from benchmarks.scaling.meters import processes
from benchmarks.scaling.units import clear
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

    from benchmarks.scaling.costs import Costs
    from benchmarks.scaling.limits import Demand
    from benchmarks.scaling.messages import Place

STONES: Final = 20
"""On the boards: a position takes some tenths of a millisecond."""

EDGE: Final = 0.1
"""The share of the units that does not count at either end of the job: some workers are idle."""

JOB_SECONDS: Final = 600.0

LOOK_SECONDS: Final = 0.1
"""Time between two looks at the job, and at how much else the machine has to do."""

WARM_UP_SHARE: Final = 4
"""A job of this part of the size warms up caches before."""


class _Units(NamedTuple):
    """What the units of a finished job say."""

    seconds: list[float]
    """Search of each, in the order of completion."""
    finished_at: list[float]


def run_and_compare(
    place: Place, costs: Costs, *, workers: int, threads: int, units: int, positions: int
) -> RealRun:
    """Let real workers do a job, then work out what the costs say of it.

    Args:
        place: where.
        costs: as measured.
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
        after = _took(place, fleet)
    found = _look(place, job_id)
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
        foreseen=_foresee(costs, service, (found.finished_at[-1] - found.finished_at[0]) / units),
    )


def _foresee(costs: Costs, service: Service, unit_time: float) -> Taken:
    """What a unit takes by the measured costs.

    Args:
        costs: as measured.
        service: the workers and the units.
        unit_time: seconds of the job for each of its units; duties go on all the time.
    """
    asked = demands(costs, service)
    planned = costs.unit.plan.of(
        service.unit_positions
    )  # the job was planned before the measurement began
    sweep = costs.shared.sweep * unit_time

    def of(demand: Demand) -> float:
        return demand.with_search(service) + demand.worker * service.workers * unit_time

    return Taken(
        worker=of(asked.python) + service.unit_seconds + sweep.client,
        database=of(asked.database) - planned.server + sweep.server,
        broker=of(asked.broker),
    )


def _took(place: Place, fleet: Fleet) -> tuple[float, float, float]:
    """Processor seconds so far of the workers, the database's server and the broker."""
    return processes(fleet.pids).running, place.meter().running, place.redis.meter().running


@contextmanager
def _load(ours: int) -> Iterator[list[float]]:
    """Note now and then how many other processes are ready to run, for each processor."""
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
        threading.Event().wait(LOOK_SECONDS)  # not more often: the server has to answer
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
    found: dict[int, str] = {}
    for game in random_games(random.Random(3), STONES):  # noqa: S311
        if len(found) == number:
            break
        found[game.position.canonical_key] = game.moves
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
