"""Writing the reports of matches, in the format that was asked for, and drawing them."""

from __future__ import annotations

import csv
import json
import sys
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

from cli.output import outfile
from cli.output.formats import csv_cell
from cli.reports.crosstable import tournament_parts, tournament_standings
from cli.reports.objects import match_object, match_row, standing_objects
from cli.reports.tables import markdown_lines, text_lines
from cli.reports.view import match_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.reports.options import Writing
    from cli.reports.tables import Part
    from cli.shell.settings import Settings
    from workers.matches.report import MatchReport


def write_match(settings: Settings, report: MatchReport, writing: Writing) -> None:
    """Write the report of one match."""
    if writing.format == "json":
        _write_json(match_object(report), writing)
    elif writing.format == "csv":
        _write_csv([report], writing)
    else:
        _write_parts(match_parts(report, by_ply=writing.by_ply), writing)
    _draw(settings, [report], writing, is_tournament=False)


def write_tournament(settings: Settings, reports: Sequence[MatchReport], writing: Writing) -> None:
    """Write the reports of several matches as one."""
    if writing.format == "json":
        standings = standing_objects(tournament_standings(reports))
        matches = [match_object(report) for report in reports]
        _write_json({"standings": standings, "matches": matches}, writing)
    elif writing.format == "csv":
        _write_csv(reports, writing)
    else:
        parts = tournament_parts(reports)
        if writing.by_ply:
            for report in reports:
                parts += match_parts(report, by_ply=True)
        _write_parts(parts, writing)
    _draw(settings, reports, writing, is_tournament=True)


def _write_json(fields: dict[str, Any], writing: Writing) -> None:
    with outfile.opened(writing.output or outfile.STANDARD_OUTPUT) as target:
        (target or sys.stdout).write(json.dumps(fields, indent=2) + "\n")


def _write_csv(reports: Sequence[MatchReport], writing: Writing) -> None:
    rows = [match_row(report) for report in reports]
    with outfile.opened(writing.output or outfile.STANDARD_OUTPUT) as target:
        writer = csv.DictWriter(target or sys.stdout, rows[0], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: csv_cell(value) for name, value in row.items()})


def _write_parts(parts: Sequence[Part], writing: Writing) -> None:
    with outfile.opened(writing.output or outfile.STANDARD_OUTPUT) as target:
        out: IO[str] = target or sys.stdout
        if writing.format == "markdown":
            out.writelines(f"{line}\n" for line in markdown_lines(parts))
        elif writing.output in (None, outfile.STANDARD_OUTPUT):
            _print(parts)
        else:
            out.writelines(f"{line}\n" for line, _style in text_lines(parts))


def _print(parts: Sequence[Part]) -> None:
    from rich.text import Text

    from cli.output.render import console

    out = console()
    for line, style in text_lines(parts):
        out.print(Text(line, style=style))


def _draw(
    settings: Settings, reports: Sequence[MatchReport], writing: Writing, *, is_tournament: bool
) -> None:
    """Draw into the files of ``--plot``, whole or not at all."""
    if not writing.plots:
        return
    import matplotlib as mpl

    mpl.use("agg")
    from c4core.atomic_file import atomic_file
    from cli.output import targets
    from cli.reports import picture

    with ExitStack() as stack:
        paths = [targets.checked(name, option="--plot") for name in writing.plots]
        beside = [stack.enter_context(atomic_file(path)) for path in paths]
        if is_tournament:
            picture.draw_tournament(reports, beside)
        else:
            picture.draw_match(reports[0], beside)
    for name in writing.plots:
        settings.say(name)
