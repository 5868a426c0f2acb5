"""``c4 tournament``: play matches between several players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from c4core.arena.game import match_seed
from c4core.players.registry import parse_players
from cli.reports import options
from cli.reports.matches import played, write_tournament
from cli.shell.commands import Command, refuse
from cli.shell.process import Exit
from db.records.matches import Seats
from workers.match.terms import pairs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.reports.options import GameRules
    from cli.shell.settings import Settings
    from db.records.matches import MatchTerms

MAX_MATCHES = 10_000

EXAMPLES = (
    "c4 tournament random stupid set --games 20",
    "c4 tournament blog-v6:depth=0..2 --fixed --themselves --games 10",
    "c4 tournament blog-v5:depth=1..2 --against blog-v6:depth=1..2 --games 10",
)


@click.command(cls=Command, broker=True, json=False, examples=EXAMPLES)
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True)
@click.option(
    "--against",
    metavar="PLAYER",
    multiple=True,
    help="Let the players meet only this opponent, not each other; can be given again.",
)
@click.option("--fixed", is_flag=True, help="The player named first always moves first.")
@click.option(
    "--both-ways",
    is_flag=True,
    help="With --fixed: every pair has a second match, in which the other player moves first.",
)
@click.option("--themselves", is_flag=True, help="Every player also plays against itself.")
@options.rules_options
@options.judge_options(default="none")
@options.play_options
@options.writing_options
@click.pass_context
def tournament(
    context: click.Context,
    /,
    *,
    players: tuple[str, ...],
    against: tuple[str, ...],
    fixed: bool,
    both_ways: bool,
    themselves: bool,
    **others: Any,
) -> None:
    """Let several players meet each other, and report the results.

    A PLAYER may stand for several: blog-v6:depth=0..6 is seven, pvs:depth=2/4/8 is three. All
    players meet each other in matches of --games games, and take turns to move first. With
    --against, the players meet only those opponents. All matches are one job, and every game is
    stored. Give the same command again to go on after an interruption, or to write the report
    again.

    The report has the standings with Elo ratings, the scores between all players, and for every
    match its results, P, and the number of different games. --json has the complete report of "c4
    match" for each. --plot draws a map of scores.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (both_ways and not fixed, "--both-ways needs --fixed"),
        (themselves and bool(against), "--themselves and --against cannot be used together"),
    )
    rules = options.rules_of(others)
    judging = options.judging_of(others)
    playing = options.play_options_of(others)
    options.check_detached(context, others, detach=playing.detach)
    writing = options.writing_of(settings, others)
    terms = _terms(
        rules,
        _expanded(players),
        _expanded(against),
        fixed=fixed,
        both_ways=both_ways,
        themselves=themselves,
    )
    as_json = writing.format == "json"
    reports = played(settings, terms, playing, judging, as_json=as_json)
    if reports is None:
        return
    write_tournament(settings, reports, writing)
    if not all(report.match.is_finished for report in reports):
        context.exit(Exit.PROBLEMS)


def _expanded(descriptions: Sequence[str]) -> list[str]:
    """Every player that the descriptions stand for, each once, in order."""
    found = [spec.full for text in descriptions for spec in parse_players(text)]
    return list(dict.fromkeys(found))


def _terms(
    rules: GameRules,
    players: Sequence[str],
    against: Sequence[str],
    *,
    fixed: bool,
    both_ways: bool,
    themselves: bool,
) -> list[MatchTerms]:
    pairs = pairs_of(players, against, both_ways=both_ways, themselves=themselves)
    if not pairs:
        raise click.UsageError("a tournament needs at least two players")
    if len(pairs) > MAX_MATCHES:
        raise click.UsageError(f"{len(pairs):,} matches are too many: at most {MAX_MATCHES:,}")
    seats = Seats.FIXED if fixed else Seats.ALTERNATE
    return [rules.terms(a, b, seats=seats, seed=match_seed(rules.seed, a, b)) for a, b in pairs]
