"""Stored games in memory, for players that look games up."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from c4core.players import FinalGrids
from db import games

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from db.database import Database

MAX_CORPORA: Final = 2
"""Corpora that are kept. Few are enough: every unit of a match uses the same one."""

_lock: Final = threading.Lock()
_kept: Final[WeakKeyDictionary[Database, dict[tuple[int, ...], FinalGrids]]] = WeakKeyDictionary()


def read_corpus(database: Database, board: BoardSize, matches: tuple[int, ...]) -> FinalGrids:
    """The games of some finished matches that ended on the board; 17 bytes each.

    Finished matches do not change, so what was read once serves all threads of the process.

    Args:
        database: where they are.
        board: of all of them.
        matches: their numbers.

    Raises:
        MatchNotFoundError: one does not exist any more.
        StorageError: the database cannot be read.
    """
    with _lock:
        kept = _kept.setdefault(database, {})
        if matches not in kept:
            with database.read() as session:
                keys, winners = games.read_finals(session, matches)
            while len(kept) >= MAX_CORPORA:
                del kept[next(iter(kept))]
            kept[matches] = FinalGrids.from_keys(keys, winners, board=board)
        return kept[matches]
