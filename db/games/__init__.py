"""Matches and their games. Callers import everything from here.

A match and a number identify a game. It is written together with the state of the unit that played
it, so it is stored exactly once, even if workers die.
"""

from __future__ import annotations

from db.games.matches import (
    NOT_NEEDED as NOT_NEEDED,
    create_match as create_match,
    delete_match as delete_match,
    end_early as end_early,
    end_import as end_import,
    find_import as find_import,
    finished_matches as finished_matches,
    get_created_at as get_created_at,
    get_match as get_match,
    get_terms as get_terms,
    get_verdict as get_verdict,
    list_matches as list_matches,
    matches_of_job as matches_of_job,
    set_result as set_result,
    set_units as set_units,
    units_of_match as units_of_match,
)
from db.games.storing import (
    add_games as add_games,
    count_moves as count_moves,
    find_game as find_game,
    list_games as list_games,
    read_finals as read_finals,
    read_pace as read_pace,
    read_results as read_results,
    results_in_order as results_in_order,
    stream_games as stream_games,
)
