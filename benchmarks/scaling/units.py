"""Measure the cost of a unit without its search, on a real PostgreSQL.

The measurement calls the program's own functions in the order in which a worker does: a job is
planned, and its units are announced, claimed by number, solved and completed. Units with few and
with many positions are measured, to draw a line through both costs. There are two kinds of jobs:
batches of lines, and plies of books.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from sqlalchemy import func, make_url, select, text

from benchmarks.games import random_games
from benchmarks.processes import clear
from benchmarks.scaling.limits import Cost, Sizes, UnitCost, UnitCosts
from benchmarks.scaling.meters import MeterError, RoundTrips, Took, measure_cost, median
from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.maintenance import stats
from db.records.jobs import UnitPlan
from workers.analyze import job as analysis
from workers.analyze.job import KIND as ANALYZE
from workers.book.job import KIND as BOOK, PlyTask, encode_keys
from workers.core.kinds import get_kind
from workers.core.submit import UNITS_PER_TRANSACTION

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from benchmarks.scaling.meters import Meter
    from db.records.jobs import Claim
    from workers.book.job import Keys
    from workers.core.kinds import UnitOutcome

STONES: Final = DEFAULT_BOARD.cells - 8
"""Number of stones on the boards: the search of such a position takes a microsecond."""
FEW: Final = 10
"""Number of positions in a small unit."""

MANY: Final = 500
"""Number of positions in a large unit."""

UNITS: Final = {FEW: 60, MANY: 12}
"""Number of units in a round."""

LEASE_SECONDS: Final = 600.0
"""Duration of the leases, long enough for the whole measurement."""

PHASES: Final = ("plan", "claim", "solve", "complete")

_LOG: Final = select(func.pg_wal_lsn_diff(func.pg_current_wal_lsn(), text("'0/0'")))


Submit = Callable[[Database], object]
"""Plans a job in a database and starts it."""


class Kind(Protocol):
    """A kind of job."""

    name: str

    def prepare(self, units: int, positions: int) -> Submit:
        """Prepare a job with this many units of this many positions; this is not measured."""


class Batch:
    """Batches of lines, planned as ``c4 analyze`` does."""

    name = ANALYZE

    def __init__(self) -> None:
        self._games = random_games(random.Random(1), STONES)  # noqa: S311

    def prepare(self, units: int, positions: int) -> Submit:
        """Prepare lines of random games."""
        games = islice(self._games, units * positions)
        lines = "".join(f"{game.moves}\n" for game in games).encode()
        return lambda database: analysis.submit(
            database,
            read_lines(io.BytesIO(lines), board=DEFAULT_BOARD),
            board=DEFAULT_BOARD,
            unit_lines=positions,
        )


class BookPly:
    """Units of a ply of a book, planned as ``c4 book build`` does."""

    name = BOOK

    def __init__(self) -> None:
        self._games = random_games(random.Random(1), STONES)  # noqa: S311

    def prepare(self, units: int, positions: int) -> Submit:
        """Prepare keys of random positions."""
        prepared = []
        for _ in range(units):
            games = islice(self._games, positions)
            keys = np.array([game.position.canonical_key for game in games], dtype=np.uint64)
            prepared.append(np.unique(keys))
        return partial(self._submit, prepared)

    def _submit(self, prepared: list[Keys], database: Database) -> None:
        task = PlyTask(Position(), STONES)
        job_id = database.run(
            lambda session: jobs.create_job(
                session,
                kind=self.name,
                board=task.board,
                params=task.as_params(),
                engine_version=ENGINE_VERSION,
            )
        )
        plans = (UnitPlan(encode_keys(keys), len(keys), 1.0) for keys in prepared)
        while some := list(islice(plans, UNITS_PER_TRANSACTION)):
            database.run(partial(jobs.add_units, job_id=job_id, plans=some))
        database.run(lambda session: jobs.start_job(session, job_id))


class UnitBench:
    """Plans, claims, solves and completes units, and measures each."""

    def __init__(self, kind: Kind, database: Database, meter: Meter) -> None:
        self._kind = kind
        self._database = database
        self._meter = meter
        self._solver = Solver(table_mb=8)

    def measure(self, rounds: int, url: str) -> UnitCosts:
        """Measure the cost of every phase."""
        found = {}
        for positions in (FEW, MANY):
            measured = [self._round(self._database, positions) for _ in range(rounds + 1)]
            # The first round fills the caches of the server, the driver and SQLAlchemy.
            found[positions] = {
                phase: median(cost[phase] for cost in measured[1:]) for phase in PHASES
            }
            clear(self._database)
        trips = self._count_round_trips(url)
        costs = {
            phase: UnitCost.through(found[FEW][phase], found[MANY][phase], at=(FEW, MANY))
            for phase in PHASES
        }
        return UnitCosts(
            **{
                phase: replace(cost, each=replace(cost.each, round_trips=trips.get(phase, 0.0)))
                for phase, cost in costs.items()
            }
        )

    def _count_round_trips(self, url: str) -> dict[str, float]:
        """Count the round trips of every phase except planning, for a unit of many positions."""
        address = make_url(url)
        with RoundTrips(address.host or "127.0.0.1", address.port or 5432) as proxy:
            proxied = address.set(host="127.0.0.1", port=proxy.port)
            self._meter, meter = (lambda: Took(proxy.count, 0.0)), self._meter
            with Database.open(proxied.render_as_string(hide_password=False)) as database:
                self._round(database, MANY)
                found = self._round(database, MANY)
            self._meter = meter
        clear(self._database)
        # The meter counts a round trip as a second. Planning is for many units, so it is left out.
        return {phase: cost.server for phase, cost in found.items() if phase != "plan"}

    def sizes(self) -> Sizes:
        """Measure the bytes that a unit and its positions take."""
        rows, log = {}, {}
        for positions in (FEW, MANY):
            clear(self._database)
            before, logged = self._bytes("units"), self._logged()
            empty = self._bytes("evaluations")
            units = self._work_off(positions)
            rows[positions] = (self._bytes("units") - before) / units
            log[positions] = (self._logged() - logged) / units
        evaluations = (self._bytes("evaluations") - empty) / (units * MANY)
        clear(self._database)
        each = Sizes(evaluation=evaluations)
        for name, found in (("position", rows), ("log_position", log)):
            slope = (found[MANY] - found[FEW]) / (MANY - FEW)
            each = replace(each, **{name: slope})
        return replace(
            each,
            unit=rows[FEW] - FEW * each.position,
            log_unit=log[FEW] - FEW * each.log_position,
        )

    def _round(self, database: Database, positions: int) -> dict[str, Cost]:
        """Measure every phase once, averaged over several units."""
        with database.write() as session:
            # Without this, the server has no statistics of the rows for about a minute.
            session.execute(text("ANALYZE"))
        units = UNITS[positions]
        submit = self._kind.prepare(2 * units, positions)
        plan = self._measure(lambda: submit(database), 1)
        unit_ids = iter(announce(database, units))
        claims: list[Claim] = []
        claim = self._measure(lambda: claims.append(take(database, next(unit_ids))), units)
        to_solve = iter(claims)
        outcomes: list[UnitOutcome] = []
        solve = self._measure(
            lambda: outcomes.append(self._solve(database, next(to_solve))),
            units,
        )
        searched = Cost(client=sum(outcome.seconds for outcome in outcomes) / units)
        work = iter(zip(claims, outcomes, strict=True))
        complete = self._measure(lambda: finish(database, *next(work)), units)
        with database.write() as session:
            jobs.cancel_job(session, claims[0].job_id)
        phases = (plan * (1 / (2 * units)), claim, solve - searched, complete)
        return dict(zip(PHASES, phases, strict=True))

    def _work_off(self, positions: int) -> int:
        """Plan a job and complete all its units; return their number."""
        units = 4 * UNITS[positions]
        self._kind.prepare(units, positions)(self._database)
        for unit_id in announce(self._database, units):
            claim = take(self._database, unit_id)
            finish(self._database, claim, self._solve(self._database, claim))
        return units

    def _solve(self, database: Database, claim: Claim) -> UnitOutcome:
        return get_kind(claim.kind).solve_unit(claim, self._solver, database, lambda: False)

    def _measure(self, work: Callable[[], object], times: int) -> Cost:
        return measure_cost(work, self._meter, times=times)

    def _bytes(self, table: str) -> int:
        return next(
            found.bytes or 0 for found in stats(self._database).tables if found.name == table
        )

    def _logged(self) -> float:
        with self._database.read() as session:
            return float(session.scalar(_LOG) or 0)


def announce(database: Database, units: int) -> list[int]:
    """Announce this many units; return their numbers."""
    return database.run(
        lambda session: jobs.announce(
            session, engine_version=ENGINE_VERSION, interactive=False, limit=units
        )
    )


def take(database: Database, unit_id: int) -> Claim:
    """Claim a unit."""
    claim = database.run(
        lambda session: jobs.claim_unit(
            session,
            unit_id,
            owner="benchmark",
            lease_seconds=LEASE_SECONDS,
            engine_version=ENGINE_VERSION,
        )
    )
    if claim is None:
        raise MeterError("a unit is missing: workers must not share the scratch database")
    return claim


def finish(database: Database, claim: Claim, outcome: UnitOutcome) -> None:
    """Complete a unit and announce the next one, as a worker does."""

    def write(session: Session) -> None:
        jobs.complete(
            session,
            claim,
            evaluations=outcome.evaluations,
            result=outcome.result,
            nodes=outcome.nodes,
            seconds=outcome.seconds,
            costs=outcome.costs,
            columns=outcome.with_columns,
        )
        jobs.announce(session, engine_version=ENGINE_VERSION, interactive=False, limit=1)

    database.run(write)
