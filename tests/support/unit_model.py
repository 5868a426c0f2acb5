"""The rules of claims and leases as a model of a job's units, in a few Python fields."""

from dataclasses import dataclass, field

from db.jobs import REANNOUNCE_SECONDS
from db.records.jobs import MAX_ATTEMPTS, MAX_LAPSES, Claim, JobState, UnitState

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

    def claim(self, now: float, lease: float) -> ModelUnit | None:
        """Lease the next unit."""
        if self.state is not JobState.RUNNING:
            return None
        for unit in self.lapsed(now):
            if unit.lapses + 1 >= MAX_LAPSES:
                unit.lapse()
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
            if unit.state is UnitState.QUEUED and unit.announced_at < now - REANNOUNCE_SECONDS
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
            for unit in self.lapsed(now):
                if unit.lapses + 1 >= MAX_LAPSES:
                    unit.lapse()
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
