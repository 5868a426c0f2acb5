"""Progress on standard error, on a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from cli.shell.settings import Settings
    from workers.core.progress import Progress


def is_shown(settings: Settings, *, over_output: bool) -> bool:
    """Whether to draw progress.

    Args:
        settings: may ask for quiet.
        over_output: results go to standard output meanwhile; on a terminal they would be written
            across the bar, and show progress themselves.
    """
    on_terminal = sys.stderr.isatty() and not (over_output and sys.stdout.isatty())
    return on_terminal and not settings.quiet


@contextmanager
def planning(*, shown: bool, of: str = "lines") -> Iterator[Callable[[int], None]]:
    """Show how many lines, or what else, are read; call the context's value with the number."""
    if not shown:
        yield lambda _lines: None
        return
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with Bar(
        SpinnerColumn("line"),
        TextColumn(f"reading {{task.completed:,.0f}} {of}"),
        TimeElapsedColumn(),
        console=_console(),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None)
        yield lambda lines: bar.update(task, completed=lines)


@contextmanager
def solving(
    job_id: int, *, shown: bool, remark: Callable[[], str] = lambda: ""
) -> Iterator[Callable[[Progress], None] | None]:
    """Show positions done, rate and remaining time; call the context's value with every look.

    Args:
        job_id: the job's number.
        shown: whether anything is shown.
        remark: what else to say, asked at every look.
    """
    if not shown:
        yield None
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn(f"job {job_id}"),
        BarColumn(bar_width=None),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TextColumn("{task.percentage:3.0f}%"),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[remaining]}"),
        TextColumn("{task.fields[remark]}"),
        console=_console(),
        expand=True,
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, rate="", remaining="", remark="", visible=False)

        def tell(progress: Progress) -> None:
            job = progress.job
            bar.update(
                task,
                total=job.positions,
                completed=job.positions_done + job.positions_failed,
                rate=rate_text(progress.rate or job.positions_per_second),
                remaining=remaining_text(progress.remaining),
                remark=remark(),
                visible=True,
            )

        yield tell


@contextmanager
def counting(what: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Show how many things are done; call the context's value with the number.

    Args:
        what: what is counted, as in ``playing games``.
        total: how many there will be.
        shown: whether anything is shown.
    """
    if not shown:
        yield lambda _done: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn(what),
        BarColumn(bar_width=None),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}"),
        TimeRemainingColumn(),
        console=_console(),
        expand=True,
        transient=True,
    ) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def training(epochs: int, *, shown: bool) -> Iterator[Callable[[float, str], None]]:
    """Show the progress of a training; call the context's value with epochs and a remark.

    Args:
        epochs: how many there will be.
        shown: whether anything is shown.
    """
    if not shown:
        yield lambda _done, _remark: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("epoch {task.completed:.1f}/{task.total:.0f}"),
        BarColumn(bar_width=None),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}"),
        console=_console(),
        expand=True,
        transient=True,
    ) as bar:
        task = bar.add_task("", total=epochs, remark="")
        yield lambda done, remark: bar.update(task, completed=done, remark=remark)


def rate_text(rate: float | None) -> str:
    """Positions per second; a dash while unknown."""
    if rate is None:
        return "-/s"
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"  # noqa: PLR2004


def remaining_text(seconds: float | None) -> str:
    """Time to the end; a dash while unknown."""
    if seconds is None:
        return "-:-- left"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"


def _console() -> Console:
    from cli.output.render import console

    return console(stderr=True)
