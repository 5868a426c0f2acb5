"""``c4 deep``: prove the score of one position by distributed search."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click
from rich.text import Text

from c4core.notation import format_moves, parse_moves
from c4core.solver import Solver
from cli.output import render
from cli.output.formats import write_object
from cli.output.render import duration
from cli.positions.given import from_arguments
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, argument, flag, group, takes
from cli.shell.process import Exit
from cli.work.job import Backend, JobContext
from cli.work.view import moves_text
from db.jobs import control
from workers.answers.lines import answer_object
from workers.answers.question import Answer
from workers.deep.answer import read_answer
from workers.deep.job import find_job, join_or_submit
from workers.deep.task import DeepTask
from workers.text import count

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from db.database import Database
    from workers.deep.answer import DeepAnswer

EXAMPLES = (
    "c4 deep --board 6x5",
    "c4 deep --board 6x5 --weak 3",
    "c4 deep 22525762534622441115 --json",
    "c4 deep --board 5x4 --detach",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 deep``."""

    moves: str = argument("[MOVES]", required=False, default="")
    board: BoardSize = parameters.board()
    weak: bool = flag("Prove only win, draw or loss, which is faster.")
    resume: bool = flag("Continue the newest job for this position.")
    label: str | None = parameters.label("the job.")
    detach: bool = parameters.detach()
    zero_based: bool = parameters.zero_based()
    priority: int | None = parameters.priority()
    engine: Engine = group(Engine)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def deep(settings: Settings, given: Given) -> None:
    """Prove the score of one hard position with all workers.

    MOVES are the columns played so far, as in 4453, by default none. All threads of this process
    or, with --broker, of all workers run one search together. Workers can come and go. Use this for
    positions that take minutes or more, and "c4 solve" for the others.

    Bounds that take long to prove are stored every few seconds, so little is lost if the command is
    interrupted or killed. Give the same command again to continue an unfinished job. --resume
    continues the newest job in any case, as "c4 jobs resume" does. A new job uses all stored
    bounds. "c4 jobs watch" and "c4 jobs show" show how far a job is.

    The answer includes its proof: the known bounds of every column, best play, and the number of
    positions that were searched for it.
    """
    refuse(
        (
            given.resume and given.label is not None,
            "--label is for a new job; --resume continues an existing one",
        ),
    )

    backend = Backend.found(settings, given.engine, priority=given.priority)
    with settings.open_database(create=True) as database:
        task = _task(given)
        if given.resume:
            job_id = _resumed(settings, database, task)
        else:
            name = given.label or _label(task)
            is_elsewhere = given.detach or backend.broker is not None
            threads = 1 if is_elsewhere else given.engine.threads
            job_id, is_new = join_or_submit(database, task, threads=threads, label=name)
            if not is_new:
                settings.say(f"continuing existing job {job_id} for this position, unchanged")
        work = JobContext(settings, database, backend)
        if given.detach:
            work.detach(job_id)
            return
        began = time.monotonic()
        is_done = work.run(job_id)
        answer = read_answer(database, job_id, Solver(table_mb=given.engine.table_mb))
    seconds = time.monotonic() - began
    if settings.json:
        write_object(_as_object(answer, seconds, zero_based=given.zero_based))
    else:
        _show(answer, seconds, zero_based=given.zero_based)
    if not is_done:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _task(given: Given) -> DeepTask:
    board, zero_based = given.board, given.zero_based
    (request,) = from_arguments([given.moves], board=board, zero_based=zero_based)
    if request.position.is_over:
        raise click.BadParameter(
            f"the game of {given.moves!r} is over: there is nothing to prove", param_hint="MOVES"
        )
    columns = parse_moves(request.moves or "", width=board.width, zero_based=zero_based)
    return DeepTask(request.position, format_moves(columns), given.weak)


def _resumed(settings: Settings, database: Database, task: DeepTask) -> int:
    """Queue the existing job for this position again; return its number."""
    job_id = find_job(database, task)
    if job_id is None:
        raise click.UsageError(
            f"no job to resume for {task.moves!r} on {task.board}"
            f"{' with --weak' if task.weak else ''}"
        )
    database.run(partial(control.resume_job, job_id=job_id))
    settings.say_if_verbose(f"job {job_id} is queued again")
    return job_id


def _label(task: DeepTask) -> str:
    moves = task.moves or "the empty board"
    return f"{moves} on {task.board}{', weak' if task.weak else ''}"


def _as_object(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> dict[str, object]:
    """The answer as a JSON object: the fields of ``c4 solve``, and the proof."""
    position, progress, proof = answer.position, answer.progress, answer.proof
    columns = parse_moves(answer.moves, width=position.width)
    known = Answer(progress.lower, progress.upper, nodes=answer.job.nodes, seconds=seconds)
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
        for bounds in progress.moves
    ]
    fields["best"] = [column + shift for column in answer.best]
    fields["pv"] = format_moves(answer.line, zero_based=zero_based)
    fields["pv_is_complete"] = answer.line_is_complete
    fields["proof"] = {
        "derived": proof.derived,
        "searched": proof.searched,
        "missing": len(proof.missing),
    }
    fields["job"] = answer.job.id
    return fields


def _show(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> None:
    out = render.console()
    position, progress, proof = answer.position, answer.progress, answer.proof
    if answer.moves:
        columns = parse_moves(answer.moves, width=position.width)
        out.print(Text(format_moves(columns, zero_based=zero_based), style="bold"))
    out.print(render.board(position, None, zero_based=zero_based))
    out.print(render.result_sentence(position, Answer(progress.lower, progress.upper)))
    out.print(f"columns: {moves_text(progress, zero_based=zero_based)}")
    if answer.best:
        noun = "best column: " if len(answer.best) == 1 else "proven best: "
        out.print(noun + render.labels(answer.best, zero_based=zero_based))
    if answer.line:
        dots = "" if answer.line_is_complete else " .."
        out.print(f"best play: {format_moves(answer.line, zero_based=zero_based)}{dots}")
    rests = f"{count(proof.searched, 'searched claim')} and {proof.derived:,} that follow from them"
    if proof.missing:
        rests += f"; {count(len(proof.missing), 'claim')} cannot be found in the database"
    out.print(f"proof: {rests}")
    nodes = count(answer.job.nodes, "node")
    out.print(Text(f"{nodes}, {duration(seconds)}", style="dim"))
