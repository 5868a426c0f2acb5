"""A job while somebody watches it: a bar, or of a deep job its tree in one line."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.output import progress
from cli.work.tree_view import line_text
from workers.deep.progress import Observer
from workers.deep.task import KIND as DEEP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.core.progress import Progress
    from workers.deep.progress import DeepProgress


class TreeWatch:
    """Looks at the tree of a job.

    Args:
        database: where the job lives.
        job: of kind ``deep``.
    """

    def __init__(self, database: Database, job: JobInfo) -> None:
        self._database = database
        self._observer = Observer(job)
        self._first_nodes: int | None = None

    def look(self) -> DeepProgress:
        """The tree now."""
        with self._database.read() as session:
            return self._observer.look(session)

    def rate(self, progress: Progress) -> float | None:
        """Nodes per second of the pieces completed since the first look; None while unknown."""
        if self._first_nodes is None:
            self._first_nodes = progress.job.nodes
        nodes = progress.job.nodes - self._first_nodes
        return nodes / progress.seconds if nodes and progress.seconds > 0 else None


@contextmanager
def drawn(
    database: Database, job: JobInfo, *, shown: bool, remark: Callable[[], str] = lambda: ""
) -> Iterator[Callable[[Progress], None] | None]:
    """Draw the progress of a job on the terminal.

    Args:
        database: where the job lives.
        job: of any kind.
        shown: whether anything is drawn.
        remark: what else to say beside a bar, asked at every look.

    Yields:
        What to call with every look at the job; None where nothing is drawn.
    """
    if not shown or job.kind != DEEP:
        with progress.solving(job.id, shown=shown, remark=remark) as tell_bar:
            yield tell_bar
        return
    from cli.output.render import console

    watch = TreeWatch(database, job)
    title = f"job {job.id}"
    with console(stderr=True).status(title, spinner="line") as status:
        yield lambda seen: status.update(f"{title}: {line_text(watch.look(), watch.rate(seen))}")
