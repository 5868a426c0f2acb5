"""Write reports of matches in the chosen format, and draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.output import drawing
from cli.output.formats import opened, write_object, write_rows
from cli.output.tables import write_parts
from cli.reports.tables import match_parts, tournament_parts, tournament_standings
from workers.match.report import finite, match_object, standing_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from c4core.arena.judging import Accuracy
    from cli.output.tables import Part
    from cli.reports.options import Writing
    from cli.shell.settings import Settings
    from workers.match.report import MatchReport


def write_match(settings: Settings, report: MatchReport, writing: Writing) -> None:
    """Write the report of one match."""

    def draw(paths: Sequence[Path]) -> None:
        from cli.reports import picture

        picture.draw_match(report, paths)

    _write(
        writing,
        [report],
        as_object=lambda: match_object(report),
        as_parts=lambda: match_parts(report, by_ply=writing.by_ply),
    )
    _draw(settings, writing, draw)


def write_tournament(settings: Settings, reports: Sequence[MatchReport], writing: Writing) -> None:
    """Write one report of several matches."""

    def as_parts() -> list[Part]:
        parts = tournament_parts(reports)
        for report in reports if writing.by_ply else ():
            parts += match_parts(report, by_ply=True)
        return parts

    def draw(paths: Sequence[Path]) -> None:
        from cli.reports import picture

        picture.draw_tournament(reports, paths)

    _write(
        writing,
        reports,
        as_object=lambda: {
            "standings": standing_objects(tournament_standings(reports)),
            "matches": [match_object(report) for report in reports],
        },
        as_parts=as_parts,
    )
    _draw(settings, writing, draw)


def _write(
    writing: Writing,
    reports: Sequence[MatchReport],
    *,
    as_object: Callable[[], dict[str, Any]],
    as_parts: Callable[[], Sequence[Part]],
) -> None:
    with opened(writing.output) as target:
        if writing.format == "json":
            write_object(as_object(), target)
        elif writing.format == "csv":
            write_rows(map(match_row, reports), "csv", (), target=target)
        else:
            write_parts(as_parts(), target, markdown=writing.format == "markdown")


def _draw(settings: Settings, writing: Writing, draw: Callable[[Sequence[Path]], None]) -> None:
    if writing.plots:
        drawing.draw_charts(writing.plots, draw)
    for name in writing.plots:
        settings.say(name)


def match_row(report: MatchReport) -> dict[str, Any]:
    """A match as a flat row."""
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
