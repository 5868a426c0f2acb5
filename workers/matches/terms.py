"""Checking the terms of a match, and completing them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from c4core.players import parse_player
from db import games
from workers.matches.errors import MatchTermsError

if TYPE_CHECKING:
    from collections.abc import Collection

    from c4core.notation import BoardSize
    from c4core.players import PlayerSpec
    from db.database import Database
    from db.records.matches import MatchTerms

LEAST_SIDE: Final = 4
"""Columns and rows that a board needs for a line of four in every direction."""

MAX_GAMES: Final = 100_000_000
"""Games of a match at most: a larger number is a typing error."""


def complete(database: Database, terms: MatchTerms) -> MatchTerms:
    """The same terms with the players' full descriptions, and with a corpus if players need one.

    A player that looks games up gets those of all finished matches on the board, unless the terms
    name some.

    Args:
        database: has those matches.
        terms: as the caller has them.

    Raises:
        PlayerError: a player's description cannot be read, or it plays on other boards.
        MatchTermsError: the match cannot be played, or its players cannot look up these games.
        StorageError: the database cannot be read.
    """
    _check(terms)
    specs = [parse_player(text) for text in (terms.player_a, terms.player_b)]
    for spec in specs:
        spec.make().check_board(terms.board)
    looked_up = any(map(looks_games_up, specs))
    corpus = find_corpus(database, terms.board, terms.corpus) if looked_up else ()
    return replace(terms, player_a=specs[0].full, player_b=specs[1].full, corpus=corpus)


def looks_games_up(spec: PlayerSpec) -> bool:
    """Whether a player looks stored games up."""
    return "final_games" in spec.kind.resources


def asks_the_solver(spec: PlayerSpec) -> bool:
    """Whether a player asks for exact scores."""
    return "analyst" in spec.kind.resources


def needs_this_machine(description: str) -> bool:
    """Whether a player needs files, a program or a model, which other machines may not have.

    Raises:
        PlayerError: the description cannot be read.
    """
    return parse_player(description).needs_files


def find_corpus(database: Database, board: BoardSize, wanted: Collection[int]) -> tuple[int, ...]:
    """The matches whose games players look up: finished ones, whose games do not change.

    Args:
        database: where they are.
        board: of all their games.
        wanted: numbers of matches; empty for all finished ones.

    Returns:
        Their numbers, ascending.

    Raises:
        MatchTermsError: one is not finished, is on another board, or does not exist.
        StorageError: the database cannot be read.
    """
    with database.read() as session:
        finished = games.finished_matches(session, board)
    wrong = sorted(set(wanted) - set(finished))
    if wrong:
        raise MatchTermsError(
            f"match {wrong[0]} is no finished match on {board}: its games cannot be used"
        )
    return tuple(sorted(set(wanted))) or finished


def _check(terms: MatchTerms) -> None:
    for text in (terms.player_a, terms.player_b):
        if not text.isprintable():
            raise MatchTermsError(f"a player's description is a line of text, not {text!r}")
    if not 1 <= terms.games <= MAX_GAMES:
        raise MatchTermsError(f"a match has 1 to {MAX_GAMES:,} games, not {terms.games:,}")
    if not 0 <= terms.seed < 1 << 64:
        raise MatchTermsError(f"the seed of a match is 0 to {(1 << 64) - 1}, not {terms.seed}")
    if min(terms.board) < LEAST_SIDE:
        raise MatchTermsError(
            f"matches need a board of at least {LEAST_SIDE} columns and rows, not {terms.board}"
        )
    if terms.start.is_over:
        raise MatchTermsError("the game is over in the position that the match begins with")
