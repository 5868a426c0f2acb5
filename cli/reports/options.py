"""Options that ``c4 match`` and ``c4 tournament`` share: rules, players, report files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from c4core.arena.game import NO_CLOCK, TimeControl
from cli.output import drawing
from cli.output.formats import (
    MARKDOWN_ENDINGS,
    check_writable,
    format_by_ending,
    format_flags,
    output_option,
)
from cli.positions.books import read_start
from cli.shell import parameters
from cli.shell.commands import refuse
from db.records.matches import MatchTerms
from workers.match.judging import Judging

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.arena.statistics import Sprt
    from c4core.notation import BoardSize
    from c4core.players.player import Consent
    from cli.shell.settings import Decorated, Settings
    from db.records.matches import Seats

ReportFormat = Literal["table", "json", "csv", "markdown"]

ENDINGS = {".csv": "csv", ".json": "json", **MARKDOWN_ENDINGS}

ALL = "all"
NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """The rules of all matches of a command: everything but the players."""

    games: int
    seed: int
    board: BoardSize
    start: str
    move_time: float | None
    game_time: float | None
    grace: float
    lenient: bool
    corpus: tuple[int, ...]

    def terms(
        self,
        player_a: str,
        player_b: str,
        *,
        seats: Seats,
        seed: int | None = None,
        sprt: Sprt | None = None,
    ) -> MatchTerms:
        """The terms of a match between two players."""
        return MatchTerms(
            player_a=player_a,
            player_b=player_b,
            games=self.games,
            seats=seats,
            seed=self.seed if seed is None else seed,
            start=read_start(self.start, self.board),
            time_control=self._time_control(),
            lenient=self.lenient,
            sprt=sprt,
            corpus=self.corpus,
        )

    def _time_control(self) -> TimeControl:
        if self.move_time is None and self.game_time is None:
            return NO_CLOCK
        return TimeControl(move=self.move_time, game=self.game_time, grace=self.grace)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """The options of a job that plays matches."""

    label: str | None
    fresh: bool
    detach: bool
    programs: Consent
    threads: int
    table_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The format and files of a report."""

    format: ReportFormat
    output: str | None
    by_ply: bool
    plots: tuple[str, ...]


_SECONDS = parameters.FiniteFloat(0, min_open=True)

rules_options = parameters.option_group(
    click.option(
        "--games",
        type=parameters.WholeNumber(1),
        default=100,
        show_default=True,
        metavar="N",
        help="Games per match.",
    ),
    click.option(
        "--seed",
        type=parameters.IntRange(0, parameters.LARGEST_SEED),
        default=0,
        show_default=True,
        metavar="S",
        help="Seed of all random numbers: the same seed gives the same games.",
    ),
    parameters.board_option,
    click.option("--start", metavar="MOVES", default="", help="Begin all games after these moves."),
    click.option(
        "--move-time",
        type=_SECONDS,
        metavar="SECONDS",
        help="Time limit for a move; a player that takes longer loses the game.",
    ),
    click.option(
        "--game-time",
        type=_SECONDS,
        metavar="SECONDS",
        help="Time limit of each player for a game; a player that takes longer loses.",
    ),
    click.option(
        "--grace",
        type=parameters.FiniteFloat(0),
        default=0.1,
        show_default=True,
        metavar="SECONDS",
        help="Time that a move may take beyond the limits.",
    ),
    click.option(
        "--lenient",
        is_flag=True,
        help="Replace an illegal column by the leftmost legal one; otherwise the player loses.",
    ),
    click.option(
        "--corpus",
        type=parameters.WholeNumber(1),
        multiple=True,
        metavar="MATCH",
        help="For database-montecarlo: use the games of this match; can be given again. "
        "[default: all finished matches]",
    ),
)
"""The options of :class:`GameRules`; :func:`rules_of` collects them."""


def rules_of(options: dict[str, Any]) -> GameRules:
    """Pop the options of :data:`rules_options` from a command's options."""
    return GameRules(**{name: options.pop(name) for name in GameRules.__slots__})


def judge_options(*, default: str) -> Callable[[Decorated], Decorated]:
    """Add ``--judge`` and ``--judge-from``; :func:`judging_of` collects them."""
    return parameters.option_group(
        click.option(
            "--judge",
            metavar="N|all|none",
            default=default,
            show_default=True,
            callback=_read_judge,
            help="Compare the moves of the first N games with exact scores, and store the scores.",
        ),
        click.option(
            "--judge-from",
            type=parameters.WholeNumber(0),
            metavar="STONES",
            help="Judge only moves made with at least this many stones on the board; earlier ones "
            "take longest to solve.  [default: 8 on 7x6; 0 with a book]",
        ),
    )


def judging_of(options: dict[str, Any]) -> Judging:
    """Pop the options of :func:`judge_options` from a command's options."""
    return Judging(games=options.pop("judge"), least_ply=options.pop("judge_from"))


def _read_judge(context: click.Context, parameter: click.Parameter, text: str) -> int | None:
    if text == ALL:
        return None
    if text == NONE:
        return 0
    if not text.isdecimal():
        raise click.BadParameter(f"{text!r} is not a number of games, {ALL} or {NONE}")
    return parameters.WholeNumber(0).convert(text, parameter, context)


play_options = parameters.option_group(
    parameters.label_option("the matches."),
    click.option(
        "--fresh", is_flag=True, help="Play again, even if these games were played before."
    ),
    parameters.detach_option(),
    parameters.programs_option("that a stored match names and this command does not."),
    parameters.priority_option,
    parameters.threads_option,
    parameters.table_option,
)
"""The options of :class:`PlayOptions`; :func:`play_options_of` collects them."""


writing_options = parameters.option_group(
    format_flags(
        table="Tables for people.  [default: by the ending of --output, else --table]",
        json="A JSON object.",
        csv="Comma-separated values, one match per row.",
        markdown="Tables in Markdown.",
    ),
    output_option,
    click.option(
        "--by-ply",
        is_flag=True,
        help="Also report the accuracy by the number of stones on the board.",
    ),
    drawing.plot_option("Draw the report into an .svg, .png or .pdf; can be given again."),
)
"""The options of :class:`Writing`; :func:`writing_of` collects them."""


def play_options_of(options: dict[str, Any]) -> PlayOptions:
    """Pop the options of :data:`play_options` from a command's options."""
    return PlayOptions(**{name: options.pop(name) for name in PlayOptions.__slots__})


def check_detached(context: click.Context, options: dict[str, Any], *, detach: bool) -> None:
    """Refuse report files if the job is detached."""
    wants_files = options["output"] is not None or bool(options["plots"])
    refuse(
        context,
        (
            detach and wants_files,
            "a detached job writes no report: give the same command later without --detach",
        ),
    )


def writing_of(settings: Settings, options: dict[str, Any]) -> Writing:
    """Pop the options of :data:`writing_options` from a command's options, and check them."""
    default: ReportFormat = "json" if settings.json else "table"
    drawn: tuple[str, ...] = options.pop("plots")
    output: str | None = options.pop("output")
    name: ReportFormat = options.pop("format_name") or cast(
        "ReportFormat",
        format_by_ending(
            output, endings=ENDINGS, default=default, what="reports", option="--table for text"
        ),
    )
    drawing.check_charts(drawn)
    check_writable(output)
    return Writing(format=name, output=output, by_ply=options.pop("by_ply"), plots=drawn)
