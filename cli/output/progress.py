"""Progress bars on standard error, on a terminal only."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as Bar, ProgressColumn

    from cli.shell.settings import Settings
    from db.records.jobs import JobInfo


def is_shown(settings: Settings, *, over_output: bool) -> bool:
    """Whether to draw progress.

    ``over_output`` is whether results go to standard output at the same time. On a terminal they
    would be written across the bar, and they show the progress themselves.
    """
    on_terminal = sys.stderr.isatty() and not (over_output and sys.stdout.isatty())
    return on_terminal and not settings.quiet


@contextmanager
def planning(*, shown: bool, of: str = "lines") -> Iterator[Callable[[int], None]]:
    """Show the number of lines (or ``of``) read; call the context's value with the number."""
    if not shown:
        yield lambda _lines: None
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn(f"reading {{task.completed:,.0f}} {of}")
    with _bar(SpinnerColumn("line"), text, TimeElapsedColumn(), expand=False) as update:
        yield lambda lines: update(completed=lines)


@contextmanager
def solving(
    job_id: int, *, shown: bool, remark: Callable[[], str] = lambda: ""
) -> Iterator[Callable[[JobInfo], None] | None]:
    """Show positions done, rate and remaining time; call the context's value with each progress."""
    if not shown:
        yield None
        return
    from rich.progress import BarColumn, TextColumn

    with _bar(
        TextColumn(f"job {job_id}"),
        BarColumn(bar_width=None),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TextColumn("{task.percentage:3.0f}%"),
        *(TextColumn(f"{{task.fields[{name}]}}") for name in ("rate", "remaining", "remark")),
        visible=False,
        rate="",
        remaining="",
        remark="",
    ) as update:

        def show(job: JobInfo) -> None:
            update(
                total=sum(job.positions.values()),
                completed=job.positions_ended,
                rate=rate_text(job.positions_per_second),
                remaining=remaining_text(job.eta_seconds),
                remark=remark(),
                visible=True,
            )

        yield show


@contextmanager
def counting(what: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Show the number of things done; call the context's value with the number."""
    if not shown:
        yield lambda _done: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    numbers = TextColumn("{task.completed:,.0f}/{task.total:,.0f}")
    bar = BarColumn(bar_width=None)
    with _bar(TextColumn(what), bar, numbers, TimeRemainingColumn(), total=total) as update:
        yield lambda done: update(completed=done)


@contextmanager
def training(epochs: int, *, shown: bool) -> Iterator[Callable[[float, str], None]]:
    """Show a training's progress; call the context's value with the epochs done and a remark."""
    if not shown:
        yield lambda _done, _remark: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    with _bar(
        TextColumn("epoch {task.completed:.1f}/{task.total:.0f}"),
        BarColumn(bar_width=None),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}"),
        total=epochs,
        remark="",
    ) as update:
        yield lambda done, remark: update(completed=done, remark=remark)


@contextmanager
def _bar(
    *columns: ProgressColumn, total: float | None = None, expand: bool = True, **fields: Any
) -> Iterator[Callable[..., None]]:
    """A bar that disappears at the end; the context's value updates it."""
    from rich.progress import Progress as Bar

    from cli.output.render import console

    screen = console(stderr=True)
    with Bar(*columns, console=screen, expand=expand, transient=True) as bar:
        yield partial(bar.update, bar.add_task("", total=total, **fields))


def rate_text(rate: float | None) -> str:
    """Positions per second; a dash if unknown."""
    if rate is None:
        return "-/s"
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"  # noqa: PLR2004


def remaining_text(seconds: float | None) -> str:
    """Remaining time; a dash if unknown."""
    if seconds is None:
        return "-:-- left"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"


FIRST_SECONDS: Final = 1.0
"""Progress appears after this time."""

HINT_SECONDS: Final = 10.0
"""The hint appears after this time."""

HINT: Final = (
    "This may take long. c4 deep solves a hard position piece by piece: it keeps what is proven, "
    "can be interrupted, and lets many machines work."
)


class SearchProgress(NamedTuple):
    """Progress of a search."""

    nodes: int
    """Nodes searched by this solver, in this search and all earlier ones."""
    lower: int | None
    """Lower bound on the score for the side to move; None while nothing is proven."""
    upper: int | None


@contextmanager
def watching(
    progress: Callable[[], SearchProgress] | None,
    *,
    shown: bool,
    hint: bool,
    is_alone: Callable[[], bool] = lambda: False,
) -> Iterator[Callable[[], None]]:
    """Show a search's progress; call the context's value often.

    ``progress`` is None if workers search; then ``is_alone`` is whether there are no workers. With
    ``hint``, "c4 deep" is mentioned after :data:`HINT_SECONDS`.
    """
    if not shown:
        yield lambda: None
        return
    line = _SearchLine(progress, hint=hint, is_alone=is_alone)
    try:
        yield line.look
    finally:
        line.end()


class _SearchLine:
    def __init__(
        self,
        progress: Callable[[], SearchProgress] | None,
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
        seconds = time.monotonic() - self._began
        if seconds < FIRST_SECONDS:
            return
        if self._bar is None:
            self._bar = _search_bar()
            self._bar.start()
        if self._hint and seconds >= HINT_SECONDS:
            self._hint = False
            self._bar.console.print(HINT)
        self._bar.update(self._bar.task_ids[0], description=self._text(seconds))

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _text(self, seconds: float) -> str:
        from cli.output.render import count, duration, score_text

        if self._progress is None:
            # Workers that start later are not noticed, so "waiting" may no longer be true.
            what = "waiting for workers" if self._is_alone() else "workers search"
            return f"{what}, {duration(seconds)}"
        now = self._progress()
        text = f"{count(now.nodes - self._before, 'node')} in {duration(seconds)}"
        if now.lower is None or now.upper is None:
            return text
        return f"{text}, score between {score_text(now.lower)} and {score_text(now.upper)}"


def _search_bar() -> Bar:
    from rich.progress import Progress as RichBar, SpinnerColumn, TextColumn

    from cli.output.render import console

    bar = RichBar(
        SpinnerColumn("line"),
        TextColumn("{task.description}"),
        console=console(stderr=True),
        transient=True,
    )
    bar.add_task("", total=None)
    return bar
