"""``c4 deep``: prove the score of one position by distributed search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.process import Exit

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from cli.work.job import Backend
    from db.database import Database
    from workers.deep.answer import DeepAnswer
    from workers.deep.task import DeepTask

MAX_SPLIT_PLIES = 12
UNIT_NODES = 200_000_000
"""The limits in workers/deep/task.py, repeated here so that help texts do not import it."""

EXAMPLES = (
    'c4 deep --board 6x5 ""',
    "c4 deep --board 6x5 --weak 3",
    "c4 deep 22525762534622441115 --json",
    'c4 deep --board 5x4 --detach ""',
)


def read_plies(_context: click.Context, _parameter: click.Parameter, text: str) -> int | None:
    """Parse a number of plies; None for ``auto``."""
    if text == "auto":
        return None
    if not text.isdecimal() or float(text) > MAX_SPLIT_PLIES:  # int() refuses thousands of digits
        raise click.BadParameter(
            f"{text!r} is neither auto nor a number from 0 to {MAX_SPLIT_PLIES}"
        )
    return int(text)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@click.argument("moves")
@parameters.board_option
@click.option("--weak", is_flag=True, help="Prove only win, draw or loss, which is faster.")
@click.option(
    "--split-plies",
    callback=read_plies,
    default="auto",
    show_default=True,
    metavar="N",
    help="Split positions less than N plies deep without trying to solve them first; auto chooses "
    "N by the number of threads.",
)
@click.option(
    "--unit-nodes",
    type=parameters.WholeNumber(1),
    metavar="N",
    default=UNIT_NODES,
    show_default=True,
    help="Split a piece when a worker has searched N nodes for it.",
)
@click.option("--resume", is_flag=True, help="Continue the newest job for this position.")
@parameters.label_option("the job.")
@parameters.detach_option()
@parameters.zero_based_option
@parameters.priority_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def deep(
    context: click.Context,
    *,
    moves: str,
    board: BoardSize,
    weak: bool,
    split_plies: int | None,
    unit_nodes: int,
    resume: bool,
    label: str | None,
    detach: bool,
    zero_based: bool,
    threads: int,
    table_mb: int,
) -> None:
    """Prove the score of one hard position with all workers.

    MOVES are the columns played so far, as in 4453; "" is the empty board. The position's tree is
    split into pieces. The threads of this process search them or, with --broker, all workers. The
    result of one piece narrows or cuts off others. Pieces that are too hard for one worker are
    split further. Use this for positions that take minutes or more, and "c4 solve" for the others.

    Every result is stored, so nothing is lost if the command is interrupted or killed. Give the
    same command again to continue an unfinished job. --resume continues the newest job in any
    case, as "c4 jobs resume" does. A new job uses all stored results. "c4 jobs watch" and "c4 jobs
    show" show how far a job is.

    The answer includes its proof: the known bounds of every column, best play, and the number of
    searched nodes that the score depends on.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (
            resume and label is not None,
            "--label is for a new job; --resume continues an existing one",
        ),
    )

    from cli.work.job import Backend, JobContext

    backend = Backend.found(settings, threads=threads, table_mb=table_mb)
    with settings.open_database(create=True) as database:
        searching = _threads(database, backend)
        task = _task(
            moves,
            board=board,
            zero_based=zero_based,
            weak=weak,
            split_plies=split_plies,
            unit_nodes=unit_nodes,
            threads=searching,
        )
        if resume:
            job_id = _resumed(context, settings, database, task)
        else:
            from workers.deep.job import join_or_submit

            name = label or _label(task)
            job_id, is_new = join_or_submit(database, task, threads=searching, label=name)
            if not is_new:
                settings.say(f"continuing existing job {job_id} for this position, unchanged")
        work = JobContext(settings, database, backend)
        if detach:
            work.detach(job_id)
            return
        began = time.monotonic()
        from c4core.solver import Solver
        from workers.deep.answer import read_answer
        from workers.deep.sharing import listening

        solver = Solver(table_mb=table_mb)
        with listening(database, job_id, solver) as listener:
            is_done = work.run(job_id)
        answer = read_answer(database, job_id, solver, listener=listener)
    seconds = time.monotonic() - began
    if settings.json:
        from cli.output.formats import write_object

        write_object(_as_object(answer, seconds, zero_based=zero_based))
    else:
        _show(answer, seconds, zero_based=zero_based)
    if not is_done:
        context.exit(Exit.PROBLEMS)


def _task(
    moves: str,
    *,
    board: BoardSize,
    zero_based: bool,
    weak: bool,
    split_plies: int | None,
    unit_nodes: int,
    threads: int,
) -> DeepTask:
    from c4core.notation import format_moves, parse_moves
    from cli.positions.given import from_arguments
    from workers.deep.task import DeepTask, plies_to_split

    (request,) = from_arguments([moves], board=board, zero_based=zero_based)
    if request.position.is_over:
        raise click.BadParameter(
            f"the game of {moves!r} is over: there is nothing to prove", param_hint="MOVES"
        )
    columns = parse_moves(request.moves or "", width=board.width, zero_based=zero_based)
    return DeepTask(
        request.position,
        format_moves(columns),
        weak,
        plies_to_split(threads) if split_plies is None else split_plies,
        unit_nodes,
    )


def _threads(database: Database, backend: Backend) -> int:
    """The number of pieces to search at a time; at least 1, even if there is no worker yet."""
    if backend.broker is None:
        return 1  # the threads of this process search each piece together
    from db import jobs

    with database.read() as session:
        return sum(worker.threads for worker in jobs.live_workers(session)) or 1


def _resumed(context: click.Context, settings: Settings, database: Database, task: DeepTask) -> int:
    """Queue the existing job for this position again; return its number."""
    from workers.core.submit import restart_job
    from workers.deep.job import find_job

    job_id = find_job(database, task)
    if job_id is None:
        raise click.UsageError(
            f"no job to resume for {task.moves!r} on {task.board}"
            f"{' with --weak' if task.weak else ''}",
            context,
        )
    restart_job(database, job_id)
    settings.say_if_verbose(f"job {job_id} can go on")
    return job_id


def _label(task: DeepTask) -> str:
    moves = task.moves or "the empty board"
    return f"{moves} on {task.board}{', weak' if task.weak else ''}"


def _as_object(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> dict[str, object]:
    """The answer as a JSON object: the fields of ``c4 solve``, and the proof."""
    from c4core.notation import format_moves, parse_moves
    from workers.answers.lines import answer_object
    from workers.answers.question import Answer

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
        "nodes": proof.nodes,
        "missing": len(proof.missing),
    }
    fields["pieces"] = {
        "decided": progress.decided,
        "split": progress.split,
        "cut": progress.cut,
        "failed": progress.failed,
    }
    fields["job"] = answer.job.id
    return fields


def _show(answer: DeepAnswer, seconds: float, *, zero_based: bool) -> None:
    from rich.text import Text

    from c4core.notation import format_moves, parse_moves
    from cli.output import render
    from cli.output.render import count, duration
    from cli.work.view import moves_text
    from workers.answers.question import Answer

    out = render.console()
    position, progress, proof = answer.position, answer.progress, answer.proof
    if answer.moves:
        columns = parse_moves(answer.moves, width=position.width)
        out.print(Text(format_moves(columns, zero_based=zero_based), style="bold"))
    out.print(render.board(position, None, zero_based=zero_based))
    out.print(render.verdict(position, Answer(progress.lower, progress.upper)))
    out.print(f"columns: {moves_text(progress, zero_based=zero_based)}")
    if answer.best:
        noun = "best column: " if len(answer.best) == 1 else "proven best: "
        out.print(noun + render.labels(answer.best, zero_based=zero_based))
    if answer.line:
        dots = "" if answer.line_is_complete else " .."
        out.print(f"best play: {format_moves(answer.line, zero_based=zero_based)}{dots}")
    claims = f"{count(proof.searched, 'searched claim')} ({count(proof.nodes, 'node')})"
    rests = f"{claims} and {proof.derived:,} that follow from them"
    if proof.missing:
        rests += f"; {count(len(proof.missing), 'claim')} cannot be found in the database"
    out.print(f"proof: {rests}")
    pieces = progress.decided + progress.split
    effort = f"{count(answer.job.nodes, 'node')} in {count(pieces, 'piece')}, {duration(seconds)}"
    out.print(Text(effort, style="dim"))
