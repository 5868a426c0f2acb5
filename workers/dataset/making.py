"""Leads a data set from its order to labelled positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.dataset.draft import Draft
from workers.dataset.strong_games import play_games

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.database import Database
    from workers.dataset.draft import Labelled
    from workers.dataset.order import Order


def find_and_label(
    database: Database,
    order: Order,
    run: Callable[[int], None],
    *,
    job_of: Callable[[Draft], int],
) -> tuple[Labelled, int]:
    """Find the positions of a data set and have them labelled.

    One job is enough, but for two kinds of orders: strong play is played first, and if too few
    positions are decisive, more are labelled. What one job has searched, the next one looks up.
    Errors of sources and players are those of ``Draft.of`` and ``play_games``.

    Args:
        database: where games and jobs are.
        order: says what the data set shall be.
        run: works on the job of this number to its end.
        job_of: the job of a draft, as :meth:`Draft.job` makes it.

    Returns:
        The labelled positions, and the number of the last job.

    Raises:
        DatasetIncompleteError: a job is not done.
        EmptySourceError: there are no positions.
    """
    draft = _draft(database, order, run, order.count)
    while True:
        job_id = job_of(draft)
        run(job_id)
        labelled = draft.labelled(database, job_id)
        wanted = labelled.wanted()
        if wanted is None:
            return labelled, job_id
        wider = _draft(database, order, run, wanted)
        if len(wider.found.sample.keys) <= len(draft.found.sample.keys):  # there are no more
            return labelled, job_id
        draft = wider


def _draft(database: Database, order: Order, run: Callable[[int], None], number: int) -> Draft:
    """The draft with so many positions, or with all that there are."""
    is_strong = order.source == "strong"
    games = play_games(database, order, run, number) if is_strong else ()
    return Draft.of(database, order, games=games, number=number)
