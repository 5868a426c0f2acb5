"""What ``c4 match`` and ``c4 tournament`` have in common: terms, work, writing reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from cli.output import drawing, outfile
from cli.output.formats import MARKDOWN_ENDINGS, format_by_ending, format_flags
from cli.shell import parameters
from cli.shell.commands import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.arena.game import TimeControl
    from c4core.arena.statistics import Sprt
    from c4core.notation import BoardSize
    from c4core.players.player import Consent
    from cli.shell.settings import Decorated, Settings
    from db.records.matches import MatchTerms, Seats
    from workers.match.judging import Judging

ReportFormat = Literal["table", "json", "csv", "markdown"]

ENDINGS = {".csv": "csv", ".json": "json", **MARKDOWN_ENDINGS}

ALL = "all"
NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRules:
    """What all matches of a command have in common, except who plays."""

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
        """The terms of a match."""
        from cli.positions.books import read_start
        from db.records.matches import MatchTerms

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
        from c4core.arena.game import NO_CLOCK, TimeControl

        if self.move_time is None and self.game_time is None:
            return NO_CLOCK
        return TimeControl(move=self.move_time, game=self.game_time, grace=self.grace)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """Who plays the matches, under which label, and whether the command waits for them."""

    label: str | None
    fresh: bool
    detach: bool
    programs: Consent
    threads: int
    table_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How a report is written."""

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
        help="Games of a match.",
    ),
    click.option(
        "--seed",
        type=parameters.IntRange(0, parameters.LARGEST_SEED),
        default=0,
        show_default=True,
        metavar="S",
        help="Start of all random numbers: the same seed, the same games.",
    ),
    parameters.board_option,
    click.option("--start", metavar="MOVES", default="", help="Moves that all games begin with."),
    click.option(
        "--move-time",
        type=_SECONDS,
        metavar="SECONDS",
        help="Time for a move; whoever takes more loses the game.",
    ),
    click.option(
        "--game-time",
        type=_SECONDS,
        metavar="SECONDS",
        help="Time of a player for a game; whoever takes more loses.",
    ),
    click.option(
        "--grace",
        type=parameters.FiniteFloat(0),
        default=0.1,
        show_default=True,
        metavar="SECONDS",
        help="What a player may take for a move beyond its time.",
    ),
    click.option(
        "--lenient",
        is_flag=True,
        help="Play the leftmost column for an illegal one, instead of losing the game.",
    ),
    click.option(
        "--corpus",
        type=parameters.WholeNumber(1),
        multiple=True,
        metavar="MATCH",
        help="For database-montecarlo: the games of this match; can be given again. "
        "[default: all finished matches]",
    ),
)
"""Add the options that :class:`GameRules` holds; :func:`rules_of` collects them."""


def rules_of(options: dict[str, Any]) -> GameRules:
    """Take what :func:`rules_options` has added out of a command's options."""
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
            help="Compare the moves of the first N games with exact scores, and store these.",
        ),
        click.option(
            "--judge-from",
            type=parameters.WholeNumber(0),
            metavar="STONES",
            help="Only moves made with at least so many stones on the board: the first ones "
            "take longest.  [default: 8 on 7x6; 0 with a book]",
        ),
    )


def judging_of(options: dict[str, Any]) -> Judging:
    """Take what :func:`judge_options` has added out of a command's options."""
    from workers.match.judging import Judging

    return Judging(games=options.pop("judge"), least_ply=options.pop("judge_from"))


def _read_judge(context: click.Context, parameter: click.Parameter, text: str) -> int | None:
    if text == ALL:
        return None
    if text == NONE:
        return 0
    if not text.isdecimal():
        raise click.BadParameter(f"{text!r} is no number of games, nor {ALL} or {NONE}")
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
"""The options that :class:`PlayOptions` holds; :func:`play_options_of` collects them."""


writing_options = parameters.option_group(
    format_flags(
        table="Tables for people.  [default: by the ending of --output, else this]",
        json="A JSON object.",
        csv="Comma-separated values, a match a row.",
        markdown="Tables in Markdown.",
    ),
    outfile.output_option,
    click.option("--by-ply", is_flag=True, help="Also the accuracy by the stones on the board."),
    drawing.plot_option("Draw it too: an .svg, .png or .pdf; can be given again."),
)
"""Add the options that :class:`Writing` holds; :func:`writing_of` collects them."""


def play_options_of(options: dict[str, Any]) -> PlayOptions:
    """Take what :data:`play_options` has added out of a command's options."""
    return PlayOptions(**{name: options.pop(name) for name in PlayOptions.__slots__})


def check_detached(context: click.Context, options: dict[str, Any], *, detach: bool) -> None:
    """Refuse files for the report of matches that others will play."""
    wants_files = options["output"] is not None or bool(options["plots"])
    refuse(
        context,
        (detach and wants_files, "a detached job writes no report: the same command does later"),
    )


def writing_of(settings: Settings, options: dict[str, Any]) -> Writing:
    """Take what :func:`writing_options` has added out of a command's options, and check it."""
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
    outfile.check(output)
    return Writing(format=name, output=output, by_ply=options.pop("by_ply"), plots=drawn)
