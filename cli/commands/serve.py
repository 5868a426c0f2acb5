"""``c4 serve``: serve the analysis board and the API."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import click

from cli.positions.books import book_options, book_path
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.process import echo

if TYPE_CHECKING:
    from c4core.players.player import Consent
    from cli.shell.settings import Settings

LARGEST_PORT = 65_535
LONGEST_BUDGET = 86_400
"""One day in seconds."""

EXAMPLES = (
    "c4 serve --open",
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
    help="Address to listen on; 0.0.0.0 is all networks, and needs a token.",
)
@click.option(
    "--port",
    type=parameters.IntRange(0, LARGEST_PORT),
    metavar="N",
    default=8004,
    show_default=True,
    help="Port to listen on; 0 for any free one.",
)
@click.option(
    "--token",
    metavar="TEXT",
    envvar="C4_WEB_TOKEN",
    show_envvar=True,
    help="Token that clients must send to create or change jobs. Set the variable instead: "
    "everybody on the machine can read a command line.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    envvar="C4_WEB_HOSTS",
    show_envvar=True,
    help="Also accept this host name, such as a proxy's; can be given again. Needs a token.",
)
@click.option(
    "--trust-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Read the client's address from X-Forwarded-For on connections from this proxy; "
    "can be given again.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the default browser.")
@click.option("--no-store", is_flag=True, help="Use no database: no jobs, no games, nothing kept.")
@click.option("--read-only", is_flag=True, help="Read the database but never write to it.")
@click.option(
    "--rate",
    type=parameters.FiniteFloat(0),
    metavar="N",
    default=50,
    show_default=True,
    help="Average requests per second allowed for one client; 0 for no limit.",
)
@click.option(
    "--searches",
    type=parameters.IntRange(1, 1000),
    metavar="N",
    default=4,
    show_default=True,
    help="Simultaneous searches allowed for one client.",
)
@click.option(
    "--max-budget",
    type=parameters.FiniteFloat(0, LONGEST_BUDGET),
    metavar="SECONDS",
    default=30,
    show_default=True,
    help="Maximum time that a client may request for an answer.",
)
@book_options
@parameters.programs_option("for everybody who can reach the server.")
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
    opens: bool,
    no_store: bool,
    read_only: bool,
    rate: float,
    searches: int,
    max_budget: float,
    book: str | None,
    no_book: bool,
    programs: Consent,
    threads: int,
    table_mb: int,
) -> None:
    """Serve an analysis board for the browser and an API.

    The board is at http://127.0.0.1:8004/, the API is described at /api/v1/openapi.json. The
    address is printed once the server answers.

    Everybody on this machine can reach the server. It needs a token to listen to other machines or
    behind a proxy. Then only clients that send the token can create or change jobs.

    With --broker, workers do the jobs; otherwise threads of this process do them. Ctrl-C or SIGTERM
    end the server within about a second. Unfinished jobs go on when it starts again.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (token == "", "--token is empty; leave it out, or give a value"),
        (no_store and read_only, "--read-only and --no-store cannot be used together"),
    )

    from c4core import extras

    extras.require(extras.WEB, click.ClickException)

    from web.server import serve as run_server
    from web.settings import Limits, Settings as WebSettings
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
            # click treats an empty variable as unset.
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
            ),
        ),
        on_ready=lambda url: _tell(url, as_json=settings.json, opens=opens),
    )


def _tell(url: str, *, as_json: bool, opens: bool) -> None:
    """Print the server's address; with ``opens``, also open it in a browser.

    The output is flushed, because other programs may wait for it.
    """
    import sys

    if as_json:
        import json

        echo(json.dumps({"url": url}))
    else:
        echo(f"C4 is at {url} (Ctrl-C ends it)")
    sys.stdout.flush()
    if opens:
        import threading
        import webbrowser

        # The call waits for a browser that runs in the terminal.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
