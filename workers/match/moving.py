"""A single move by any player, without a match.

A player is created for the move and closed after it. It has the same dice, the same position and no
memory. So the same question has the same answer, except from players that depend on the clock.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from c4core.arena.game import NO_CLOCK, checked_column, game_seed, side_seed
from c4core.dice import Dice
from c4core.evaluation import Analysis
from c4core.players import (
    NO_PROGRAM,
    Failing,
    GameStart,
    Limits,
    PlayerFailure,
    ProgramRefusedError,
    Resources,
    Stop,
    StopPlaying,
    check_consent,
    parse_player,
)
from db import games
from workers.answers.question import Question
from workers.answers.service import Stop as SearchStop
from workers.match.table import read_corpus
from workers.match.terms import looks_games_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.notation import BoardSize
    from c4core.players import Consent, Player, PlayerSpec
    from c4core.position import Position
    from db.database import Database
    from workers.answers.service import AnswerService


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """A player's move."""

    column: int
    """The 0-based column; it can be played."""
    player: str
    """The player's description, with every parameter."""
    seconds: float
    """Seconds for the move, including the time to prepare the player."""


@dataclass(frozen=True, slots=True)
class ServiceAnalyst:
    """Gives players exact scores from an answer service: an :class:`c4core.players.Analyst`."""

    service: AnswerService
    stop: Stop

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """The scores of all columns; with a time limit, the scores known when it ends."""
        search_stop = SearchStop()
        with self.stop.calling(search_stop.set):
            self.stop.check()  # the stop may have come before this context
            (answer,) = self.service.answer(
                [position], Question(time_limit=time_limit), search_stop
            )
        if search_stop.is_set():
            raise StopPlaying
        scores = answer.scores or (None,) * position.width
        return Analysis(scores, answer.lower, answer.upper, answer.nodes, answer.seconds)


def read_player(text: str, *, programs: Consent = NO_PROGRAM) -> PlayerSpec:
    """Read the description of a player, which may come from an untrusted client.

    Programs, expensive players and players that read files are refused without consent, before any
    file is accessed. Otherwise the answer would reveal which files exist.

    Raises:
        ProgramRefusedError: this player is not allowed.
        PlayerError: the description is invalid, or this machine lacks something that it needs.
    """
    check_consent(text, programs)
    spec = parse_player(text, checked=False)
    if spec.needs_files and not spec.kind.cls.is_program and not programs.everything:
        raise ProgramRefusedError(
            f"{spec.kind.name} reads a file that is named here, and plays only with "
            "--allow-programs",
            player=spec.kind.name,
        )
    return parse_player(text)


def choose_move(
    position: Position,
    spec: PlayerSpec,
    *,
    service: AnswerService,
    database: Database | None = None,
    seed: int = 0,
    seconds: float | None = None,
    programs: Consent = NO_PROGRAM,
    stop: Stop | None = None,
) -> ChosenMove:
    """Let a player choose a move for the side to move of an open position.

    ``seconds`` is the time limit. The seed determines everything random; each move of a game draws
    with a seed of its own.

    Raises:
        PlayerError: the player does not play on this board.
        PlayerFailure: the player found no legal move in time.
        ProgramRefusedError: the player is a program that may not be started.
        StopPlaying: the stop came first.
        MemoryError, OSError, RuntimeError: this machine has run out of a resource.
    """
    if position.is_over:
        raise ValueError("the game is over")
    began = time.monotonic()
    stop = stop or Stop()
    grace = NO_CLOCK.grace
    limited = stop if seconds is None else stop.within(seconds + grace)
    resources = _resources(spec, position.board, ServiceAnalyst(service, stop), database)
    move_seed = side_seed(game_seed(seed, position.ply), position.turn)
    try:
        with _made(spec, replace(resources, programs=programs), limited) as player:
            player.check_board(position.board)
            player.begin(GameStart(position.board, position.turn, move_seed, limited))
            left = None if seconds is None else max(began + seconds - time.monotonic(), 0.0)
            column = player.choose(position, Dice(move_seed), Limits(left, grace, limited))
    except StopPlaying as stopped:
        if stopped.error is not None:
            raise stopped.error from None
        if stop.is_over:
            raise
        message = f"{spec.text} has not found a move in {seconds:g} s"
        raise PlayerFailure(Failing.TIME, message) from None
    return ChosenMove(checked_column(column, position), spec.full, time.monotonic() - began)


@contextmanager
def _made(spec: PlayerSpec, resources: Resources, stop: Stop) -> Iterator[Player]:
    """Create a player for a context; after a stop, do not wait for it."""
    player = spec.make(resources)
    try:
        yield player
    finally:
        if stop.is_over:
            player.abandon()
        player.close()


def _resources(
    spec: PlayerSpec, board: BoardSize, analyst: ServiceAnalyst, database: Database | None
) -> Resources:
    if database is None or not looks_games_up(spec):
        return Resources(analyst)
    with database.read() as session:
        matches = games.finished_matches(session, board)
    return Resources(analyst, read_corpus(database, board, matches))
