"""A line about a search that takes long, for somebody who waits at a terminal."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as Bar

FIRST_SECONDS: Final = 1.0
"""So long nothing is said."""

HINT_SECONDS: Final = 10.0
"""After this somebody should know that there is another way."""

HINT: Final = (
    "This may take long. c4 deep solves a hard position piece by piece: it keeps what is proven, "
    "can be interrupted, and lets many machines work."
)


class Progress(NamedTuple):
    """How far a search is."""

    nodes: int
    """Searched by now, or at any time before."""
    lower: int | None
    """Bounds so far on the score for the side to move; None while nothing is proven."""
    upper: int | None


@contextmanager
def watching(
    progress: Callable[[], Progress] | None,
    *,
    shown: bool,
    hint: bool,
    is_alone: Callable[[], bool] = lambda: False,
) -> Iterator[Callable[[], None]]:
    """Show how far a search is; the context's value is to be called every now and then.

    Args:
        progress: how far it is; None where others search.
        shown: whether anything is shown.
        hint: say after a time that there is "c4 deep".
        is_alone: whether others were to search, and nobody was there.
    """
    if not shown:
        yield lambda: None
        return
    line = _Line(progress, hint=hint, is_alone=is_alone)
    try:
        yield line.look
    finally:
        line.end()


class _Line:
    """The line, which is not begun before :data:`FIRST_SECONDS` have passed."""

    def __init__(
        self,
        progress: Callable[[], Progress] | None,
        *,
        hint: bool,
        is_alone: Callable[[], bool],
    ) -> None:
        self._progress = progress
        self._is_alone = is_alone
        self._hint = hint
        self._began = time.monotonic()
        self._before = 0 if progress is None else progress().nodes
        self._bar: Bar | None = None

    def look(self) -> None:
        """Draw the line anew, if it is time for it."""
        seconds = time.monotonic() - self._began
        if seconds < FIRST_SECONDS:
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.start()
        if self._hint and seconds >= HINT_SECONDS:
            self._hint = False
            self._bar.console.print(HINT)
        self._bar.update(self._bar.task_ids[0], description=self._text(seconds))

    def end(self) -> None:
        """Take the line away."""
        if self._bar is not None:
            self._bar.stop()

    def _text(self, seconds: float) -> str:
        from cli.output.render import count, duration, score_text

        if self._progress is None:
            # Who comes later is not noticed: this is true then as well.
            what = "waiting for workers" if self._is_alone() else "workers search"
            return f"{what}, {duration(seconds)}"
        now = self._progress()
        text = f"{count(now.nodes - self._before, 'node')} in {duration(seconds)}"
        if now.lower is None or now.upper is None:
            return text
        return f"{text}, score between {score_text(now.lower)} and {score_text(now.upper)}"


def _bar() -> Bar:
    from rich.progress import Progress as RichBar
    from rich.progress import SpinnerColumn, TextColumn

    from cli.output.render import console

    bar = RichBar(
        SpinnerColumn("line"),
        TextColumn("{task.description}"),
        console=console(stderr=True),
        transient=True,
    )
    bar.add_task("", total=None)
    return bar
