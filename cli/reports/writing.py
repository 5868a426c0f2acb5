"""Writing the reports of matches, in the format that was asked for, and drawing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.output import plots
from cli.output.formats import opened, write_object, write_rows
from cli.output.tables import write_parts
from cli.reports.crosstable import tournament_parts, tournament_standings
from cli.reports.objects import match_row
from cli.reports.tables import match_parts
from workers.matches.reports.objects import match_object, standing_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from cli.output.tables import Part
    from cli.reports.options import Writing
    from cli.shell.settings import Settings
    from workers.matches.reports.report import MatchReport


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
    """Write the reports of several matches as one."""

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
    with opened(writing.output, "table") as target:
        if writing.format == "json":
            write_object(as_object(), target)
        elif writing.format == "csv":
            write_rows(map(match_row, reports), "csv", (), target=target)
        else:
            write_parts(as_parts(), target, markdown=writing.format == "markdown")


def _draw(settings: Settings, writing: Writing, draw: Callable[[Sequence[Path]], None]) -> None:
    """Draw into the files of ``--plot``."""
    if writing.plots:
        plots.draw_into(writing.plots, draw)
    for name in writing.plots:
        settings.say(name)
