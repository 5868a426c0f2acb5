"""Units of jobs of kind ``analyze``: the positions of some lines of input.

A payload holds consecutive lines, including bad ones, so that the output can be written from the
units alone::

    {"line": 501,                               number of the first line
     "entries": ["4453",                        bare moves
                 {"id": 7, "moves": "4453"},
                 {"id": 8, "key": 4432676798593},  a grid or a key
                 {"error": "empty line", "field": "line"}],
     "spent": [[4432676798593, 51200, 0.25]]}       only in a unit with limits that was handed back:
                                                    canonical key, nodes, seconds

The result has one entry for each position, in order, without the bad lines::

    {"score": [1, 0],                     for the side to move
     "open": [[0, -3, 2]],                index, lower and upper bound if the score is unproven and
                                          null; only with a weak or limited question
     "columns": [[-2, 1, ...], ...],      likewise, null if a column is full; only if requested
     "nodes": [512, 0],
     "known": [1],                        indices of positions that were stored before
     "book": [0],                         indices of positions found in the job's book
     "seconds": 0.25}                     for the whole unit
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from c4core.lines import BadLine, Request, play_moves
from c4core.position import Position
from db.decoding import decoding
from db.records.jobs import UnitState
from workers.answers.find import solve_positions
from workers.answers.lines import bad_line_object, error_object, request_object
from workers.answers.question import Answer, Effort, Question, book_of_job
from workers.core.kinds import JobKind, UnitOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from c4core.lines import JsonValue
    from c4core.notation import BoardSize
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, Json, UnitResult
    from workers.answers.question import Source
    from workers.core.searching import Searcher

KIND: Final = "analyze"


def encode_lines(lines: Sequence[Request | BadLine]) -> Json:
    """The payload for lines with consecutive numbers, at least one."""
    return {"line": lines[0].line, "entries": [_encode_line(line) for line in lines]}


def decode_lines(
    payload: Json, *, board: BoardSize, zero_based: bool = False
) -> Iterator[Request | BadLine]:
    """The lines of a payload, in order."""
    with decoding("a unit's lines"):
        yield from _read_lines(payload, board, zero_based=zero_based)


def _read_lines(
    payload: Json, board: BoardSize, *, zero_based: bool
) -> Iterator[Request | BadLine]:
    for line, entry in enumerate(payload["entries"], start=payload["line"]):
        if isinstance(entry, str):
            yield Request(line, play_moves(entry, board, zero_based=zero_based), entry)
        elif "error" in entry:
            yield BadLine(line, entry["error"], entry["field"], entry.get("id"))
        elif "key" in entry:
            position = Position.from_key(entry["key"], width=board.width, height=board.height)
            yield Request(line, position, None, entry.get("id"))
        else:
            moves = entry["moves"]
            position = play_moves(moves, board, zero_based=zero_based)
            yield Request(line, position, moves, entry.get("id"))


def count_lines(payload: Json, *, bad_only: bool) -> int:
    """Count a payload's lines, or only its bad ones, without decoding them."""
    with decoding("a unit's lines"):
        entries = payload["entries"]
        if not bad_only:
            return len(entries)
        return sum(1 for entry in entries if isinstance(entry, dict) and "error" in entry)


def with_spent(payload: Json, spent: Mapping[int, Effort]) -> Json:
    """The payload of a unit that is handed back, with the effort spent on its positions."""
    return payload | {"spent": [[key, *effort] for key, effort in sorted(spent.items())]}


def read_spent(payload: Json) -> dict[int, Effort]:
    """The effort already spent on a payload's positions, by canonical key."""
    with decoding("what was spent on a unit"):
        return {key: Effort(nodes, seconds) for key, nodes, seconds in payload.get("spent", ())}


def _encode_line(line: Request | BadLine) -> JsonValue:
    entry: dict[str, JsonValue]
    if isinstance(line, BadLine):
        entry = {"error": line.error, "field": line.field}
    elif line.moves is None:
        entry = {"key": line.position.key}
    elif line.id is None:
        return line.moves
    else:
        entry = {"moves": line.moves}
    if line.id is not None:
        entry["id"] = line.id
    return entry


def solve_unit(
    claim: Claim, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Answer the positions of a unit; stored positions are not searched again."""
    lines = decode_lines(claim.payload, board=claim.board, zero_based=claim.params["zero_based"])
    positions = [line.position for line in lines if isinstance(line, Request)]
    question = Question.from_params(claim.params)
    findings = solve_positions(
        positions,
        question,
        solver,
        database,
        is_stopped,
        book=book_of_job(claim.params, claim.board),
        spent=read_spent(claim.payload),
    )
    answers = findings.answers
    result: Json = {"score": [answer.score for answer in answers]}
    if question.weak or question.is_limited:
        result["open"] = [
            [index, answer.lower, answer.upper]
            for index, answer in enumerate(answers)
            if answer.score is None
        ]
    if question.columns:
        result["columns"] = [answer.scores for answer in answers]
    result["nodes"] = [answer.nodes for answer in answers]
    result["known"] = [index for index, answer in enumerate(answers) if answer.source == "db"]
    result["book"] = [index for index, answer in enumerate(answers) if answer.source == "book"]
    result["seconds"] = findings.seconds
    return UnitOutcome(
        evaluations=findings.learned,
        result=result,
        nodes=findings.nodes,
        seconds=findings.seconds,
        costs=findings.costs,
        with_columns=question.columns,
        # An answer cut short by a limit counts; an answer cut short by a stop does not.
        is_complete=findings.is_complete or (question.is_limited and not is_stopped()),
        rest=with_spent(claim.payload, findings.spent) if findings.spent else None,
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a finished unit: one object per line, in order; errors if the unit failed."""
    zero_based = bool(job.params["zero_based"])
    answers = unit_answers(unit)
    for line in decode_lines(unit.payload, board=job.board, zero_based=zero_based):
        if isinstance(line, BadLine):
            yield bad_line_object(line)
        elif answers is None:
            yield error_object(
                line=line.line, error=f"not solved: {unit.error or unit.state}", identity=line.id
            )
        else:
            yield request_object(line, _next_answer(answers), zero_based=zero_based)


def count_unanswered(unit: UnitResult) -> int:
    """Count the lines of a finished unit whose output is an error."""
    return count_lines(unit.payload, bad_only=unit_answers(unit) is not None)


def _next_answer(answers: Iterator[Answer]) -> Answer:
    # next() would raise StopIteration, which a generator turns into a RuntimeError.
    for answer in answers:
        return answer
    raise ValueError("a unit has fewer answers than positions")


def unit_answers(unit: UnitResult) -> Iterator[Answer] | None:
    """The answers of a unit, one per position, in order; None if the unit is not done."""
    if unit.state is not UnitState.DONE or not unit.result:
        return None
    return _answers(unit.result)


def _answers(result: Json) -> Iterator[Answer]:
    with decoding("a unit's answers"):
        yield from _decode_answers(result)


def _decode_answers(result: Json) -> Iterator[Answer]:
    scores, nodes = result["score"], result["nodes"]
    sources: dict[int, Source] = dict.fromkeys(result["known"], "db")
    sources |= dict.fromkeys(result.get("book", ()), "book")
    bounds = {index: (lower, upper) for index, lower, upper in result.get("open", ())}
    columns = result.get("columns") or [None] * len(scores)
    seconds_per_node = result["seconds"] / max(sum(nodes), 1)
    for index, (score, row, visited) in enumerate(zip(scores, columns, nodes, strict=True)):
        lower, upper = bounds.get(index, (score, score))
        yield Answer(
            lower,
            upper,
            None if row is None else tuple(row),
            visited,
            visited * seconds_per_node,
            sources.get(index, "search"),
        )


ANALYZE: Final = JobKind(
    KIND,
    "position",
    solve_unit,
    unit_objects,
    has_table=True,
    count_unanswered=count_unanswered,
)
"""Answers lines of input in the same order."""
