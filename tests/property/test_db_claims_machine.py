"""The claim and lease machine against a model that keeps every unit in a few Python fields."""

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

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.evaluations import EvaluationFilter, count
from db.jobs import (
    MAX_ATTEMPTS,
    Claim,
    JobState,
    UnitState,
    cancel_job,
    claim,
    complete,
    fail,
    finish_if_complete,
    get_job,
    heartbeat,
    release,
    resume_job,
    retry_job,
    unit_results,
)
from tests.support.databases import BOARD, FakeClock, clear, make_job, row

LEASE = 10.0
UNITS = 3


@dataclass
class ModelUnit:
    """What should be known about a unit."""

    seq: int
    state: UnitState = UnitState.QUEUED
    fence: int = 0
    attempts: int = 0
    lease_until: float = 0.0


@dataclass
class Model:
    """What should be known about a job."""

    state: JobState = JobState.RUNNING
    units: list[ModelUnit] = field(default_factory=lambda: [ModelUnit(seq) for seq in range(UNITS)])

    def lapsed(self, now: float) -> list[ModelUnit]:
        """Units whose lease has run out, the longest first."""
        late = [
            unit for unit in self.units if unit.state is UnitState.LEASED and unit.lease_until < now
        ]
        return sorted(late, key=lambda unit: unit.lease_until)

    def close(self) -> None:
        """End the job if nothing is left to do."""
        states = {unit.state for unit in self.units}
        if self.state is JobState.RUNNING and not states & {UnitState.QUEUED, UnitState.LEASED}:
            self.state = JobState.FAILED if UnitState.FAILED in states else JobState.DONE

    def holder(self, claim: Claim) -> ModelUnit | None:
        """The unit, if the claim still holds it."""
        unit = self.units[claim.seq]
        holds = unit.state is UnitState.LEASED and unit.fence == claim.fence
        return unit if holds else None


class ClaimMachine(RuleBasedStateMachine):
    """Workers that claim, work, fall silent and come back; an owner who steers."""

    claims: Bundle[Claim] = Bundle("claims")

    def __init__(self, database: Database, clock: FakeClock) -> None:
        super().__init__()
        clear(database)
        self.database = database
        self.clock = clock
        self.model = Model()
        self.completed: set[int] = set()
        self.job_id = 0

    @initialize()
    def plan(self) -> None:
        self.job_id = make_job(self.database, UNITS)

    @rule(target=claims)
    def claim(self) -> Claim:
        with self.database.write() as session:
            taken = claim(session, owner="w", lease_seconds=LEASE, engine_version=ENGINE_VERSION)
        expected = self._claim_in_model()
        if expected is None:
            assert taken is None
            return NO_CLAIM
        assert taken is not None
        assert taken.seq == expected.seq
        assert (taken.fence, taken.attempts) == (expected.fence, expected.attempts)
        assert taken.attempts <= MAX_ATTEMPTS
        return taken

    def _claim_in_model(self) -> ModelUnit | None:
        if self.model.state is not JobState.RUNNING:
            return None
        for unit in self.model.lapsed(self.clock.time):
            if unit.attempts >= MAX_ATTEMPTS:
                unit.state = UnitState.FAILED
        self.model.close()
        waiting = [unit for unit in self.model.units if unit.state is UnitState.QUEUED]
        candidates = self.model.lapsed(self.clock.time) + waiting
        if not candidates:
            return None
        unit = candidates[0]
        unit.state = UnitState.LEASED
        unit.fence += 1
        unit.attempts += 1
        unit.lease_until = self.clock.time + LEASE
        return unit

    @rule(held=claims)
    def heartbeat(self, held: Claim) -> None:
        unit = self.model.holder(held)
        with self.database.write() as session:
            assert heartbeat(session, held, LEASE) == (unit is not None)
        if unit is not None:
            unit.lease_until = self.clock.time + LEASE

    @rule(held=claims)
    def complete(self, held: Claim) -> None:
        unit = self.model.holder(held)
        with self.database.write() as session:
            done = complete(
                session,
                held,
                evaluations=[row(held.seq)],
                result={"fence": held.fence},
                nodes=1,
                seconds=0.0,
            )
        assert done == (unit is not None)
        if unit is not None:
            unit.state = UnitState.DONE
            self.completed.add(held.seq)
            self._close()

    @rule(held=claims)
    def fail(self, held: Claim) -> None:
        unit = self.model.holder(held)
        if unit is not None:
            exhausted = unit.attempts >= MAX_ATTEMPTS
            unit.state = UnitState.FAILED if exhausted else UnitState.QUEUED
        with self.database.write() as session:
            assert fail(session, held, "no") == (None if unit is None else unit.state)
        self._close()

    @rule(held=claims)
    def release(self, held: Claim) -> None:
        unit = self.model.holder(held)
        with self.database.write() as session:
            assert release(session, held) == (unit is not None)
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
        with self.database.write() as session:
            assert cancel_job(session, self.job_id) is JobState.CANCELLED
        self.model.state = JobState.CANCELLED
        for unit in self.model.units:
            if unit.state in {UnitState.QUEUED, UnitState.LEASED}:
                unit.state = UnitState.CANCELLED

    @rule()
    def resume(self) -> None:
        if self.model.state in {JobState.RUNNING, JobState.CANCELLED}:
            for unit in self.model.units:
                if unit.state is UnitState.CANCELLED or unit in self.model.lapsed(self.clock.time):
                    unit.state, unit.attempts = UnitState.QUEUED, 0
            self.model.state = JobState.RUNNING
            self.model.close()
        with self.database.write() as session:
            assert resume_job(session, self.job_id) is self.model.state

    @rule()
    def retry(self) -> None:
        if self.model.state is JobState.CANCELLED:
            return
        failed = [unit for unit in self.model.units if unit.state is UnitState.FAILED]
        with self.database.write() as session:
            assert retry_job(session, self.job_id) == len(failed)
        for unit in failed:
            unit.state, unit.attempts = UnitState.QUEUED, 0
            self.model.state = JobState.RUNNING

    def _close(self) -> None:
        self.model.close()
        with self.database.write() as session:
            assert finish_if_complete(session, self.job_id) is self.model.state

    @invariant()
    def the_database_agrees(self) -> None:
        if not self.job_id:
            return
        with self.database.read() as session:
            job = get_job(session, self.job_id)
            units = unit_results(session, self.job_id)
            stored = count(session, EvaluationFilter(board=BOARD))
        assert job.state is self.model.state
        assert [unit.state for unit in units] == [unit.state for unit in self.model.units]
        # Results are there if and only if their unit was completed, once.
        assert stored == len(self.completed)
        for unit, modelled in zip(units, self.model.units, strict=True):
            fence = {"fence": modelled.fence} if unit.state is UnitState.DONE else None
            assert unit.result == fence


# A claim that was never handed out: whatever is done with it must change nothing.
NO_CLAIM = Claim(
    unit_id=-1,
    job_id=-1,
    kind="test",
    seq=0,
    fence=-1,
    attempts=1,
    payload={},
    params={},
    board=BOARD,
    positions=1,
    lease_seconds=LEASE,
    owner="nobody",
)


def test_claims_follow_the_model(rows_url: str) -> None:
    clock = FakeClock()
    with Database.open(rows_url, clock=clock) as database:
        run_state_machine_as_test(
            lambda: ClaimMachine(database, clock),
            settings=settings(max_examples=40, stateful_step_count=30, deadline=None),
        )
