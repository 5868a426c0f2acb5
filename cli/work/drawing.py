"""Drawing a job's progress on the terminal: what there is to draw depends on its kind."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.output import progress
from workers.deep.task import KIND as DEEP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from db.database import Database
    from workers.core.progress import Progress


@contextmanager
def drawing(
    database: Database, job_id: int, *, shown: bool
) -> Iterator[Callable[[Progress], None] | None]:
    """Draw how far a job is, if that is ``shown``; the context's value is to be told, if any.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    from workers.core.following import read_job

    job = read_job(database, job_id)
    if shown and job.kind == DEEP:
        from cli.work.tree_watch import drawing as draw_tree

        with draw_tree(database, job) as tell:
            yield tell
    else:
        with progress.solving(job_id, shown=shown) as tell_bar:
            yield tell_bar
