"""``c4 tournament``: play matches between several players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from c4core.arena.game import match_seed
from c4core.players.registry import parse_player
from cli.reports.matches import played, write_tournament
from cli.reports.options import GameRules, JudgeNone, Playing, Report
from cli.shell.commands import Command, refuse
from cli.shell.parameters import argument, flag, group, option, takes
from cli.shell.process import Exit
from db.records.matches import Seats
from workers.match.terms import pairs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.shell.settings import Settings
    from db.records.matches import MatchTerms

MAX_MATCHES = 10_000

EXAMPLES = (
    "c4 tournament random stupid set --games 20",
    "c4 tournament blog-v6:depth=0 blog-v6:depth=1 --fixed --themselves --games 10",
    "c4 tournament greedy pvs:depth=2 --against blog-v6:depth=1 --games 10",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 tournament``."""

    players: tuple[str, ...] = argument("PLAYER...", nargs=-1, required=True)
    against: tuple[str, ...] = option(
        "Let the players meet only this opponent, not each other; can be given again.",
        metavar="PLAYER",
        multiple=True,
    )
    fixed: bool = flag("The player named first always moves first.")
    both_ways: bool = flag(
        "With --fixed: every pair has a second match, in which the other player moves first."
    )
    themselves: bool = flag("Every player also plays against itself.")
    rules: GameRules = group(GameRules)
    judge: JudgeNone = group(JudgeNone)
    playing: Playing = group(Playing)
    report: Report = group(Report)


@click.command(cls=Command, broker=True, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def tournament(settings: Settings, given: Given) -> None:
    """Let several players meet each other, and report the results.

    All players meet each other in matches of --games games, and take turns to move first. With
    --against, the players meet only those opponents. All matches are one job, and every game is
    stored. Give the same command again to continue after an interruption, or to write the report
    again. In bash and zsh, pvs:depth={2,4,8} is three players.

    The report has the standings with Elo ratings, the scores between all players, and for every
    match its results, P, and the number of different games. --json has the complete report of "c4
    match" for each.
    """
    refuse(
        (given.both_ways and not given.fixed, "--both-ways needs --fixed"),
        (
            given.themselves and bool(given.against),
            "--themselves and --against cannot be used together",
        ),
    )
    given.report.refuse_detached(given.playing)
    terms = _terms(given)
    chosen = given.report.format(settings)
    reports = played(settings, terms, given.playing, given.judge.judging(), chosen)
    if reports is None:
        return
    write_tournament(reports, given.report, chosen)
    if not all(report.match.is_finished for report in reports):
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _players(descriptions: Sequence[str]) -> list[str]:
    """The full descriptions of all players, each once, in order."""
    return list(dict.fromkeys(parse_player(text).full for text in descriptions))


def _terms(given: Given) -> list[MatchTerms]:
    pairs = pairs_of(
        _players(given.players),
        _players(given.against),
        both_ways=given.both_ways,
        themselves=given.themselves,
    )
    if not pairs:
        raise click.UsageError("a tournament needs at least two players")
    if len(pairs) > MAX_MATCHES:
        raise click.UsageError(f"{len(pairs):,} matches are too many: at most {MAX_MATCHES:,}")
    seats = Seats.FIXED if given.fixed else Seats.ALTERNATE
    rules = given.rules
    return [rules.terms(a, b, seats=seats, seed=match_seed(rules.seed, a, b)) for a, b in pairs]
