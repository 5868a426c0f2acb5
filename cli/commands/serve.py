"""``c4 serve``: the analysis board in a browser, and the API behind it."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import click

from cli.positions.books import book_options, book_path
from cli.shell import echo, parameters
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from c4core.players.player import Consent
    from cli.shell.settings import Settings

LARGEST_PORT = 65_535
LONGEST_BUDGET = 86_400
"""A day in seconds."""

EXAMPLES = (
    "c4 serve",
    "c4 --db games.db serve --port 8080 --read-only",
    "C4_WEB_TOKEN=... c4 serve --host 0.0.0.0 --broker redis://queue",
    "C4_WEB_TOKEN=... c4 serve --allow-host c4.example --trust-proxy 127.0.0.1",
)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Listen here; 0.0.0.0 for all networks, which needs a token.",
)
@click.option(
    "--port",
    type=parameters.IntRange(0, LARGEST_PORT),
    metavar="N",
    default=8004,
    show_default=True,
    help="Listen at this port; 0 for any free one.",
)
@click.option(
    "--token",
    metavar="TEXT",
    envvar="C4_WEB_TOKEN",
    show_envvar=True,
    help="What a client must send to make or change a job. Set the variable instead: everybody on "
    "the machine can read a command line.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    envvar="C4_WEB_HOSTS",
    show_envvar=True,
    help="Answer to this name too, as that of a proxy; may be given more than once. Needs a token.",
)
@click.option(
    "--trust-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Take the client from the header X-Forwarded-For on connections of this proxy; "
    "may be given more than once.",
)
@click.option("--no-store", is_flag=True, help="Use no database: no jobs, no games, nothing kept.")
@click.option("--read-only", is_flag=True, help="Read the database, and never write to it.")
@click.option(
    "--rate",
    type=parameters.FiniteFloat(0),
    metavar="N",
    default=50,
    show_default=True,
    help="Requests a second that one client may make in the long run; 0 for any number.",
)
@click.option(
    "--searches",
    type=parameters.IntRange(1, 1000),
    metavar="N",
    default=4,
    show_default=True,
    help="Searches of one client at a time.",
)
@click.option(
    "--max-budget",
    type=parameters.FiniteFloat(0, LONGEST_BUDGET),
    metavar="SECONDS",
    default=30,
    show_default=True,
    help="The most time that a client may ask for an answer.",
)
@click.option(
    "--disk-mb",
    type=parameters.WholeNumber(1),
    metavar="MB",
    default=2048,
    show_default=True,
    help="What batches of all clients may take on disk while they wait to be answered.",
)
@book_options
@parameters.programs_option("for everybody who reaches the server.")
@parameters.threads_option
@parameters.table_option
@click.pass_context
def serve(
    context: click.Context,
    *,
    host: str,
    port: int,
    token: str | None,
    allowed_hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    no_store: bool,
    read_only: bool,
    rate: float,
    searches: int,
    max_budget: float,
    disk_mb: int,
    book: str | None,
    no_book: bool,
    programs: Consent,
    threads: int,
    table_mb: int,
) -> None:
    """Show an analysis board in the browser, and answer programs.

    The board is at http://127.0.0.1:8004/, the API is described at /api/v1/openapi.json. The
    address is printed once the server answers.

    Everybody on this machine can reach the server. One that listens to other machines as well, or
    that a proxy passes requests of others to, needs a token, and makes or changes jobs only for
    those who send it.

    With --broker, jobs are left to workers; without, threads of this process do them. Ctrl-C or
    SIGTERM end the server within about a second: unfinished jobs go on when it starts again.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (token == "", "--token is empty; leave it out, or say which one is meant"),
        (no_store and read_only, "--read-only is about the database, and --no-store uses none"),
    )

    from c4core import extras

    extras.require(extras.WEB, click.ClickException)

    from web.http.server import serve as run_server
    from web.settings import Limits
    from web.settings import Settings as WebSettings
    from workers.logs import set_up

    set_up(
        verbose=settings.verbose,
        quiet=settings.quiet,
        urls=[settings.named_database, settings.broker_url],
        traces=bool(os.environ.get("C4_TRACE")),
    )
    run_server(
        WebSettings(
            host=host,
            port=port,
            database_url=None if no_store else settings.url,
            broker_url=None if no_store else settings.broker_url,
            # click takes an empty variable for one that is not set.
            token=os.environ.get("C4_WEB_TOKEN") if token is None else token,
            allowed_hosts=allowed_hosts,
            proxies=proxies,
            threads=threads,
            table_mb=table_mb,
            book=book_path(context, book, no_book=no_book),
            read_only=read_only,
            programs=programs,
            limits=Limits(
                requests_per_second=rate or math.inf,
                searches_per_client=searches,
                budget_seconds=max_budget,
                disk_bytes=disk_mb << 20,
            ),
        ),
        on_ready=lambda url: _tell(url, as_json=settings.json),
    )


def _tell(url: str, *, as_json: bool) -> None:
    """Print where the server is: programs wait for this line."""
    import sys

    if as_json:
        import json

        echo.line(json.dumps({"url": url}))
    else:
        echo.line(f"C4 is at {url} (Ctrl-C ends it)")
    sys.stdout.flush()
