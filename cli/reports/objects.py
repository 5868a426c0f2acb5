"""Reports for programs: a match as a JSON object, and as a flat row of values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cli.work.view import time_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.arena.accuracy import Accuracy
    from c4core.arena.standings import Standing
    from c4core.arena.statistics import Tally
    from workers.matches.report import MatchReport, PlayerReport


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
        "p": report.p,
        "significant": report.is_significant,
        "elo": None
        if elo is None
        else {name: _finite(getattr(elo, name)) for name in ("difference", "low", "high")},
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


def match_row(report: MatchReport) -> dict[str, Any]:
    """A match as one flat row."""
    results, interval, elo = report.a.results, report.decisive_interval, report.elo
    return {
        "match": report.match.id,
        "a": report.a.description,
        "b": report.b.description,
        "seats": str(report.match.terms.seats),
        "seed": report.match.terms.seed,
        "games": report.games,
        "distinct_games": report.distinct,
        "a_wins": results.wins,
        "b_wins": results.losses,
        "draws": results.draws,
        "x_wins": report.first_mover.wins,
        "o_wins": report.first_mover.losses,
        "a_forfeits": report.a.forfeits,
        "b_forfeits": report.b.forfeits,
        "leader": report.leader,
        "decisive_rate": report.decisive_rate,
        "decisive_low": None if interval is None else interval.low,
        "decisive_high": None if interval is None else interval.high,
        "p": report.p,
        "significant": report.is_significant,
        "elo": None if elo is None else _finite(elo.difference),
        "elo_low": None if elo is None else _finite(elo.low),
        "elo_high": None if elo is None else _finite(elo.high),
        "sprt": report.match.verdict,
        "mean_length": report.mean_length,
        "seconds": report.seconds,
        "seconds_per_game": report.seconds_per_game,
        "a_seconds_per_move": report.a.seconds_per_move,
        "b_seconds_per_move": report.b.seconds_per_move,
        "games_per_second": report.games_per_second,
        "judged_games": report.judged_games,
        "judged_from": report.judged_from,
        **_accuracy_row("a", report.a.accuracy),
        **_accuracy_row("b", report.b.accuracy),
    }


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


def _accuracy_row(name: str, accuracy: Accuracy) -> dict[str, Any]:
    return {
        f"{name}_best_share": accuracy.best_share,
        f"{name}_blunder_share": accuracy.blunder_share,
        f"{name}_mean_loss": accuracy.mean_loss,
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


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
