"""Whether a fault comes from a damaged database, and not from the program.

Commands trust what they read, because checking it takes longer than reading it. So the database is
checked when something has gone wrong.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from db.database import Database
from db.maintenance import check

REMEDY: Final = "c4 db check lists all damage, c4 db repair drops what can be solved again"

_STORED_OTHERWISE: Final = frozenset({"damage", "schema", "row"})
# Problems of other kinds were stored by a program; they are no damage.


def first_damage(url: str) -> str | None:
    """What is damaged in a database, or None where nothing is."""
    # An error here must not hide the first one.
    with suppress(Exception), Database.open(url, create=False) as database:
        for problem in check(database):
            if problem.kind in _STORED_OTHERWISE:
                return f"{database.url} is damaged: {problem.message}; {REMEDY}"
    return None
