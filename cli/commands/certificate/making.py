"""``c4 prove``: make certificates."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from c4core.files import atomic_file
from c4core.proof import Certificate
from c4core.proof.format import EVERY_RULE
from c4core.proof.making import claimed
from cli.commands.certificate.files import as_object, claim, place
from cli.output.formats import write_object
from cli.output.render import duration
from cli.positions import books as options
from cli.positions.given import from_arguments
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, argument, choice, flag, group, number, takes
from cli.work.job import Backend, JobContext
from workers.prove.job import job_for, read_certificate
from workers.prove.task import MAX_TABLE_MB, ProofTask
from workers.text import count

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings

PROVE_EXAMPLES = (
    "c4 prove --board 5x4 --output small.c4proof",
    "c4 prove 2252576253462244 --output late.c4proof",
    "c4 prove 2252576253462244 --at-least -20 --output half.c4proof",
    "c4 prove --board 6x5 --detach",
)


@dataclass(frozen=True, kw_only=True)
class ProofEngine(Engine):
    """Searches for a proof."""

    table_mb: int = parameters.table_mb(
        "Size of each thread's transposition table; the file depends on it.", most=MAX_TABLE_MB
    )


@dataclass(frozen=True, kw_only=True)
class ProveGiven:
    """Parameters of ``c4 prove``."""

    moves: str = argument("[MOVES]", required=False, default="")
    board: BoardSize = parameters.board()
    at_least: int | None = number(
        parameters.IntRange(-32, 32), "Prove that the score is N or more."
    )
    at_most: int | None = number(parameters.IntRange(-32, 32), "Prove that the score is N or less.")
    rules: str = choice(
        ["all", "none"],
        "Rules that may end a branch; with none, the proof goes on to the ends of games.",
        default="all",
    )
    output: str | None = options.output("The file to write; required without --detach.")
    force: bool = options.force()
    fresh: bool = flag("Start a new job even if one for this proof exists.")
    detach: bool = parameters.detach()
    priority: int | None = parameters.priority()
    engine: ProofEngine = group(ProofEngine)
    zero_based: bool = parameters.zero_based()


@click.command(cls=Command, broker=True, examples=PROVE_EXAMPLES)
@takes(ProveGiven)
@click.pass_obj
def prove(settings: Settings, given: ProveGiven) -> None:
    """Write a certificate, a proof of a position's score.

    MOVES are the columns played so far, by default none. Without --at-least and --at-most,
    the exact score is found and proven. A bound that does not hold is an error.

    If the proving side is to move, the file has one move for the position. Other positions have all
    replies, or the rule that ends the branch. "c4 certificate verify" checks the file without any
    search.

    The proof is found part by part, as a job. You can interrupt the command as often as you like:
    give it again to continue. The bytes of the file depend only on the position, the bounds,
    --rules and --table-mb. Stored results only save the search for the score. With --broker,
    workers do the work.
    """
    refuse(
        (
            given.detach and given.output is not None,
            "a detached job writes no file: leave out --output",
        ),
        (given.detach and given.force, "a detached job writes no file: leave out --force"),
        (
            not given.detach and given.output is None,
            "give --output FILE for the certificate, or --detach",
        ),
    )

    (request,) = from_arguments([given.moves], board=given.board, zero_based=given.zero_based)
    start = claimed(request.position, at_least=given.at_least, at_most=given.at_most)
    used = EVERY_RULE if given.rules == "all" else 0
    task = ProofTask(start, given.at_least, given.at_most, used, given.engine.table_mb)
    if given.output is not None:
        options.out_path(given.output, force=given.force)
    backend = Backend.found(settings, given.engine, priority=given.priority)
    with settings.open_database(create=True) as database:
        work = JobContext(settings, database, backend)
        began = time.monotonic()
        job_id = job_for(database, task, label=_label(task), fresh=given.fresh)
        if given.output is None:
            way = "with --output instead of --detach writes the certificate"
            work.detach(job_id, afterwards=way)
            return
        work.finish(job_id, makes="the certificate")
        content = read_certificate(database, job_id)
    _write_proof(
        settings, given.output, content, job_id, force=given.force, seconds=time.monotonic() - began
    )


def _label(task: ProofTask) -> str:
    place = f"proof of key {task.start.key}" if task.start.ply else "proof of the empty board"
    least = "" if task.at_least is None else f", at least {task.at_least}"
    most = "" if task.at_most is None else f", at most {task.at_most}"
    return f"{place}{least}{most}{'' if task.rules else ', without rules'}"


def _write_proof(
    settings: Settings, out: str, content: bytes, job_id: int, *, force: bool, seconds: float
) -> None:
    """Write the certificate of a job and show its claim."""
    path = options.out_path(out, force=force)  # check again: hours may have passed
    try:
        with atomic_file(path) as beside:
            beside.write_bytes(content)
    except OSError as error:
        error.filename = out  # "disk full" errors do not name the file
        settings.say("The proof is kept: give the same command again to write it.")
        raise
    info = Certificate(content, path=out).info
    settings.say(
        f"{out}: {place(info)} {claim(info)}; {count(info.positions, 'position')}, "
        f"{count(info.file_bytes, 'byte')}, in {duration(seconds)}"
    )
    if settings.json:
        about = {"job": job_id, "seconds": round(seconds, 3)}
        write_object({"file": out, **as_object(info), **about})
