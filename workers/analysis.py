"""Jobs of kind ``analyze``: lines of input in, their answers out in the same order.

The result of a unit holds what its payload (:mod:`workers.payload`) does not say, position by
position, bad lines left out::

    {"score": [1, 0],                     for the side to move
     "columns": [[-2, 1, ..], ..],        likewise, null where a column is full; only if asked
     "nodes": [512, 0],
     "known": [1],                        the positions, counted from 0, that were stored before
     "seconds": 0.25}                     of the whole unit
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from c4core.errors import C4Error
from c4core.lines import BadLine, Request
from c4core.version import ENGINE_VERSION
from db import jobs
from db.jobs import UnitState
from workers import payload
from workers.evaluate import find_answers, look_up
from workers.outcome import UnitOutcome
from workers.planning import UNIT_LINES, plan_units
from workers.question import Question
from workers.results import Answer, answer_object, error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from c4core.solver import Solver
    from db.database import Database
    from db.jobs import Claim, JobInfo, Json, UnitPlan, UnitResult

KIND = "analyze"

UNITS_PER_TRANSACTION = 32
"""Units that planning writes at a time: bounds its memory, and how long others wait to write."""


class NoInputError(C4Error, ValueError):
    """The input has not a single line."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A job that has been planned."""

    job_id: int
    """Its number."""
    positions: int
    """Positions that are asked."""
    bad_lines: int
    """Lines that name no position; each yields an error in its place."""


def submit(
    database: Database,
    lines: Iterable[Request | BadLine],
    *,
    board: BoardSize,
    score_only: bool = False,
    zero_based: bool = False,
    label: str | None = None,
    priority: int = 0,
    unit_lines: int = UNIT_LINES,
    on_planned: Callable[[int], None] = lambda _lines: None,
) -> Submission:
    """Make a job of a stream of lines and start it. Memory is constant, whatever the length.

    When reading the lines fails or is interrupted, the job is cancelled.

    Args:
        database: where the job shall live.
        lines: from ``c4core.lines.read_lines``.
        board: the board of all of them.
        score_only: the scores of the columns are not wanted.
        zero_based: moves count columns from 0, in the lines and in the output.
        label: a name for people.
        priority: jobs of higher priority are worked on first.
        unit_lines: most lines of a unit: what is given to one worker as a whole.
        on_planned: told now and then how many lines are planned by now.

    Raises:
        NoInputError: there is no line at all; no job was made.
        StorageError: the database cannot be written.
    """
    plans = plan_units(lines, unit_lines=unit_lines)
    batch = list(islice(plans, 1))
    if not batch:
        raise NoInputError("the input is empty: there is nothing to analyze")
    params = {"score_only": score_only, "zero_based": zero_based}
    job_id = database.run(
        lambda session: jobs.create_job(
            session,
            kind=KIND,
            board=board,
            params=params,
            label=label,
            engine_version=ENGINE_VERSION,
            priority=priority,
        )
    )
    try:
        positions = planned = 0
        while batch:
            _add(database, job_id, batch)
            positions += sum(plan.positions for plan in batch)
            planned += sum(len(plan.payload["entries"]) for plan in batch)
            on_planned(planned)
            batch = list(islice(plans, UNITS_PER_TRANSACTION))
        database.run(lambda session: jobs.start_job(session, job_id))
    except BaseException:
        database.run(lambda session: jobs.cancel_job(session, job_id))
        raise
    return Submission(job_id, positions, planned - positions)


def _add(database: Database, job_id: int, plans: list[UnitPlan]) -> None:
    database.run(lambda session: jobs.add_units(session, job_id, plans))


def solve_unit(
    claim: Claim, solver: Solver, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Answer the positions of a unit; what is stored is not searched again.

    Args:
        claim: a unit of a job of this kind.
        solver: may be shared with others.
        database: where known evaluations are looked up; nothing is written.
        is_stopped: whether to give up; looked at after each interruption of the search.

    Raises:
        StorageError: the database cannot be read.
    """
    lines = payload.decode(claim.payload, board=claim.board, zero_based=claim.params["zero_based"])
    positions = [line.position for line in lines if isinstance(line, Request)]
    question = Question(columns=not claim.params["score_only"])
    known = look_up(database, positions)
    findings = find_answers(positions, question, solver, known, is_stopped=is_stopped)
    answers = findings.answers
    result: Json = {"score": [answer.score for answer in answers]}
    if question.columns:
        result["columns"] = [answer.scores for answer in answers]
    result["nodes"] = [answer.nodes for answer in answers]
    result["known"] = [index for index, answer in enumerate(answers) if answer.source == "db"]
    result["seconds"] = findings.seconds
    return UnitOutcome(
        findings.learned, result, findings.nodes, findings.seconds, findings.is_complete
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has come to an end: one object a line, in order.

    Args:
        job: the job, of this kind.
        unit: one of its units; the lines of one that is not done all have errors.
    """
    zero_based = bool(job.params["zero_based"])
    answers = _answers(unit.result) if unit.state is UnitState.DONE and unit.result else None
    for line in payload.decode(unit.payload, board=job.board, zero_based=zero_based):
        if isinstance(line, BadLine):
            yield error_object(line=line.line, error=line.error, field=line.field, identity=line.id)
        elif answers is None:
            yield error_object(
                line=line.line, error=f"not solved: {unit.error or unit.state}", identity=line.id
            )
        else:
            yield answer_object(
                next(answers),
                board=job.board,
                ply=line.position.ply,
                moves=line.moves,
                key=None if line.moves is not None else line.position.key,
                identity=line.id,
                zero_based=zero_based,
            )


def _answers(result: Json) -> Iterator[Answer]:
    scores, nodes, known = result["score"], result["nodes"], set(result["known"])
    columns = result.get("columns") or [None] * len(scores)
    seconds_per_node = result["seconds"] / max(sum(nodes), 1)
    for index, (score, row, visited) in enumerate(zip(scores, columns, nodes, strict=True)):
        yield Answer(
            score,
            score,
            None if row is None else tuple(row),
            visited,
            visited * seconds_per_node,
            "db" if index in known else "search",
        )
