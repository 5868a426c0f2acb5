"""The claim and lease machine against a model of its rules, in a few Python fields."""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.evaluations import count
from db.models import Unit
from db.records.evaluations import EvaluationFilter
from db.records.jobs import MAX_ATTEMPTS, MAX_LAPSES, Claim, JobState, UnitState
from tests.support.running.databases import BOARD, FakeClock, clear, do, make_job, row

LEASE = 10.0
UNITS = 3
CLAIMER = {"owner": "w", "lease_seconds": LEASE, "engine_version": ENGINE_VERSION}


OPEN = {UnitState.QUEUED, UnitState.LEASED}


@dataclass
class ModelUnit:
    """The expected state of a unit."""

    seq: int
    state: UnitState = UnitState.QUEUED
    fence: int = 0
    attempts: int = 0
    lapses: int = 0
    announced_at: float = 0.0
    lease_until: float = 0.0

    def lease(self, until: float) -> None:
        """Lease the unit to a claimer, counting the previous claim as lapsed if it fell silent."""
        if self.state is UnitState.LEASED:
            self.lapse()
        self.state = UnitState.LEASED
        self.fence += 1
        self.attempts += 1
        self.lease_until = until

    def lapse(self) -> None:
        """Count an expired lease instead of the attempt."""
        self.attempts -= 1
        self.lapses += 1
        exhausted = self.lapses >= MAX_LAPSES
        self.state = UnitState.FAILED if exhausted else UnitState.QUEUED

    def come_back(self) -> None:
        """Queue it again, before all others."""
        self.state = UnitState.QUEUED
        self.announced_at = -1.0

    def begin_anew(self) -> None:
        """Queue it as if it had just been planned."""
        self.state = UnitState.QUEUED
        self.attempts = self.lapses = 0
        self.announced_at = 0.0


def in_turn(unit: ModelUnit) -> tuple[float, int]:
    return unit.announced_at, unit.seq


@dataclass
class Model:
    """The expected state of a job."""

    units: list[ModelUnit]
    state: JobState = field(default=JobState.RUNNING)

    def lapsed(self, now: float) -> list[ModelUnit]:
        """Units whose lease has expired, earliest first."""
        late = [
            unit for unit in self.units if unit.state is UnitState.LEASED and unit.lease_until < now
        ]
        return sorted(late, key=lambda unit: (unit.lease_until, unit.seq))

    @staticmethod
    def exhaust(late: list[ModelUnit]) -> None:
        """Fail the units that have lapsed too often."""
        for unit in late:
            if unit.lapses + 1 >= MAX_LAPSES:
                unit.lapse()

    def claim(self, now: float, lease: float) -> ModelUnit | None:
        """Lease the next unit."""
        if self.state is not JobState.RUNNING:
            return None
        self.exhaust(self.lapsed(now))
        self.close()
        waiting = [unit for unit in self.units if unit.state is UnitState.QUEUED]
        candidates = self.lapsed(now) + sorted(waiting, key=in_turn)
        if not candidates:
            return None
        candidates[0].lease(now + lease)
        return candidates[0]

    def claim_unit(self, seq: int, now: float, lease: float) -> ModelUnit | None:
        unit = self.units[seq]
        may_lapse = unit in self.lapsed(now) and unit.lapses + 1 < MAX_LAPSES
        if self.state is not JobState.RUNNING or not (unit.state is UnitState.QUEUED or may_lapse):
            return None
        unit.lease(now + lease)
        return unit

    def claim_next_piece(self, now: float, lease: float) -> ModelUnit | None:
        """Lease the unit that the planner of a growing job has put first."""
        waiting = [unit for unit in self.units if unit.state is UnitState.QUEUED]
        if self.state is not JobState.RUNNING or not waiting:
            return None
        first = min(waiting, key=lambda unit: (unit.announced_at <= 0, *in_turn(unit)))
        first.lease(now + lease)
        return first

    def announce(self, now: float, limit: int) -> list[int]:
        """The units that are announced next."""
        if self.state is not JobState.RUNNING:
            return []
        may_be = [
            unit
            for unit in self.units
            if unit.state is UnitState.QUEUED and unit.announced_at < now - jobs.REANNOUNCE_SECONDS
        ]
        chosen = sorted(may_be, key=in_turn)[:limit]
        for unit in chosen:
            unit.announced_at = now
        return [unit.seq for unit in chosen]

    def requeue_lapsed(self, now: float, limit: int) -> int:
        """Queue lapsed units again; return how many."""
        if self.state is not JobState.RUNNING:
            return 0
        looked_at = self.lapsed(now)[:limit]
        # If one of these units is exhausted, all exhausted units of the job fail.
        if any(unit.lapses + 1 >= MAX_LAPSES for unit in looked_at):
            self.exhaust(self.lapsed(now))
        requeued = [unit for unit in looked_at if unit.state is UnitState.LEASED]
        for unit in requeued:
            unit.lapse()
            unit.come_back()
        self.close()
        return len(requeued)

    def fail(self, unit: ModelUnit) -> None:
        """End an attempt with an error."""
        exhausted = unit.attempts >= MAX_ATTEMPTS
        unit.come_back()
        if exhausted:
            unit.state = UnitState.FAILED

    def resume(self, now: float) -> None:
        """Resume the job, unless it has ended."""
        if self.state not in {JobState.RUNNING, JobState.CANCELLED}:
            return
        late = self.lapsed(now)
        for unit in self.units:
            if unit.state is UnitState.CANCELLED or unit in late:
                unit.begin_anew()
        self.state = JobState.RUNNING
        self.close()

    def close(self) -> None:
        """End the job if nothing is left to do."""
        states = {unit.state for unit in self.units}
        if self.state is JobState.RUNNING and not states & OPEN:
            self.state = JobState.FAILED if UnitState.FAILED in states else JobState.DONE

    def holder(self, claim: Claim) -> ModelUnit | None:
        """The unit, if the claim still holds it."""
        unit = self.units[claim.seq]
        holds = unit.state is UnitState.LEASED and unit.fence == claim.fence
        return unit if holds else None


class ClaimMachine(RuleBasedStateMachine):
    """Workers that claim, work, fall silent and return; a sweeper; and the owner of the job."""

    claims: Bundle[Claim] = Bundle("claims")

    def __init__(self, database: Database, clock: FakeClock) -> None:
        super().__init__()
        clear(database)
        self.database = database
        self.clock = clock
        self.model = Model([ModelUnit(seq) for seq in range(UNITS)])
        self.completed: set[int] = set()
        # Announcement times of units that were not claimed or queued again since.
        self.rung: dict[int, float] = {}
        self.job_id = 0
        self.unit_ids: list[int] = []

    @initialize()
    def plan(self) -> None:
        self.job_id = make_job(self.database, UNITS)
        with self.database.read() as session:
            self.unit_ids = list(session.scalars(select(Unit.id).order_by(Unit.seq)))

    @rule(target=claims)
    def claim(self) -> Claim:
        taken = do(self.database, jobs.claim, **CLAIMER)
        return self._as_expected(taken, self.model.claim(self.clock.time, LEASE))

    @rule(target=claims, seq=st.integers(0, UNITS - 1))
    def claim_unit(self, seq: int) -> Claim:
        taken = do(self.database, jobs.claim_unit, self.unit_ids[seq], **CLAIMER)
        return self._as_expected(taken, self.model.claim_unit(seq, self.clock.time, LEASE))

    @rule(target=claims)
    def claim_next_piece(self) -> Claim:
        taken = do(self.database, jobs.claim_next_piece, self.job_id, **CLAIMER)
        return self._as_expected(taken, self.model.claim_next_piece(self.clock.time, LEASE))

    @rule(seq=st.integers(0, UNITS - 1))
    def claim_with_another_engine(self, seq: int) -> None:
        other = CLAIMER | {"engine_version": ENGINE_VERSION + 1}
        assert do(self.database, jobs.claim_next_piece, self.job_id, **other) is None
        assert do(self.database, jobs.claim_unit, self.unit_ids[seq], **other) is None

    def _as_expected(self, taken: Claim | None, expected: ModelUnit | None) -> Claim:
        if expected is None:
            assert taken is None
            return NO_CLAIM
        assert taken is not None
        assert taken.unit_id == self.unit_ids[expected.seq]
        assert (taken.seq, taken.payload) == (expected.seq, {"number": expected.seq})
        assert (taken.fence, taken.attempts) == (expected.fence, expected.attempts)
        self.rung.pop(taken.seq, None)
        return taken

    @rule(
        limit=st.integers(0, UNITS + 1),
        later=st.sampled_from([0.0, 1.0, jobs.REANNOUNCE_SECONDS, jobs.REANNOUNCE_SECONDS + 1.0]),
    )
    def announce(self, limit: int, later: float) -> None:
        self.clock.time += later
        chosen = self._announce(limit)
        assert chosen == self.model.announce(self.clock.time, limit)

    @rule(limit=st.integers(1, UNITS))
    def announce_to_others(self, limit: int) -> None:
        for version, interactive in ((ENGINE_VERSION + 1, False), (ENGINE_VERSION, True)):
            options = {"engine_version": version, "interactive": interactive, "limit": limit}
            assert do(self.database, jobs.announce, **options) == []

    def _announce(self, limit: int) -> list[int]:
        options = {"engine_version": ENGINE_VERSION, "interactive": False, "limit": limit}
        chosen = do(self.database, jobs.announce, **options)
        seqs = [self.unit_ids.index(unit_id) for unit_id in chosen]
        for seq in seqs:
            assert self.clock.time - self.rung.get(seq, 0.0) > jobs.REANNOUNCE_SECONDS
            self.rung[seq] = self.clock.time
        return seqs

    @rule(limit=st.integers(1, UNITS))
    def requeue_lapsed(self, limit: int) -> None:
        expected = self.model.requeue_lapsed(self.clock.time, limit)
        assert do(self.database, jobs.requeue_lapsed, limit=limit) == expected

    @rule(times=st.integers(1, MAX_LAPSES))
    def fall_silent(self, times: int) -> None:
        """Let several workers in turn claim a unit and fall silent."""
        for _ in range(times):
            self.claim()
            self.clock.time += LEASE + 1

    @rule(held=claims)
    def heartbeat(self, held: Claim) -> None:
        unit = self.model.holder(held)
        assert do(self.database, jobs.heartbeat, held, LEASE) == (unit is not None)
        if unit is not None:
            unit.lease_until = self.clock.time + LEASE

    @rule(held=claims)
    def complete(self, held: Claim) -> None:
        unit = self.model.holder(held)
        done = self._complete(held, evaluations=[row(held.seq)], result={"fence": held.fence})
        assert done == (unit is not None)
        if unit is not None:
            unit.state = UnitState.DONE
            self.completed.add(held.seq)
            self._close()

    def _complete(self, held: Claim, **outcome: object) -> bool:
        return do(self.database, jobs.complete, held, nodes=1, seconds=0.0, **outcome)

    @rule(held=claims)
    def fail(self, held: Claim) -> None:
        unit = self.model.holder(held)
        if unit is not None:
            self.model.fail(unit)
        assert do(self.database, jobs.fail, held, "no") == (None if unit is None else unit.state)
        self._close()

    @rule(held=claims)
    def release(self, held: Claim) -> None:
        unit = self.model.holder(held)
        assert do(self.database, jobs.release, held) == (unit is not None)
        if unit is not None:
            unit.come_back()
            unit.attempts -= 1

    @rule(seconds=st.sampled_from([1.0, jobs.REANNOUNCE_SECONDS + 1.0, LEASE, LEASE + 1.0]))
    def wait(self, seconds: float) -> None:
        self.clock.time += seconds

    @rule()
    def cancel(self) -> None:
        if self.model.state not in {JobState.RUNNING, JobState.CANCELLED}:
            return
        assert do(self.database, jobs.cancel_job, self.job_id) is JobState.CANCELLED
        self.model.state = JobState.CANCELLED
        for unit in self.model.units:
            if unit.state in {UnitState.QUEUED, UnitState.LEASED}:
                unit.state = UnitState.CANCELLED

    @rule()
    def resume(self) -> None:
        self.model.resume(self.clock.time)
        self.rung.clear()
        assert do(self.database, jobs.resume_job, self.job_id) is self.model.state

    @rule()
    def retry(self) -> None:
        if self.model.state is JobState.CANCELLED:
            return
        failed = [unit for unit in self.model.units if unit.state is UnitState.FAILED]
        assert do(self.database, jobs.retry_job, self.job_id) == len(failed)
        for unit in failed:
            unit.begin_anew()
            self.rung.pop(unit.seq, None)
            self.model.state = JobState.RUNNING

    def _close(self) -> None:
        self.model.close()
        assert do(self.database, jobs.finish_if_complete, self.job_id) is self.model.state

    @invariant()
    def the_database_agrees(self) -> None:
        if not self.job_id:
            return
        with self.database.read() as session:
            job = jobs.get_job(session, self.job_id)
            results = jobs.unit_results(session, self.job_id)
            stored = count(session, EvaluationFilter(board=BOARD))
            names = ("seq", "state", "fence", "attempts", "lapses", "announced_at", "owner")
            columns = (getattr(Unit, name) for name in names)
            units = session.execute(select(*columns).order_by(Unit.seq)).all()
        assert job.state is self.model.state
        # No unit is lost, and none exists twice.
        assert [unit[:-1] for unit in units] == [
            (each.seq, each.state, each.fence, each.attempts, each.lapses, each.announced_at)
            for each in self.model.units
        ]
        for unit in units:
            assert 0 <= unit.attempts <= MAX_ATTEMPTS
            assert 0 <= unit.lapses <= MAX_LAPSES
            assert (unit.owner is None) == (unit.state is not UnitState.LEASED)
        # A result exists if and only if its unit was completed, once, by the newest claim.
        assert stored == len(self.completed)
        for result, modelled in zip(results, self.model.units, strict=True):
            fence = {"fence": modelled.fence} if result.state is UnitState.DONE else None
            assert result.result == fence

    def teardown(self) -> None:
        """The workers can complete the job after any sequence of actions."""
        if not self.job_id:
            return
        self.resume()
        for _ in range(UNITS):
            self.clock.time += LEASE + 1
            self.requeue_lapsed(UNITS)
            for seq in self._announce(UNITS):
                taken = do(self.database, jobs.claim_unit, self.unit_ids[seq], **CLAIMER)
                assert taken is not None
                assert self._complete(taken, evaluations=[], result=None)
        with self.database.write() as session:
            ended = jobs.finish_if_complete(session, self.job_id)
            assert ended in {JobState.DONE, JobState.FAILED}
            done = jobs.get_job(session, self.job_id).units[UnitState.DONE]
        assert done >= len(self.completed)


# A claim that was never granted: using it must change nothing.
NO_CLAIM = Claim(
    **dict.fromkeys(("unit_id", "job_id", "fence"), -1),
    **dict.fromkeys(("seq", "priority"), 0),
    **dict.fromkeys(("attempts", "positions"), 1),
    **CLAIMER | {"kind": "test", "payload": {}, "params": {}, "board": BOARD},
)


def run_claim_machine(url: str, *, examples: int) -> None:
    """Run random sequences of actions generated by Hypothesis."""
    clock = FakeClock()
    with Database.open(url, clock=clock) as database:
        run_state_machine_as_test(
            lambda: ClaimMachine(database, clock),
            settings=settings(max_examples=examples, stateful_step_count=30, deadline=None),
        )
