"""A kind of job defined outside the project: integer square roots.

It is made like the project's own kinds: a function that solves a unit, one that displays a unit,
and one object with both. One line in the table of kinds makes it known to the
program.

A unit's payload holds numbers, ``{"numbers": [9, 16]}``; its result holds their roots, ``{"roots":
[3, 4]}``. With ``"waits_for"`` in the payload, solving waits until a file of this name exists. A
negative number has no root, which is an error.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from math import isqrt
from pathlib import Path
from typing import Final

from c4core.lines import JsonValue
from c4core.notation import DEFAULT_BOARD
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db.database import Database, Session
from db.jobs import control
from db.records.jobs import Claim, JobInfo, UnitPlan, UnitResult, UnitState
from workers.core.kinds import JobKind, UnitOutcome

KIND: Final = "roots"

UNITS: Final = [[0, 1, 4], [9, 16], [25]]
RESULTS: Final = [{"number": root * root, "root": root} for root in range(6)]
"""The output of a job with these units."""

ADDRESS: Final = "tests.support.toy_kind:ROOTS"
"""The kind's entry in the table."""


def plan(
    database: Database,
    units: Sequence[Sequence[int]],
    *,
    waits_for: Path | None = None,
    label: str | None = None,
) -> int:
    """Make a job from the numbers of each unit and start it; return its number.

    No unit is solved before the file ``waits_for`` exists.
    """
    wait = {} if waits_for is None else {"waits_for": str(waits_for)}

    def make(session: Session) -> int:
        job_id = control.create_job(
            session,
            kind=KIND,
            board=DEFAULT_BOARD,
            params={},
            label=label,
            engine_version=ENGINE_VERSION,
        )
        plans = [UnitPlan({"numbers": list(numbers), **wait}, len(numbers)) for numbers in units]
        control.add_units(session, job_id, plans)
        control.start_job(session, job_id)
        return job_id

    return database.run(make)


def solve_unit(
    claim: Claim, _solver: Solver, _database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Find the roots once the awaited file exists.

    Raises:
        ValueError: a number has no root.
    """
    file = claim.payload.get("waits_for")
    while file is not None and not Path(file).exists() and not is_stopped():
        time.sleep(0.01)
    is_complete = not is_stopped()
    return UnitOutcome(
        evaluations=(),
        result={"roots": [isqrt(number) for number in claim.payload["numbers"]]},
        nodes=0,
        seconds=0.0,
        is_complete=is_complete,
    )


def unit_objects(_job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    numbers = unit.payload["numbers"]
    if unit.state is not UnitState.DONE or not unit.result:
        yield from ({"number": number, "error": unit.error or unit.state} for number in numbers)
        return
    for number, root in zip(numbers, unit.result["roots"], strict=True):
        yield {"number": number, "root": root}


ROOTS: Final = JobKind(KIND, "number", solve_unit, unit_objects)
