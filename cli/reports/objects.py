"""The report of a match as a flat row of values, for tables of many matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workers.matches.reports.objects import finite

if TYPE_CHECKING:
    from c4core.arena.judging import Accuracy
    from workers.matches.reports.report import MatchReport


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
        "p_two_sided": report.p_two_sided,
        "p_one_sided": report.p_one_sided,
        "significant": report.is_significant,
        "elo": None if elo is None else finite(elo.difference),
        "elo_low": None if elo is None else finite(elo.low),
        "elo_high": None if elo is None else finite(elo.high),
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


def _accuracy_row(name: str, accuracy: Accuracy) -> dict[str, Any]:
    return {
        f"{name}_best_share": accuracy.best_share,
        f"{name}_blunder_share": accuracy.blunder_share,
        f"{name}_mean_loss": accuracy.mean_loss,
    }
