"""Parameters that ``c4 match``, ``c4 tournament`` and ``c4 games report`` share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from c4core.arena.game import NO_CLOCK, TimeControl
from cli.output.formats import (
    MARKDOWN_ENDINGS,
    check_writable,
    format_by_ending,
    formats,
    output_file,
)
from cli.positions.books import read_start
from cli.shell import parameters
from cli.shell.commands import refuse
from cli.shell.parameters import Engine, flag, group, number, option
from db.records.matches import MatchTerms
from workers.match.judging import Judging

if TYPE_CHECKING:
    from c4core.arena.statistics import Sprt
    from c4core.notation import BoardSize
    from c4core.players.player import Consent
    from cli.shell.settings import Settings
    from db.records.matches import Seats

ReportFormat = Literal["table", "json", "csv", "markdown"]

ENDINGS = {".txt": "table", ".csv": "csv", ".json": "json", **MARKDOWN_ENDINGS}

ALL = "all"
NONE = "none"
SECONDS = parameters.FiniteFloat(0, min_open=True)


@dataclass(frozen=True, kw_only=True)
class GameRules:
    """The rules of all matches of a command: everything but the players."""

    games: int = number(parameters.WholeNumber(1), "Games per match.", default=100)
    seed: int = parameters.seed("Seed of all random numbers: the same seed gives the same games.")
    board: BoardSize = parameters.board()
    start: str = option("Begin all games after these moves.", metavar="MOVES", default="")
    move_time: float | None = number(
        SECONDS,
        "Time limit for a move; a player that takes longer loses the game.",
        metavar="SECONDS",
    )
    game_time: float | None = number(
        SECONDS,
        "Time limit of each player for a game; a player that takes longer loses.",
        metavar="SECONDS",
    )
    grace: float = number(
        parameters.FiniteFloat(0),
        "Time that a move may take beyond the limits.",
        metavar="SECONDS",
        default=0.1,
    )
    lenient: bool = flag(
        "Replace an illegal column by the leftmost legal one; otherwise the player loses."
    )
    corpus: tuple[int, ...] = number(
        parameters.WholeNumber(1),
        "For database-montecarlo: use the games of this match; can be given again. "
        "[default: all finished matches]",
        metavar="MATCH",
        multiple=True,
    )

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
        clock = NO_CLOCK
        if self.move_time is not None or self.game_time is not None:
            clock = TimeControl(move=self.move_time, game=self.game_time, grace=self.grace)
        return MatchTerms(
            player_a=player_a,
            player_b=player_b,
            games=self.games,
            seats=seats,
            seed=self.seed if seed is None else seed,
            start=read_start(self.start, self.board),
            time_control=clock,
            lenient=self.lenient,
            sprt=sprt,
            corpus=self.corpus,
        )


def judged_games(default: str) -> Any:
    """The option ``--judge``: a number of games, None for all."""
    return option(
        "Compare the moves of the first N games with exact scores, and store the scores.",
        metavar="N|all|none",
        default=default,
        read=_read_judge,
    )


def judge_from() -> Any:
    """The option ``--judge-from``."""
    return number(
        parameters.WholeNumber(0),
        "Judge only moves made with at least this many stones on the board; earlier ones "
        "take longest to solve.  [default: 8 on 7x6; 0 with a book]",
        metavar="STONES",
    )


def _read_judge(text: str) -> int | None:
    if text == ALL:
        return None
    if text == NONE:
        return 0
    if not text.isdecimal():
        raise ValueError(f"{text!r} is not a number of games, {ALL} or {NONE}")
    return parameters.WholeNumber(0).convert(text, None, None)


@dataclass(frozen=True, kw_only=True)
class JudgeFew:
    """The judged games of a match."""

    judge: int | None = judged_games("10")
    judge_from: int | None = judge_from()

    def judging(self) -> Judging:
        """The games and moves to judge."""
        return Judging(games=self.judge, least_ply=self.judge_from)


@dataclass(frozen=True, kw_only=True)
class JudgeNone(JudgeFew):
    """The judged games of several matches, by default none."""

    judge: int | None = judged_games(NONE)


@dataclass(frozen=True, kw_only=True)
class Playing:
    """The job that plays matches."""

    label: str | None = parameters.label("the matches.")
    fresh: bool = flag("Play again, even if these games were played before.")
    detach: bool = parameters.detach()
    programs: Consent = parameters.programs("that a stored match names and this command does not.")
    priority: int | None = parameters.priority()
    engine: Engine = group(Engine)


@dataclass(frozen=True, kw_only=True)
class Report:
    """The format and file of a report."""

    format_name: str | None = formats(
        table="Tables for people.  [default: by the ending of --output, else --table]",
        json="A JSON object.",
        csv="Comma-separated values, one match per row.",
        markdown="Tables in Markdown.",
    )
    output: str | None = output_file()
    by_ply: bool = flag("Also report the accuracy by the number of stones on the board.")

    def format(self, settings: Settings) -> ReportFormat:
        """The chosen format. The files are checked, before the work begins."""
        check_writable(self.output)
        if self.format_name is not None:
            return cast("ReportFormat", self.format_name)
        default = "json" if settings.json else "table"
        found = format_by_ending(
            self.output,
            endings=ENDINGS,
            default=default,
            what="reports",
            option="--table for text",
        )
        return cast("ReportFormat", found)

    def refuse_detached(self, playing: Playing) -> None:
        """Refuse report files if the job is detached."""
        refuse(
            (
                playing.detach and self.output is not None,
                "a detached job writes no report: give the same command later without --detach",
            )
        )
