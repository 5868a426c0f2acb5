"""Where every failure becomes a message on standard error and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

import click
from click.exceptions import NoArgsIsHelpError

from cli.app import c4
from cli.shell import completing, echo, exits, signals, streams
from cli.shell.settings import Settings
from workers.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "c4"


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code."""
    if completing.VARIABLE in os.environ:
        c4.main(prog_name=PROGRAM, complete_var=completing.VARIABLE)  # exits
    settings = Settings()
    try:
        with c4.make_context(PROGRAM, list(arguments), obj=settings) as context:
            c4.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        with streams.nobody_listening():
            _show(error)
        return error.exit_code
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (nothing passes this boundary)
        return _report(error, settings.opened)
    return exits.FINE


def _show(error: click.ClickException) -> None:
    """Show a usage error, which may quote what was typed.

    The message for a group without a command is its help, of many lines and with nothing typed.
    """
    if not isinstance(error, NoArgsIsHelpError):
        message = printable(error.format_message())
        vars(error)["format_message"] = lambda: message
    error.show()


def _report(error: BaseException, opened: list[str]) -> int:
    """Tell what went wrong; the exit code. ``opened``: the databases that were in use.

    A stack trace is shown only with ``C4_TRACE``: whoever types a command wants to know what
    happened, not where.
    """
    if os.environ.get("C4_TRACE"):
        for text in traceback.format_exception(error):
            for line in text.splitlines():
                echo.line(line, err=True)
    if isinstance(error, KeyboardInterrupt):
        return _report_interrupt(error)
    from cli.failures import Failure, explain

    failure = explain(error)
    if failure is None and opened:
        from cli.damage import first_damage

        with streams.nobody_listening():
            echo.line("Something went wrong. Checking the database for damage ...", err=True)
        damage = first_damage(opened[-1])
        failure = None if damage is None else Failure(exits.PROBLEMS, damage)
    if failure is None:
        fault = f"a fault in c4: {type(error).__name__}: {error} (C4_TRACE=1 shows where)"
        failure = Failure(exits.PROBLEMS, fault)
    if isinstance(error, OSError):
        streams.discard_output()
    if failure.message:
        with streams.nobody_listening():
            echo.line(f"Error: {failure.message}", err=True)
    return failure.code


def _report_interrupt(error: KeyboardInterrupt) -> int:
    """The same for a signal, which may have come during an import.

    So nothing more is imported here: numpy, for one, cannot be imported again after that.
    """
    streams.discard_output()
    with streams.nobody_listening():
        echo.line("Interrupted.", err=True)
    return signals.exit_code(error)
