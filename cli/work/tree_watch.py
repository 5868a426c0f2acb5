"""A deep job while somebody watches: its tree, look by look."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.work.tree_view import line_text
from workers.deep.standing import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.core.progress import Progress
    from workers.deep.standing import Standing


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

    def look(self) -> Standing:
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
def drawing(database: Database, job: JobInfo) -> Iterator[Callable[[Progress], None]]:
    """Draw the tree in one line on the terminal; the context's value is to be told."""
    from cli.output.render import console

    watch = TreeWatch(database, job)
    title = f"job {job.id}"
    with console(stderr=True).status(title, spinner="line") as status:
        yield lambda progress: status.update(
            f"{title}: {line_text(watch.look(), watch.rate(progress))}"
        )
