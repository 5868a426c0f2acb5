"""What ``c4 deep`` says in the end: the score, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from c4core.position import Position
    from cli.shell.settings import Settings
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.deep.proof import Proof
    from workers.deep.standing import Standing


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    """What a job has come to."""

    job: JobInfo
    position: Position
    moves: str
    """How it was reached, columns counted from 1."""
    standing: Standing
    """What is proven."""
    proof: Proof
    """What that rests on."""
    line: tuple[int, ...]
    """Best play, 0-based columns; empty where the score is not exact."""
    line_is_complete: bool
    """Whether it goes on to the end of the game."""


def read_answer(database: Database, job_id: int, *, table_mb: int, line_nodes: int) -> DeepAnswer:
    """Read what a job has come to, and find best play.

    Args:
        database: where the job lives.
        job_id: its number.
        table_mb: size of the table for the search of the end of best play.
        line_nodes: positions to search at most for it.
    """
    from c4core.solver import Solver
    from workers.core.following import read_job
    from workers.deep.proof import follow_proof, proven_line, searched_line
    from workers.deep.standing import Observer
    from workers.deep.task import DeepTask
    from workers.deep.tree import Bounds

    job = read_job(database, job_id)
    task = DeepTask.from_params(job.params, job.board)
    with database.read() as session:
        standing = Observer(job).look(session)
    bounds = Bounds(standing.lower, standing.upper)
    line: list[int] = []
    end = task.start
    if bounds.lower == bounds.upper:
        line = proven_line(database, task.start, bounds.lower)
        for column in line:
            end = end.play(column)
        score = -bounds.lower if len(line) % 2 else bounds.lower
        rest = searched_line(end, score, Solver(table_mb=table_mb), node_limit=line_nodes)
        for column in rest:
            end = end.play(column)
        line += rest
    return DeepAnswer(
        job,
        task.start,
        task.moves,
        standing,
        follow_proof(database, task.start, bounds),
        tuple(line),
        end.is_over,
    )


def write_answer(
    settings: Settings, answer: DeepAnswer, seconds: float, *, zero_based: bool
) -> None:
    """Write the answer: an object with ``--json``, else for people.

    Args:
        settings: say which.
        answer: what the job has come to.
        seconds: that the command has waited for it.
        zero_based: count columns from 0.
    """
    if settings.json:
        from cli.output.formats import write_object

        write_object(as_object(answer, seconds, zero_based=zero_based))
    else:
        _show(answer, seconds, zero_based=zero_based)


def as_object(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> dict[str, object]:
    """The answer as a JSON object: that of ``c4 solve`` and what proves it."""
    from c4core.notation import format_moves, parse_moves
    from workers.positions.results import Answer, answer_object

    position, standing, proof = answer.position, answer.standing, answer.proof
    columns = parse_moves(answer.moves, width=position.width)
    known = Answer(standing.lower, standing.upper, nodes=answer.job.nodes, seconds=seconds)
    fields: dict[str, object] = dict(
        answer_object(
            known,
            board=position.board,
            ply=position.ply,
            moves=format_moves(columns, zero_based=zero_based),
        )
    )
    shift = 0 if zero_based else 1
    fields["moves_proven"] = [
        None if bounds is None else {"lower": bounds.lower, "upper": bounds.upper}
        for bounds in standing.moves
    ]
    fields["best"] = [column + shift for column in _best(answer)]
    fields["pv"] = format_moves(answer.line, zero_based=zero_based)
    fields["pv_is_complete"] = answer.line_is_complete
    fields["proof"] = {
        "derived": proof.derived,
        "searched": proof.searched,
        "nodes": proof.nodes,
        "missing": len(proof.missing),
    }
    fields["pieces"] = {
        "decided": standing.decided,
        "split": standing.split,
        "cut": standing.cut,
        "failed": standing.failed,
    }
    fields["job"] = answer.job.id
    return fields


def _best(answer: DeepAnswer) -> list[int]:
    """The columns that are proven to reach the score."""
    standing = answer.standing
    if standing.asked is not None:
        return []
    return [
        column
        for column, bounds in enumerate(standing.moves)
        if bounds is not None and bounds.lower >= standing.lower
    ]


def _show(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> None:
    from rich.text import Text

    from c4core.notation import format_moves, parse_moves
    from cli.output import render
    from cli.output.render import count, duration
    from cli.work.tree_view import moves_text
    from workers.positions.results import Answer

    out = render.console()
    position, standing, proof = answer.position, answer.standing, answer.proof
    if answer.moves:
        columns = parse_moves(answer.moves, width=position.width)
        out.print(Text(format_moves(columns, zero_based=zero_based), style="bold"))
    out.print(render.board(position, None, zero_based=zero_based))
    out.print(render.verdict(position, Answer(standing.lower, standing.upper)))
    out.print(f"columns: {moves_text(standing, zero_based=zero_based)}")
    best = _best(answer)
    if best:
        noun = "best column: " if len(best) == 1 else "proven best: "
        out.print(noun + render.labels(best, zero_based=zero_based))
    if answer.line:
        dots = "" if answer.line_is_complete else " .."
        out.print(f"best play: {format_moves(answer.line, zero_based=zero_based)}{dots}")
    claims = f"{count(proof.searched, 'searched claim')} ({count(proof.nodes, 'node')})"
    rests = f"{claims} and {proof.derived:,} that follow from them"
    if proof.missing:
        rests += f"; {count(len(proof.missing), 'claim')} cannot be found in the database"
    out.print(f"proof: {rests}")
    pieces = standing.decided + standing.split
    effort = f"{count(answer.job.nodes, 'node')} in {count(pieces, 'piece')}, {duration(seconds)}"
    out.print(Text(effort, style="dim"))
