"""The terms of matches: which matches can be played, who meets whom, and who plays in a unit."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TYPE_CHECKING, Final, TypeVar

from c4core.errors import C4Error
from c4core.players import parse_player
from db import games
from db.errors import DamagedValueError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from c4core.notation import BoardSize
    from c4core.players import PlayerSpec
    from db.database import Database, Session
    from db.records.jobs import Claim, JobInfo
    from db.records.matches import MatchTerms


class MatchTermsError(C4Error, ValueError):
    """The match cannot be played: no games, a board that is too small, a start that is over."""


class GameImportError(C4Error, ValueError):
    """The game is impossible: its moves are illegal, or its ending does not match them."""


KIND: Final = "match"

LEAST_SIDE: Final = 4
"""Minimum number of columns and of rows, for a line of four in every direction."""

MAX_GAMES: Final = 100_000_000
"""Maximum number of games in a match; a larger number is a typing error."""


def complete(database: Database, terms: MatchTerms) -> MatchTerms:
    """Complete the terms: the players' full descriptions, and a corpus if a player needs one.

    A player that looks games up gets the games of all finished matches on the board, unless the
    terms name matches. Raises PlayerError or MatchTermsError if the match cannot be played.
    """
    _check(terms)
    specs = [parse_player(text) for text in (terms.player_a, terms.player_b)]
    for spec in specs:
        spec.make().check_board(terms.board)
    looked_up = any(map(looks_games_up, specs))
    corpus = find_corpus(database, terms.board, terms.corpus) if looked_up else ()
    return replace(terms, player_a=specs[0].full, player_b=specs[1].full, corpus=corpus)


def looks_games_up(spec: PlayerSpec) -> bool:
    """Whether a player looks up stored games."""
    return "final_games" in spec.kind.resources


def asks_the_solver(spec: PlayerSpec) -> bool:
    """Whether a player needs exact scores."""
    return "analyst" in spec.kind.resources


def needs_this_machine(description: str) -> bool:
    """Whether a player needs files, a program or a model, which other machines may not have."""
    return parse_player(description).needs_files


def find_corpus(database: Database, board: BoardSize, wanted: Collection[int]) -> tuple[int, ...]:
    """The numbers, ascending, of finished matches whose games players may look up.

    All are used if none is wanted. Raises MatchTermsError if a wanted match is not finished, is on
    another board, or does not exist.
    """
    with database.read() as session:
        finished = games.finished_matches(session, board)
    wrong = sorted(set(wanted) - set(finished))
    if wrong:
        raise MatchTermsError(
            f"match {wrong[0]} is not a finished match on {board}, so its games cannot be used"
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
        raise MatchTermsError("the start position of a match must be an open game")


Player = TypeVar("Player")


def pairs_of(
    players: Sequence[Player],
    against: Sequence[Player] = (),
    *,
    both_ways: bool = False,
    themselves: bool = False,
) -> list[tuple[Player, Player]]:
    """Every pair of players that meets, in order.

    With ``against``, the players meet only these opponents. With ``both_ways`` every two players
    meet twice, the second time with exchanged roles. With ``themselves`` every player also meets
    itself.
    """
    if against:
        found = list(product(players, against))
        if both_ways:
            found += [(other, player) for player, other in found if player != other]
        return found
    if both_ways:
        mirror = [(player, player) for player in players] if themselves else []
        return [*mirror, *permutations(players, 2)]
    return list(
        combinations_with_replacement(players, 2) if themselves else combinations(players, 2)
    )


def players_of_job(session: Session, job: JobInfo) -> list[str]:
    """The players of a job's matches; none if a match cannot be read: its units will fail."""
    try:
        matches = games.matches_of_job(session, job.id)
    except DamagedValueError:
        return []
    return [player for match in matches for player in (match.terms.player_a, match.terms.player_b)]


def players_of_unit(session: Session, claim: Claim) -> list[str]:
    """The players of a unit; none if its payload is wrong: solving it reports what is wrong."""
    try:
        terms = games.get_terms(session, claim.payload["match"])
    except (AttributeError, LookupError, TypeError, ValueError):
        return []
    return [terms.player_a, terms.player_b]
