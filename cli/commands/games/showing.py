"""``c4 games show`` and ``report``: show and summarize stored games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from c4core.arena.file_formats import json_object
from c4core.arena.files import outcome_text
from c4core.notation import column_label
from cli.commands.games.listing import read_game
from cli.output import render
from cli.output.formats import write_object
from cli.output.render import score_text
from cli.output.tables import Table, write_facts, write_parts
from cli.reports.matches import judge, write_match, write_tournament
from cli.reports.options import JudgeNone, Report
from cli.reports.tables import short
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import Engine, argument, group, takes
from cli.shell.process import Exit, echo
from cli.work.job import Backend, JobContext
from db import games
from workers.match.files import entry_of
from workers.match.judging import check_matches, judge_game, read_report
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.arena.files import GameEntry
    from c4core.arena.judging import JudgedMove
    from cli.shell.settings import Settings
    from db.database import Database
    from db.records.games import GameCursor


@click.command(cls=Command, examples=["c4 games show 1:0", "c4 games show 1:0 --json"])
@click.argument(
    "game", metavar="MATCH:NUMBER", callback=lambda _context, _parameter, text: read_game(text)
)
@click.pass_obj
def show(settings: Settings, *, game: GameCursor) -> None:
    """Show a game: the players, the moves, the last board.

    If exact scores are stored, each move is compared with the best one and has a mark: "??" changed
    the result, "?" gave points away, "!" was the only move that kept the result in a difficult
    choice. Use "c4 review" to find scores that are not stored.
    """
    with settings.open_database() as database:
        entry, judged = _read(database, game)
    if settings.json:
        write_object({**json_object(entry), "judged": [_judged_object(move) for move in judged]})
        return
    _show(entry, judged)


def _read(database: Database, place: GameCursor) -> tuple[GameEntry, Sequence[JudgedMove | None]]:
    with database.read() as session:
        terms = games.get_terms(session, place.match_id)
    judged = judge_game(database, place.match_id, place.number)
    return entry_of(judged.game, terms), judged.moves


def _show(entry: GameEntry, judged: Sequence[JudgedMove | None]) -> None:
    facts = {
        "game": f"{entry.match}:{entry.number}",
        "x": short(entry.first or "?"),
        "o": short(entry.second or "?"),
        "result": _result(entry),
        "moves": entry.moves if entry.moves is not None else "(unknown)",
    }
    if entry.start.ply:
        facts["start"] = f"a position of {count(entry.start.ply, 'stone')}"
    if entry.seed is not None:
        facts["seed"] = str(entry.seed)
    if entry.x_seconds or entry.o_seconds:
        times = (render.duration(entry.x_seconds), render.duration(entry.o_seconds))
        facts["time"] = f"x {times[0]}, o {times[1]}"
    if entry.replaced:
        facts["replaced"] = ", ".join(f"move {index + 1}" for index in entry.replaced)
    write_facts(facts)
    echo()
    render.console().print(render.board(entry.final, None))
    if any(judged):
        _write_judged(judged)


def _result(entry: GameEntry) -> str:
    text = f"{outcome_text(entry.winner, entry.ending)}, {entry.ending}"
    return f"{text}: {entry.detail}" if entry.detail else text


def _write_judged(judged: Sequence[JudgedMove | None]) -> None:
    rows = [
        [
            f"{index + 1}.",
            move.side,
            column_label(move.column),
            score_text(move.played),
            score_text(move.best),
            move.mark,
        ]
        for index, move in enumerate(judged)
        if move is not None
    ]
    headings = ("move", "side", "column", "score", "best score", "")
    write_parts([Table(headings, rows, left=0)])


def _judged_object(move: JudgedMove | None) -> dict[str, Any] | None:
    if move is None:
        return None
    return {
        "side": move.side,
        "column": move.column + 1,
        "score": move.played,
        "best": move.best,
        "blunder": move.is_blunder,
        "mark": move.mark,
    }


@dataclass(frozen=True, kw_only=True)
class ReportGiven:
    """Parameters of ``c4 games report``."""

    matches: tuple[int, ...] = argument(
        "MATCH...", type=parameters.IntRange(1), nargs=-1, required=True
    )
    judge: JudgeNone = group(JudgeNone)
    engine: Engine = group(Engine)
    report: Report = group(Report)


@click.command(
    cls=Command,
    broker=True,
    json=False,
    examples=["c4 games report 1", "c4 games report 1 --markdown --judge none"],
)
@takes(ReportGiven)
@click.pass_obj
def report(settings: Settings, given: ReportGiven) -> None:
    """Write the report of matches that have been played.

    One match is reported as by "c4 match", several as by "c4 tournament". The exit code is 1 if
    games are missing.
    """
    judging = given.judge.judging()
    format_name = given.report.format(settings)
    chosen = list(dict.fromkeys(given.matches))
    with settings.open_database() as database:
        check_matches(database, given.matches)
        if judging.is_wanted:
            backend = Backend.found(settings, given.engine)
            judge(JobContext(settings, database, backend), chosen, judging)
        reports = [read_report(database, match, judging) for match in chosen]
    if len(reports) == 1:
        write_match(reports[0], given.report, format_name)
    else:
        write_tournament(reports, given.report, format_name)
    if not all(each.match.is_finished for each in reports):
        raise click.exceptions.Exit(Exit.PROBLEMS)
