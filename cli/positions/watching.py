"""A line about a long search, for somebody who waits at a terminal."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as Bar

FIRST_SECONDS: Final = 1.0
"""Nothing is shown before this time."""

HINT_SECONDS: Final = 10.0
"""The hint is shown after this time."""

HINT: Final = (
    "This may take long. c4 deep solves a hard position piece by piece: it keeps what is proven, "
    "can be interrupted, and lets many machines work."
)


class Progress(NamedTuple):
    """The progress of a search."""

    nodes: int
    """Searched by this solver, in this search and all before it."""
    lower: int | None
    """Bounds on the score for the side to move; None while nothing is proven."""
    upper: int | None


@contextmanager
def watching(
    progress: Callable[[], Progress] | None,
    *,
    shown: bool,
    hint: bool,
    is_alone: Callable[[], bool] = lambda: False,
) -> Iterator[Callable[[], None]]:
    """Show the progress of a search; call the context's value every now and then.

    Args:
        progress: gives it; None where workers search.
        shown: whether anything is shown.
        hint: mention "c4 deep" after a time.
        is_alone: whether workers should search and there was none.
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
    """The line, which appears after :data:`FIRST_SECONDS`."""

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
        """Draw the line again, once it is time for it."""
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
            # Workers that come later are not noticed, and "waiting" stays true enough.
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
