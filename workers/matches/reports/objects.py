"""Matches as JSON objects, for commands and for the web: in a list, and as a report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from db.records.matches import Origin
from workers.wording import time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from c4core.arena.judging import Accuracy
    from c4core.arena.statistics import Standing, Tally
    from db.records.matches import MatchInfo
    from workers.matches.reports.report import MatchReport, PlayerReport

COURSE_POINTS: Final = 500
"""Points of a match's course at most: more than a screen can show are of no use."""


def match_summary(match: MatchInfo, idle: Mapping[int, str]) -> dict[str, Any]:
    """A match as one of a list.

    Args:
        match: with its tally.
        idle: as of :func:`match_state`.
    """
    terms, results = match.terms, match.tally.a
    return {
        "match": match.id,
        "label": match.label,
        "job": match.job_id,
        "origin": str(match.origin),
        "state": match_state(match, idle),
        "board": str(terms.board),
        "created": time_text(match.created_at),
        "finished": match.is_finished,
        "games": match.tally.games,
        "planned": terms.games,
        "a": {"player": terms.player_a, **_tally_object(results)},
        "b": {"player": terms.player_b, **_tally_object(results.reversed())},
    }


def match_state(match: MatchInfo, idle: Mapping[int, str]) -> str:
    """How a match stands: ``done``, as its job stands, or whether its import is whole.

    Args:
        match: any.
        idle: why nobody works on a job, by its number, as
            :func:`workers.core.follow.unattended_jobs` tells it.
    """
    if match.origin is Origin.IMPORTED:
        return "imported" if match.is_whole else "broken"
    if match.is_finished:
        return "done"
    if match.job_id is None or match.job_state is None:
        return "unfinished"
    return str(idle.get(match.job_id, match.job_state))


def match_object(report: MatchReport) -> dict[str, Any]:
    """Everything about a match; what is infinite or not known is null."""
    match, interval, elo = report.match, report.decisive_interval, report.elo
    terms = match.terms.as_json()
    del terms["form"], terms["a"], terms["b"]
    return {
        "match": match.id,
        "label": match.label,
        "job": match.job_id,
        "origin": str(match.origin),
        "created": time_text(match.created_at),
        "finished": match.is_finished,
        "terms": terms,
        "a": _player_object(report.a),
        "b": _player_object(report.b),
        "games": report.games,
        "distinct_games": report.distinct,
        "first_mover": _tally_object(report.first_mover),
        "decisive_rate": report.decisive_rate,
        "decisive_interval": None if interval is None else [interval.low, interval.high],
        "leader": report.leader,
        "p_two_sided": report.p_two_sided,
        "p_one_sided": report.p_one_sided,
        "significant": report.is_significant,
        "elo": None
        if elo is None
        else {name: finite(getattr(elo, name)) for name in ("difference", "low", "high")},
        "sprt": _test_object(report),
        "length": {
            "mean": report.mean_length,
            "shortest": report.shortest,
            "longest": report.longest,
        },
        "time": {
            "seconds": report.seconds,
            "per_game": report.seconds_per_game,
            "per_move": report.seconds_per_move,
            "games_per_second": report.games_per_second,
            "elapsed": report.elapsed,
        },
        "judged_games": report.judged_games,
        "judged_from": report.judged_from,
    }


def course_object(report: MatchReport) -> dict[str, list[int]]:
    """How a match went on: player a's wins, losses and draws after so many games.

    At most :data:`COURSE_POINTS` points, evenly spread; the last one has all games.
    """
    results = np.asarray(report.course)
    points = min(len(results), COURSE_POINTS)
    ends = np.linspace(1, len(results), points).astype(np.int64) if points else np.empty(0, int)
    course = {"games": ends.tolist()}
    for name, result in (("wins", 1), ("losses", -1), ("draws", 0)):
        course[name] = np.cumsum(results == result)[ends - 1].tolist()
    return course


def standing_objects(table: Iterable[Standing]) -> list[dict[str, Any]]:
    """The standings of a tournament, the best first."""
    return [
        {
            "player": standing.player,
            "rating": round(standing.rating, 1),
            **_tally_object(standing.results),
        }
        for standing in table
    ]


def finite(value: float) -> float | None:
    """A number that JSON can write; None for an infinite one."""
    return value if math.isfinite(value) else None


def _player_object(player: PlayerReport) -> dict[str, Any]:
    return {
        "player": player.description,
        **_tally_object(player.results),
        "as_x": _tally_object(player.as_x),
        "as_o": _tally_object(player.as_o),
        "forfeits": player.forfeits,
        "moves": player.moves,
        "seconds": player.seconds,
        "seconds_per_move": player.seconds_per_move,
        "accuracy": _accuracy_object(player.accuracy) if player.plies else None,
        "accuracy_by_ply": [
            {"ply": ply, **_accuracy_object(accuracy)} for ply, accuracy in player.plies.items()
        ],
    }


def _tally_object(results: Tally) -> dict[str, Any]:
    return {
        "wins": results.wins,
        "losses": results.losses,
        "draws": results.draws,
        "score": results.score,
    }


def _accuracy_object(accuracy: Accuracy) -> dict[str, Any]:
    return {
        "moves": accuracy.moves,
        "best": accuracy.best,
        "best_share": accuracy.best_share,
        "blunders": accuracy.blunders,
        "blunder_share": accuracy.blunder_share,
        "lost": accuracy.lost,
        "mean_loss": accuracy.mean_loss,
    }


def _test_object(report: MatchReport) -> dict[str, Any] | None:
    sprt = report.match.terms.sprt
    if sprt is None:
        return None
    return {
        "ratio": report.ratio,
        "lower": sprt.lower,
        "upper": sprt.upper,
        "verdict": report.match.verdict,
    }
