"""The tree of commands. :func:`run` turns every failure into a message and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Final

import click
from click.exceptions import NoArgsIsHelpError

from cli.shell import settings
from cli.shell.commands import COMPLETION_VARIABLE, LazyGroup
from cli.shell.process import (
    EXIT_HELP,
    Exit,
    discard_output,
    echo,
    exit_code,
    ignoring_closed_stderr,
)
from cli.shell.settings import Settings
from workers.configuration import misspelled
from workers.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

SUMMARIES: Final = {
    "solve": "Solve positions: exact scores of positions and columns.",
    "analyze": "Analyze a batch of positions, one per line, as a job.",
    "deep": "Prove the score of one hard position with all workers.",
    "book": "Build, query, check and export opening books.",
    "review": "Review games move by move, using exact scores.",
    "puzzles": "Find positions with a single move that keeps a win or a draw.",
    "show": "Draw a position or a game.",
    "prove": "Write a certificate, a proof of a position's score.",
    "certificate": "Check, describe and query certificates: proofs of scores.",
    "count": "Count the positions of a board, ply by ply.",
    "query": "Query known positions in the database.",
    "jobs": "List, watch, stop and continue jobs, and write their results.",
    "status": "Show queued and running work, its speed, the workers, and problems.",
    "match": "Let A play against B, and report the results.",
    "tournament": "Let several players meet each other, and report the results.",
    "dataset": "Build and check data sets with exact labels.",
    "play": "Play Connect Four at the terminal.",
    "games": "List, show, report, export and import games.",
    "players": "List players and describe their parameters.",
    "engine": "Run an engine that answers UCI lines on standard input.",
    "learn": "Train networks that play, and evaluate them.",
    "serve": "Serve an analysis board for the browser and an API.",
    "mcp": "Serve tools for language models (Model Context Protocol).",
    "worker": "Work on jobs from the broker until stopped.",
    "db": "Create, upgrade, check and copy the database.",
    "completion": "Write the script with which a shell completes c4 commands.",
    "bench": "Measure how fast this machine solves positions.",
}
"""The commands as ``c4 --help`` lists them, which imports none of them. ``NAME`` is the function
``NAME`` of the module ``cli.commands.NAME``, whose docstring begins with the same sentence."""

ELSEWHERE: Final = {
    "prove": "cli.commands.certificate.making:prove",
    "db": "cli.commands.database:database",
}
"""Commands whose module or function has another name."""

COMMANDS: Final = {name: ELSEWHERE.get(name, f"cli.commands.{name}:{name}") for name in SUMMARIES}

EXAMPLES = (
    "c4 solve 4453",
    "c4 analyze --sample --score-only | head -3",
    "c4 query --ply 20 --value win --limit 5",
)


class Program(LazyGroup):
    """The top-level group, whose help ends with the exit codes."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the exit codes."""
        super().format_epilog(ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in EXIT_HELP])


def _version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if value and not context.resilient_parsing:
        from c4core.version import ENGINE_VERSION, __version__
        from db.migrations import HEAD

        echo(f"c4 {__version__} (engine {ENGINE_VERSION}, schema {HEAD})")
        context.exit()


@click.group(cls=Program, lazy=COMMANDS, summaries=SUMMARIES, examples=EXAMPLES)
@settings.database_option(envvar="C4_DB")
@settings.broker_option(envvar="C4_BROKER")
@settings.json_option
@settings.quiet_option
@settings.verbose_option
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version of the package, of the engine and of the database's schema.",
)
def c4() -> None:
    """Exact Connect Four analysis: solve positions, keep them, query them.

    Moves are column numbers counted from 1, as in 4453. A score is for the side to move:
    positive wins, 0 draws, negative loses. The larger a win's score, the sooner the win.

    Results are kept in a database, by default a file in your data directory. No position is
    solved twice. With --broker, "c4 worker" processes do the work, on any number of machines
    that share the database.

    "c4 help COMMAND" shows the options of a command.
    """


PROGRAM = "c4"


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    if COMPLETION_VARIABLE in os.environ:
        c4.main(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE)  # exits
    try:
        with c4.make_context(PROGRAM, list(arguments), obj=Settings()) as context:
            for sentence in misspelled(os.environ):
                echo(f"Warning: {sentence}", err=True)
            c4.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        with ignoring_closed_stderr():
            _show(error)
        return error.exit_code
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (nothing passes this boundary)
        return _report(error)
    return Exit.FINE


def _show(error: click.ClickException) -> None:
    """Show a usage error, which may quote what was typed.

    If a group is called without a command, the message is its help text, which stays as it is.
    """
    if not isinstance(error, NoArgsIsHelpError):
        message = printable(error.format_message())
        vars(error)["format_message"] = lambda: message
    error.show()


def _report(error: BaseException) -> int:
    """Report what went wrong; return the exit code. ``C4_TRACE`` shows the stack trace."""
    if os.environ.get("C4_TRACE"):
        for text in traceback.format_exception(error):
            for line in text.splitlines():
                echo(line, err=True)
    if isinstance(error, KeyboardInterrupt):
        return _report_interrupt(error)
    try:
        from cli.failures import Failure, explain
    except Exception as broken:  # noqa: BLE001 (the engine cannot be loaded; C4_KERNEL may name none)
        echo(f"Error: {broken}", err=True)
        return Exit.USAGE

    failure = explain(error)
    if failure is None:
        fault = f"a fault in c4: {type(error).__name__}: {error} (C4_TRACE=1 shows where)"
        failure = Failure(Exit.PROBLEMS, fault)
    if isinstance(error, OSError):
        discard_output()
    if failure.message:
        with ignoring_closed_stderr():
            echo(f"Error: {failure.message}", err=True)
    return failure.code


def _report_interrupt(error: KeyboardInterrupt) -> int:
    """Report an interruption.

    Nothing is imported here: if the import of numpy is interrupted, it cannot be imported again.
    """
    discard_output()
    with ignoring_closed_stderr():
        echo("Interrupted.", err=True)
    return exit_code(error)
