"""Whether a fault is the program's, or that of a database which holds what was never stored.

Commands trust what they read: to check it all would take longer than to read it. So it is looked at
when something has gone wrong.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from db.database import Database
from db.maintenance import check

_STORED_OTHERWISE: Final = frozenset({"damage", "schema", "row"})
# The other kinds are of rows that were stored so.


def first_damage(url: str) -> str | None:
    """What is damaged in a database, or None where nothing is."""
    # The first fault is to be told, and not another one.
    with suppress(Exception), Database.open(url, create=False) as database:
        for problem in check(database):
            if problem.kind in _STORED_OTHERWISE:
                return f"{database.url} is damaged (c4 db check tells all): {problem.message}"
    return None
