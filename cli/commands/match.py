"""``c4 match``: play games between two players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from c4core.arena.statistics import Sprt
from cli.reports.matches import played, write_match
from cli.reports.options import GameRules, JudgeFew, Playing, Report
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import argument, flag, group, number, option, takes
from cli.shell.process import Exit
from db.records.matches import Seats

if TYPE_CHECKING:
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 match set random --games 50 --swap",
    "c4 match blog-v5:depth=2 blog-v6:depth=2 --games 30 --seed 7 --judge none",
    "c4 match set random --swap --sprt 0..100 --games 1000 --judge none --json",
)


def _read_sprt(text: str) -> tuple[float, float]:
    low, _dots, high = text.partition("..")
    try:
        return float(low), float(high)
    except ValueError:
        raise ValueError(f"{text!r} is not a pair of Elo differences, as in 0..20") from None


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 match``."""

    player_a: str = argument("A")
    player_b: str = argument("B")
    swap: bool = flag("Let both players take turns to move first.")
    shuffle: bool = flag("Choose the first mover of every game at random.")
    rules: GameRules = group(GameRules)
    sprt: tuple[float, float] | None = option(
        "Stop once a test decides whether A is better by E0 or by E1 Elo points.",
        metavar="E0..E1",
        read=_read_sprt,
    )
    sprt_errors: tuple[float, float] = number(
        parameters.FiniteFloat(0, 0.5, min_open=True, max_open=True),
        "Error rates: how often the test may wrongly decide for E1, and for E0.",
        metavar="ALPHA BETA",
        nargs=2,
        default=(0.05, 0.05),
    )
    judge: JudgeFew = group(JudgeFew)
    playing: Playing = group(Playing)
    report: Report = group(Report)


@click.command(cls=Command, broker=True, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def match(settings: Settings, given: Given) -> None:
    """Let A play against B, and report the results.

    A player is a name, optionally with parameters, as in minimax-windows:depth=3; "c4 players list"
    lists all. A moves first, unless --swap or --shuffle is given.

    Every game is stored; use "c4 games" to see them. Give the same command again to continue after
    an interruption, or to write the report again. The same seed gives the same games with any
    number of threads or workers; only players with a time limit may play differently. A player that
    fails (illegal column, exception, too slow) loses that game, and the match continues.

    The report has the results, Elo, times, and the number of different games. P is the chance that
    one of two equal players wins at least this many games: either of them (two-sided), or one named
    before the match (one-sided). The share of decisive games has a 95% interval. Exact scores show
    how many points both players gave away. With --broker, workers play with their own --threads and
    --table-mb. Only workers started with --allow-programs run players that are programs.
    """
    refuse((given.swap and given.shuffle, "--swap and --shuffle cannot be used together"))
    given.report.refuse_detached(given.playing)
    seats = Seats.ALTERNATE if given.swap else Seats.RANDOM if given.shuffle else Seats.FIXED
    sprt = _test(given.sprt, given.sprt_errors)
    terms = given.rules.terms(given.player_a, given.player_b, seats=seats, sprt=sprt)
    chosen = given.report.format(settings)
    reports = played(settings, [terms], given.playing, given.judge.judging(), chosen)
    if reports is None:
        return
    write_match(reports[0], given.report, chosen)
    if not reports[0].match.is_finished:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _test(bounds: tuple[float, float] | None, errors: tuple[float, float]) -> Sprt | None:
    if bounds is None:
        return None
    try:
        return Sprt(elo0=bounds[0], elo1=bounds[1], alpha=errors[0], beta=errors[1])
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--sprt'") from None
