"""The progress bar on standard error, on a terminal only."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from cli.shell.process import echo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cli.shell.settings import Settings


def is_shown(settings: Settings, *, over_output: bool = False) -> bool:
    """Whether to draw progress.

    ``over_output`` is whether results go to standard output at the same time. On a terminal they
    would be written across the bar, and they show the progress themselves.
    """
    on_terminal = sys.stderr.isatty() and not (over_output and sys.stdout.isatty())
    return on_terminal and not settings.quiet


@contextmanager
def bar(*, shown: bool, total: float | None = None) -> Iterator[Callable[..., None]]:
    """A text with a bar that disappears at the end; without a total only the text.

    The context's value takes ``description``, ``completed`` and ``total``, as in Rich.
    """
    if not shown:
        yield lambda **_fields: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
    from rich.table import Column

    from cli.output.render import console

    text = TextColumn("{task.description}", table_column=Column(overflow="fold"))
    columns = [SpinnerColumn("line"), text, *([] if total is None else [BarColumn(bar_width=20)])]
    with Progress(*columns, console=console(stderr=True), transient=True) as drawn:
        yield partial(drawn.update, drawn.add_task("", total=total))


@contextmanager
def counting(
    what: str, *, shown: bool, total: int | None = None
) -> Iterator[Callable[[int], None]]:
    """Show the number of things done; call the context's value with the number."""
    of = "" if total is None else f" of {total:,}"
    with bar(shown=shown, total=total) as update:
        yield lambda done: update(completed=done, description=f"{what}: {done:,}{of}")


FIRST_SECONDS: Final = 1.0
"""Progress appears after this time."""

HINT_SECONDS: Final = 10.0
"""The hint appears after this time."""

HINT: Final = (
    "This may take long. c4 deep keeps what is proven, can be interrupted, and lets many machines "
    "work."
)


@contextmanager
def watching(
    text: Callable[[float], str], *, shown: bool, hint: bool
) -> Iterator[Callable[[], None]]:
    """Show a search's progress; call the context's value often.

    ``text`` describes the search after some seconds. With ``hint``, "c4 deep" is mentioned after
    :data:`HINT_SECONDS`.
    """
    began = time.monotonic()
    with ExitStack() as drawn:
        update: Callable[..., None] | None = None

        def look() -> None:
            nonlocal update, hint
            seconds = time.monotonic() - began
            if not shown or seconds < FIRST_SECONDS:
                return
            if hint and seconds >= HINT_SECONDS:
                hint, update = False, None
                drawn.close()
                echo(HINT, err=True)
            update = update or drawn.enter_context(bar(shown=True))
            update(description=text(seconds))

        yield look
