"""Matches and their games. Callers import everything from here.

A match and a number identify a game. It is written together with the state of the unit that played
it, so it is stored exactly once, even if workers die.
"""

from __future__ import annotations

from db.games.matches import (
    NOT_NEEDED,
    MatchUnit,
    create_match,
    delete_match,
    end_early,
    end_import,
    find_import,
    finished_matches,
    get_created_at,
    get_match,
    get_terms,
    get_verdict,
    list_matches,
    matches_of_job,
    set_result,
    set_units,
    units_of_match,
)
from db.games.storing import (
    add_games,
    find_game,
    list_games,
    read_finals,
    read_pace,
    read_results,
    results_in_order,
    stream_games,
)

__all__ = [
    "NOT_NEEDED",
    "MatchUnit",
    "add_games",
    "create_match",
    "delete_match",
    "end_early",
    "end_import",
    "find_game",
    "find_import",
    "finished_matches",
    "get_created_at",
    "get_match",
    "get_terms",
    "get_verdict",
    "list_games",
    "list_matches",
    "matches_of_job",
    "read_finals",
    "read_pace",
    "read_results",
    "results_in_order",
    "set_result",
    "set_units",
    "stream_games",
    "units_of_match",
]
