"""``c4 serve``: serve the analysis board and the API."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from c4core import extras
from cli.positions.books import Books
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, flag, group, number, option, takes
from cli.shell.process import echo
from workers.logs import set_up

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


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 serve``."""

    host: str = option(
        "Address to listen on; 0.0.0.0 is all networks, and needs a token.",
        metavar="ADDRESS",
        default="127.0.0.1",
    )
    port: int = number(
        parameters.IntRange(0, LARGEST_PORT), "Port to listen on; 0 for any free one.", default=8004
    )
    token: str | None = option(
        "Token that clients must send to create or change jobs. Set the variable instead: "
        "everybody on the machine can read a command line.",
        metavar="TEXT",
        envvar="C4_WEB_TOKEN",
        show_envvar=True,
    )
    allowed_hosts: tuple[str, ...] = option(
        "Also accept this host name, such as a proxy's; can be given again. Needs a token.",
        "--allow-host",
        multiple=True,
        metavar="NAME",
        envvar="C4_WEB_HOSTS",
        show_envvar=True,
    )
    proxies: tuple[str, ...] = option(
        "Read the client's address from X-Forwarded-For on connections from this proxy or network; "
        "can be given again.",
        "--trust-proxy",
        multiple=True,
        metavar="ADDRESS",
    )
    opens: bool = flag("Open the page in the default browser.", "--open")
    no_store: bool = flag("Use no database: no jobs, no games, nothing kept.")
    read_only: bool = flag("Read the database but never write to it.")
    rate: float = number(
        parameters.FiniteFloat(0),
        "Average requests per second allowed for one client; 0 for no limit.",
        default=50,
    )
    searches: int = number(
        parameters.IntRange(1, 1000), "Simultaneous searches allowed for one client.", default=4
    )
    max_budget: float = number(
        parameters.FiniteFloat(0, LONGEST_BUDGET),
        "Maximum time that a client may request for an answer.",
        metavar="SECONDS",
        default=30,
    )
    books: Books = group(Books)
    programs: Consent = parameters.programs("for everybody who can reach the server.")
    engine: Engine = group(Engine)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def serve(settings: Settings, given: Given) -> None:
    """Serve an analysis board for the browser and an API.

    The board is at http://127.0.0.1:8004/, the API is described at /api/v1/openapi.json. The
    address is printed once the server answers.

    Everybody on this machine can reach the server. It needs a token to listen to other machines or
    behind a proxy. Then only clients that send the token can create or change jobs.

    With --broker, workers do the jobs; otherwise threads of this process do them. Ctrl-C or SIGTERM
    end the server within about a second. Unfinished jobs continue when it starts again.
    """
    refuse(
        (given.token == "", "--token is empty; leave it out, or give a value"),
        (given.no_store and given.read_only, "--read-only and --no-store cannot be used together"),
    )

    extras.require(extras.WEB, click.ClickException)

    from web.server import serve as run_server
    from web.settings import Limits, ServerSettings

    set_up(
        verbose=settings.verbose,
        quiet=settings.quiet,
        urls=[settings.db, settings.broker_url],
        traces=bool(os.environ.get("C4_TRACE")),
    )
    if not given.no_store:
        settings.say_if_local()
    run_server(
        ServerSettings(
            host=given.host,
            port=given.port,
            database_url=None if given.no_store else settings.url,
            broker_url=None if given.no_store else settings.broker_url,
            # click treats an empty variable as unset.
            token=os.environ.get("C4_WEB_TOKEN") if given.token is None else given.token,
            allowed_hosts=given.allowed_hosts,
            proxies=given.proxies,
            **vars(given.engine),
            book=given.books.path(),
            read_only=given.read_only,
            programs=given.programs,
            limits=Limits(
                requests_per_second=given.rate or math.inf,
                searches_per_client=given.searches,
                budget_seconds=given.max_budget,
            ),
        ),
        on_ready=lambda url: _tell(url, as_json=settings.json, opens=given.opens),
    )


def _tell(url: str, *, as_json: bool, opens: bool) -> None:
    """Print the server's address; with ``opens``, also open it in a browser.

    The output is flushed, because other programs may wait for it.
    """
    if as_json:
        echo(json.dumps({"url": url}))
    else:
        echo(f"C4 is at {url} (Ctrl-C ends it)")
    sys.stdout.flush()
    if opens:
        import webbrowser

        # The call waits for a browser that runs in the terminal.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
