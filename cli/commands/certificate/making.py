"""``c4 prove`` and ``c4 certificate write``: make certificates."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from c4core.files import atomic_file
from c4core.proof import Certificate
from c4core.proof.format import EVERY_RULE
from c4core.proof.making import claimed
from cli.commands.certificate.files import as_object, claim, place
from cli.output.formats import write_object
from cli.output.render import count, duration
from cli.positions import books as options, given
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.work.job import Backend, JobContext
from workers.prove.job import job_for, read_certificate
from workers.prove.task import ProofTask

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings

MAX_TABLE_MB = 1 << 14
"""The limit in workers/prove/task.py, repeated here so that help texts do not import it."""

PROVE_EXAMPLES = (
    'c4 prove "" --board 5x4 --out small.c4proof',
    "c4 prove 2252576253462244 --out late.c4proof",
    "c4 prove 2252576253462244 --at-least -20 --out half.c4proof",
    'c4 prove "" --board 6x5 --detach',
)


@click.command(cls=Command, broker=True, examples=PROVE_EXAMPLES)
@click.argument("moves")
@parameters.board_option
@click.option(
    "--at-least",
    type=parameters.IntRange(-32, 32),
    metavar="N",
    help="Prove that the score is N or more.",
)
@click.option(
    "--at-most",
    type=parameters.IntRange(-32, 32),
    metavar="N",
    help="Prove that the score is N or less.",
)
@click.option(
    "--rules",
    type=click.Choice(["all", "none"]),
    default="all",
    show_default=True,
    help="Rules that may end a branch; with none, the proof goes on to the ends of games.",
)
@options.out_option("The file to write; required without --detach.")
@options.force_option
@click.option("--fresh", is_flag=True, help="Start a new job even if one for this proof exists.")
@parameters.detach_option()
@parameters.priority_option
@parameters.threads_option
@click.option(
    "--table-mb",
    type=parameters.WholeNumber(1, MAX_TABLE_MB),
    metavar="MB",
    default=64,
    show_default=True,
    help="Size of each thread's transposition table; the file depends on it.",
)
@parameters.zero_based_option
@click.pass_context
def prove(
    context: click.Context,
    *,
    moves: str,
    board: BoardSize,
    at_least: int | None,
    at_most: int | None,
    rules: str,
    out: str | None,
    force: bool,
    fresh: bool,
    detach: bool,
    threads: int,
    table_mb: int,
    zero_based: bool,
) -> None:
    """Write a certificate, a proof of a position's score.

    MOVES are the columns played so far; "" is the empty board. Without --at-least and --at-most,
    the exact score is found and proven. A bound that does not hold is an error.

    If the proving side is to move, the file has one move for the position. Other positions have all
    replies, or the rule that ends the branch. "c4 certificate verify" checks the file without any
    search.

    The proof is found part by part, as a job. You can interrupt the command as often as you like:
    give it again to go on. The bytes of the file depend only on the position, the bounds, --rules
    and --table-mb. Stored results only save the search for the score. With --broker, workers do the
    work. "c4 certificate write" writes the file of a job by its number.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (detach and out is not None, "a detached job writes no file: leave out --out"),
        (detach and force, "a detached job writes no file: leave out --force"),
        (not detach and out is None, "give --out FILE for the certificate, or --detach"),
    )

    (request,) = given.from_arguments([moves], board=board, zero_based=zero_based)
    start = claimed(request.position, at_least=at_least, at_most=at_most)
    used = EVERY_RULE if rules == "all" else 0
    task = ProofTask(start, at_least, at_most, used, table_mb)
    if out is not None:
        options.out_path(out, force=force)
    backend = Backend.found(settings, threads=threads, table_mb=table_mb)
    with settings.open_database(create=True) as database:
        work = JobContext(settings, database, backend)
        began = time.monotonic()
        job_id = job_for(database, task, label=_label(task), fresh=fresh)
        if out is None:
            way = "with --out instead of --detach writes the certificate"
            work.detach(job_id, afterwards=way)
            return
        work.finish(job_id, makes="the certificate")
        content = read_certificate(database, job_id)
    _write_proof(settings, out, content, job_id, force=force, seconds=time.monotonic() - began)


def _label(task: ProofTask) -> str:
    place = f"proof of key {task.start.key}" if task.start.ply else "proof of the empty board"
    least = "" if task.at_least is None else f", at least {task.at_least}"
    most = "" if task.at_most is None else f", at most {task.at_most}"
    return f"{place}{least}{most}{'' if task.rules else ', without rules'}"


@click.command(cls=Command, examples=["c4 certificate write 3 --out empty.c4proof"])
@click.argument("job", type=parameters.IntRange(1), metavar="JOB")
@options.out_option("The file to write.", required=True)
@options.force_option
@click.pass_obj
def write(settings: Settings, *, job: int, out: str, force: bool) -> None:
    """Write the certificate of a finished "c4 prove" job.

    The file is the same as from "c4 prove" itself.
    """
    options.out_path(out, force=force)
    with settings.open_database() as database:
        content = read_certificate(database, job)
    _write_proof(settings, out, content, job, force=force)


def _write_proof(
    settings: Settings,
    out: str,
    content: bytes,
    job_id: int,
    *,
    force: bool,
    seconds: float | None = None,
) -> None:
    """Write the certificate of a job and show its claim."""
    path = options.out_path(out, force=force)  # check again: hours may have passed
    try:
        with atomic_file(path) as beside:
            beside.write_bytes(content)
    except OSError as error:
        error.filename = out  # "disk full" errors do not name the file
        settings.say(f"The proof is kept; write it with: c4 certificate write {job_id} --out FILE")
        raise
    info = Certificate(content, path=out).info
    took = "" if seconds is None else f", in {duration(seconds)}"
    settings.say(
        f"{out}: {place(info)} {claim(info)}; {count(info.positions, 'position')}, "
        f"{count(info.file_bytes, 'byte')}{took}"
    )
    if settings.json:
        about = {"seconds": round(seconds, 3)} if seconds is not None else {}
        write_object({"file": out, **as_object(info), "job": job_id, **about})
