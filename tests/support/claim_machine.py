"""The claim and lease machine against a model of its rules, in a few Python fields."""

from dataclasses import dataclass, field

from hypothesis import settings, strategies as st
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
from db.database import Database
from db.evaluations import count
from db.jobs import control, queue, watching
from db.models import Unit
from db.records.evaluations import EvaluationFilter
from db.records.jobs import MAX_ATTEMPTS, MAX_LOST_ATTEMPTS, Claim, JobState, UnitState
from tests.support.running.databases import BOARD, FakeClock, clear, do, make_job, row

LEASE = 10.0
UNITS = 3
ELIGIBLE = queue.Eligible(ENGINE_VERSION)
CLAIMER = {"owner": "w", "lease_seconds": LEASE}

OPEN = {UnitState.QUEUED, UnitState.LEASED}


@dataclass
class ModelUnit:
    """The expected state of a unit."""

    seq: int
    state: UnitState = UnitState.QUEUED
    fence: int = 0
    attempts: int = 0
    lease_until: float = 0.0

    def lease(self, until: float) -> None:
        """Lease the unit to a claimer."""
        self.state = UnitState.LEASED
        self.fence += 1
        self.attempts += 1
        self.lease_until = until

    def come_back(self, limit: int) -> None:
        """End an attempt without success; fail the unit if it has had this many."""
        self.state = UnitState.FAILED if self.attempts >= limit else UnitState.QUEUED

    def begin_anew(self) -> None:
        """Queue it as if it had just been planned."""
        self.state = UnitState.QUEUED
        self.attempts = 0


@dataclass
class Model:
    """The expected state of a job."""

    units: list[ModelUnit]
    state: JobState = field(default=JobState.RUNNING)

    def expired(self, now: float) -> list[ModelUnit]:
        """Units whose lease has expired, earliest first."""
        late = [
            unit for unit in self.units if unit.state is UnitState.LEASED and unit.lease_until < now
        ]
        return sorted(late, key=lambda unit: (unit.lease_until, unit.seq))

    def claim(self, now: float, lease: float) -> ModelUnit | None:
        """Lease the next unit."""
        queued = [unit for unit in self.units if unit.state is UnitState.QUEUED]
        if self.state is not JobState.RUNNING or not queued:
            return None
        queued[0].lease(now + lease)
        return queued[0]

    def requeue_expired(self, now: float, limit: int) -> int:
        """End the attempts of lost workers; return how many."""
        if self.state is not JobState.RUNNING:
            return 0
        late = self.expired(now)[:limit]
        for unit in late:
            unit.come_back(MAX_LOST_ATTEMPTS)
        return len(late)

    def resume(self, now: float) -> None:
        """Resume the job, unless it is done."""
        if self.state is JobState.DONE:
            return
        late = self.expired(now)
        for unit in self.units:
            if unit.state in {UnitState.CANCELLED, UnitState.FAILED} or unit in late:
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
        self.job_id = 0
        self.unit_ids: list[int] = []

    @initialize()
    def plan(self) -> None:
        self.job_id = make_job(self.database, UNITS)
        with self.database.read() as session:
            self.unit_ids = list(session.scalars(select(Unit.id).order_by(Unit.seq)))

    @rule(target=claims)
    def claim(self) -> Claim:
        taken = do(self.database, queue.claim, ELIGIBLE, **CLAIMER)
        return self._as_expected(taken, self.model.claim(self.clock.time, LEASE))

    @rule()
    def claim_with_another_engine(self) -> None:
        other = queue.Eligible(ENGINE_VERSION + 1)
        assert do(self.database, queue.claim, other, **CLAIMER) is None

    def _as_expected(self, taken: Claim | None, expected: ModelUnit | None) -> Claim:
        if expected is None:
            assert taken is None
            return NO_CLAIM
        assert taken is not None
        assert taken.unit_id == self.unit_ids[expected.seq]
        assert (taken.seq, taken.payload) == (expected.seq, {"number": expected.seq})
        assert (taken.fence, taken.attempts) == (expected.fence, expected.attempts)
        return taken

    @rule(limit=st.integers(1, UNITS))
    def requeue_expired(self, limit: int) -> None:
        expected = self.model.requeue_expired(self.clock.time, limit)
        assert do(self.database, queue.requeue_expired, limit=limit) == expected
        self._close()

    @rule(times=st.integers(1, MAX_LOST_ATTEMPTS))
    def fall_silent(self, times: int) -> None:
        """Let several workers in turn claim a unit and fall silent."""
        for _ in range(times):
            self.claim()
            self.clock.time += LEASE + 1
            self.requeue_expired(UNITS)

    @rule(held=st.lists(claims, min_size=1, max_size=3, unique_by=lambda one: (one.seq, one.fence)))
    def prolong(self, held: list[Claim]) -> None:
        units = [self.model.holder(one) for one in held]
        assert do(self.database, queue.prolong, held, LEASE) == [unit is not None for unit in units]
        for unit in units:
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
        return do(self.database, queue.complete, held, nodes=1, seconds=0.0, **outcome)

    @rule(held=claims)
    def fail(self, held: Claim) -> None:
        unit = self.model.holder(held)
        if unit is not None:
            unit.come_back(MAX_ATTEMPTS)
        assert do(self.database, queue.fail, held, "no") == (None if unit is None else unit.state)
        self._close()

    @rule(held=claims)
    def release(self, held: Claim) -> None:
        unit = self.model.holder(held)
        assert do(self.database, queue.release, held) == (unit is not None)
        if unit is not None:
            unit.state = UnitState.QUEUED
            unit.attempts -= 1

    @rule(seconds=st.sampled_from([1.0, LEASE, LEASE + 1.0]))
    def wait(self, seconds: float) -> None:
        self.clock.time += seconds

    @rule()
    def cancel(self) -> None:
        if self.model.state not in {JobState.RUNNING, JobState.CANCELLED}:
            return
        assert do(self.database, control.cancel_job, self.job_id) is JobState.CANCELLED
        self.model.state = JobState.CANCELLED
        for unit in self.model.units:
            if unit.state in {UnitState.QUEUED, UnitState.LEASED}:
                unit.state = UnitState.CANCELLED

    @rule()
    def resume(self) -> None:
        self.model.resume(self.clock.time)
        assert do(self.database, control.resume_job, self.job_id) is self.model.state

    def _close(self) -> None:
        self.model.close()
        assert do(self.database, control.finish_if_complete, self.job_id) is self.model.state

    @invariant()
    def the_database_agrees(self) -> None:
        if not self.job_id:
            return
        with self.database.read() as session:
            job = watching.get_job(session, self.job_id)
            results = watching.unit_results(session, self.job_id)
            stored = count(session, EvaluationFilter(board=BOARD))
            names = ("seq", "state", "fence", "attempts", "owner")
            columns = (getattr(Unit, name) for name in names)
            units = session.execute(select(*columns).order_by(Unit.seq)).all()
        assert job.state is self.model.state
        # No unit is lost, and none exists twice.
        assert [unit[:-1] for unit in units] == [
            (each.seq, each.state, each.fence, each.attempts) for each in self.model.units
        ]
        for unit in units:
            assert 0 <= unit.attempts <= MAX_LOST_ATTEMPTS
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
        self.clock.time += LEASE + 1
        self.requeue_expired(UNITS)
        while taken := do(self.database, queue.claim, ELIGIBLE, **CLAIMER):
            assert self._complete(taken, evaluations=[], result=None)
        with self.database.write() as session:
            ended = control.finish_if_complete(session, self.job_id)
            assert ended in {JobState.DONE, JobState.FAILED}
            done = watching.get_job(session, self.job_id).units[UnitState.DONE]
        assert done >= len(self.completed)


# A claim that was never granted: using it must change nothing.
NO_CLAIM = Claim(
    **dict.fromkeys(("unit_id", "job_id", "fence"), -1),
    **dict.fromkeys(("seq", "priority"), 0),
    **dict.fromkeys(("attempts", "positions"), 1),
    kind="test",
    payload={},
    params={},
    board=BOARD,
)


def run_claim_machine(url: str, *, examples: int) -> None:
    """Run random sequences of actions generated by Hypothesis."""
    clock = FakeClock()
    with Database.open(url, clock=clock) as database:
        run_state_machine_as_test(
            lambda: ClaimMachine(database, clock),
            settings=settings(max_examples=examples, stateful_step_count=30, deadline=None),
        )
