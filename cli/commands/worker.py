"""``c4 worker``: a process that works on jobs until it is stopped."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import Engine, group, option, takes
from workers.celery.host import default_name, run_worker
from workers.core.kinds import Lane
from workers.core.worker import WorkerSettings
from workers.logs import set_up

if TYPE_CHECKING:
    from c4core.players.player import Consent
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 worker --db postgresql://c4@db/c4 --broker redis://queue",
    "C4_BROKER=amqp://queue C4_DB=postgresql://c4@db/c4 c4 worker --threads 4",
    "c4 worker --queues bulk",
)


def _read_queues(text: str) -> tuple[Lane, ...]:
    names = {name.strip() for name in text.split(",")}
    known = {str(lane) for lane in Lane}
    if not names <= known:
        wrong = ", ".join(sorted(names - known))
        raise click.BadParameter(f"{wrong!r} is not one of: {', '.join(sorted(known))}")
    return tuple(lane for lane in Lane if lane in names)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 worker``."""

    name: str | None = option("Name of the worker.  [default: HOST:PID-RANDOM]", metavar="TEXT")
    queues: tuple[Lane, ...] = option(
        "Kinds of work: c4 solve is interactive, c4 analyze is bulk.",
        metavar="NAMES",
        default="interactive,bulk",
        read=_read_queues,
    )
    programs: Consent = parameters.programs("for everybody who can write to the database.")
    engine: Engine = group(Engine)


@click.command(cls=Command, broker=True, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_context
def worker(context: click.Context, given: Given) -> None:
    """Work on jobs from the broker until stopped.

    Start one worker on every machine, with the shared database and broker. Everybody on the machine
    can read passwords on a command line: set C4_DB and C4_BROKER instead.

    Players that are programs run only with --allow-programs: on this machine, as you, for everybody
    who can write to the database. Without it, their games are left to workers that have it.

    A worker waits for an unreachable database or broker. Ctrl-C or SIGTERM end it within about a
    second: its work is handed back, and another worker continues it.
    """
    settings: Settings = context.obj
    if settings.broker_url is None:
        raise click.UsageError("no broker: set C4_BROKER, or give --broker", context)

    set_up(
        verbose=settings.verbose,
        quiet=settings.quiet,
        urls=[settings.db, settings.broker_url],
        traces=bool(os.environ.get("C4_TRACE")),
    )
    run_worker(
        settings.url,
        settings.broker_url,
        WorkerSettings(
            name=given.name or default_name(),
            **vars(given.engine),
            lanes=given.queues,
            programs=given.programs,
        ),
    )
