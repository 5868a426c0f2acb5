"""Matches and reports made by hand, without a database."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from c4core.arena.judging import JudgedMove
from c4core.arena.statistics import Tally
from db.records.jobs import JobState
from db.records.matches import MatchInfo, MatchResults, MatchTally, MatchTerms, Origin
from workers.match.report import MatchReport, make_report


def match_info(player_a: str = "set", player_b: str = "random", **terms: Any) -> MatchInfo:  # noqa: ANN401
    """A finished match without games."""
    return MatchInfo(
        id=7,
        origin=Origin.PLAYED,
        job_id=3,
        label=None,
        terms=MatchTerms(player_a=player_a, player_b=player_b, **{"games": 4, **terms}),
        created_at=0.0,
        verdict=None,
        is_whole=True,
        job_state=JobState.DONE,
        tally=MatchTally(),
    )


def match_results(
    games: Sequence[tuple[int, bool, int]], *, distinct: int | None = None
) -> MatchResults:
    """Make arrays of games in which moves take 1 s for player a and 2 s for player b.

    ``games`` has player a's result, whether player a had ``x``, and the moves of each game. All
    games are different, unless ``distinct`` says how many are.
    """
    result, is_x, length = (np.array(column) for column in zip(*games, strict=True))
    moves_a = (length + is_x) // 2
    return MatchResults(
        number=np.arange(len(games)),
        a_result=result.astype(np.int8),
        a_is_x=is_x.astype(bool),
        length=length.astype(np.int16),
        a_seconds=1.0 * moves_a,
        b_seconds=2.0 * (length - moves_a),
        is_forfeit=np.zeros(len(games), dtype=bool),
        distinct=len(games) if distinct is None else distinct,
    )


def report_of(
    results: Tally,
    *,
    player_a: str = "set",
    player_b: str = "random",
    distinct: int | None = None,
    judged: Iterable[tuple[Any, Iterable[JudgedMove | None]]] = (),
    **terms: Any,  # noqa: ANN401
) -> MatchReport:
    """The report of games of 10 moves in which player a had ``x``."""
    signs = [1] * results.wins + [-1] * results.losses + [0] * results.draws
    games = [(sign, True, 10) for sign in signs]
    info = match_info(player_a, player_b, **{"games": results.games, **terms})
    info = replace(info, tally=MatchTally(a_as_x=results))
    return make_report(info, match_results(games, distinct=distinct), judged)
