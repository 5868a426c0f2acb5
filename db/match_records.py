"""What matches and their games look like from outside. The face of the modules that say it.

Nothing here needs SQLAlchemy.
"""

from __future__ import annotations

from db.game_records import ON_THE_BOARD, GameCursor, GameFilter, GamePage, StoredGame
from db.match_standings import MatchInfo, MatchResults, MatchTally, Origin
from db.match_terms import MatchTerms, Seats

__all__ = [
    "ON_THE_BOARD",
    "GameCursor",
    "GameFilter",
    "GamePage",
    "MatchInfo",
    "MatchResults",
    "MatchTally",
    "MatchTerms",
    "Origin",
    "Seats",
    "StoredGame",
]
