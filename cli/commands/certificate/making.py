"""``c4 prove``, ``c4 certificate write`` and ``import``: make certificates."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from cli.commands.certificate.files import as_object, claim, place, watched
from cli.positions import books as options
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.process import echo

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.proof.weakc4 import Checked, Solution
    from cli.shell.settings import Settings
    from workers.prove.task import ProofTask

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
    from c4core.proof.format import EVERY_RULE
    from c4core.proof.making import claimed
    from cli.positions import given
    from cli.work.job import Backend, JobContext
    from workers.prove.job import job_for, read_certificate
    from workers.prove.task import ProofTask

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
    from workers.prove.job import read_certificate

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
    from c4core.files import atomic_file
    from c4core.proof import Certificate
    from cli.output.render import count, duration

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
        from cli.output.formats import write_object

        about = {"seconds": round(seconds, 3)} if seconds is not None else {}
        write_object({"file": out, **as_object(info), "job": job_id, **about})


IMPORT_EXAMPLES = (
    "c4 certificate import entries.json diagrams.json --board 5x4 --start 1221",
    "c4 certificate import a.json b.json --board 5x4 --start 1221 --out a.c4proof",
)


@click.command(cls=Command, name="import", database=False, examples=IMPORT_EXAMPLES)
@click.argument("entries", type=click.Path(exists=True, dir_okay=False), metavar="ENTRIES")
@click.argument("diagrams", type=click.Path(exists=True, dir_okay=False), metavar="DIAGRAMS")
@parameters.board_option
@click.option(
    "--start",
    default="",
    metavar="MOVES",
    help="Check the position after these moves.  [default: the empty board]",
)
@options.out_option("Also write a certificate to this file.")
@options.force_option
@click.pass_obj
def import_(
    settings: Settings,
    *,
    entries: str,
    diagrams: str,
    board: BoardSize,
    start: str,
    out: str | None,
    force: bool,
) -> None:
    """Check a solution in WeakC4's two files; make a certificate of it.

    ENTRIES is the JSON file with a column or a diagram number for opening positions
    ("branches.json" there). DIAGRAMS is the file with the diagrams ("steady_states.json"). Every
    reply is tried, and the side to move at the start must win in each line. The error for any other
    line names its moves; the exit code is 1. docs/certificates.md describes both files.

    With --out, write a certificate that the side to move at the start scores at least 1.
    """
    from c4core.files import atomic_file
    from c4core.proof.weakc4 import certificate_of, check, read_solution

    position = options.read_start(start, board)
    if position.is_over:
        raise click.BadParameter("the game is over", param_hint="'--start'")
    path = None if out is None else options.out_path(out, force=force)
    began = time.monotonic()
    solution = read_solution(entries, diagrams, board=board)
    checked = watched(settings, lambda look: check(solution, position, progress=look))
    certificate = None
    if path is not None:
        certificate = certificate_of(checked)
        with atomic_file(path) as beside:
            beside.write_bytes(certificate)
    seconds = time.monotonic() - began
    if settings.json:
        _write_import(solution, checked, (entries, diagrams, out), certificate, seconds)
    else:
        _show_import(solution, checked, out, certificate, seconds)


def _write_import(
    solution: Solution,
    checked: Checked,
    files: tuple[str, str, str | None],
    certificate: bytes | None,
    seconds: float,
) -> None:
    from c4core.proof import Certificate
    from cli.output.formats import write_object

    entries, diagrams, out = files
    said = None
    if certificate is not None:
        said = {"file": out, **as_object(Certificate(certificate).info)}
    write_object(
        {
            "entries": entries,
            "diagrams": diagrams,
            "complete": True,
            "board": str(solution.board),
            "start": checked.start.key,
            "positions": checked.positions,
            "entries_used": checked.entries,
            "entries_unused": [position.moves for position in checked.unused_entries],
            "diagrams_used": checked.diagrams,
            "diagrams_unused": list(checked.unused_diagrams),
            "certificate": said,
            "seconds": round(seconds, 3),
        }
    )


def _show_import(
    solution: Solution,
    checked: Checked,
    out: str | None,
    certificate: bytes | None,
    seconds: float,
) -> None:
    from cli.output.render import count, duration
    from cli.output.tables import write_facts

    start = checked.start
    facts = {
        "solution": f"{start.turn} wins against every reply",
        "start": f"{start.moves or 'the empty board'}, on {start.board}",
        "positions": f"{checked.positions:,}",
        "entries": f"{checked.entries:,} used of {len(solution.entries):,}",
        "diagrams": f"{checked.diagrams:,} used of {len(solution.diagrams):,}",
        "checked in": duration(seconds),
    }
    if certificate is not None:
        facts["certificate"] = f"{out}, {count(len(certificate), 'byte')}"
    write_facts(facts)
    for position in checked.unused_entries:
        echo(f"unused: the entry {position.moves!r}")
    for number in checked.unused_diagrams:
        echo(f"unused: diagram {number}")
