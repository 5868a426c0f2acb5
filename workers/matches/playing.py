"""The job that plays some matches: finding or planning it, and settling its sequential tests."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from db import games
from workers.matches.planning import find_or_plan_matches, plan_matches
from workers.matches.reports.reading import check_matches
from workers.matches.sequential import settle_match
from workers.matches.terms import needs_this_machine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from db.database import Database
    from db.records.matches import MatchTerms


def job_of_matches(
    database: Database,
    terms: Sequence[MatchTerms],
    *,
    label: str | None = None,
    fresh: bool = False,
) -> int:
    """The job that plays some matches: an earlier one for exactly these, or a new one.

    Args:
        database: the job's.
        terms: those of the matches.
        label: a name for a new job; an earlier one keeps its own.
        fresh: make a new job in any case.

    Raises:
        PlayerError, MatchTermsError: the matches cannot be played.
        MatchNotFoundError: players should look up games of a match that does not exist.
        StorageError: the database failed.
    """
    check_matches(database, dict.fromkeys(match for each in terms for match in each.corpus))
    if fresh:
        return plan_matches(database, terms, label=label).job_id
    return find_or_plan_matches(database, terms, label=label)


def matches_of(database: Database, job_id: int) -> list[int]:
    """The numbers of the matches that a job plays, in order."""
    with database.read() as session:
        return [match.id for match in games.matches_of_job(session, job_id)]


def settle_matches(database: Database, matches: Iterable[int]) -> None:
    """End the matches whose sequential tests are decided. Errors are those of ``settle_match``."""
    for match in matches:
        settle_match(database, match)


def players_of(terms: Iterable[MatchTerms]) -> list[str]:
    """The descriptions of all players of some matches, each once."""
    both = ((each.player_a, each.player_b) for each in terms)
    return list(dict.fromkeys(chain.from_iterable(both)))


def players_of_this_machine(terms: Iterable[MatchTerms]) -> list[str]:
    """The players that are files of this machine, which other machines may not have.

    Raises:
        PlayerError: a player's description cannot be read.
    """
    return [player for player in players_of(terms) if needs_this_machine(player)]
