"""The computer's players, and the exact scores that hints and players need."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from c4core.arena.game import checked_column, side_seed
from c4core.dice import Dice
from c4core.players.errors import Failing, PlayerFailure, is_exhaustion
from c4core.players.player import GameStart, Limits, Resources
from c4core.players.stopping import Stop
from c4core.solver import Solver
from db import games
from db.errors import StorageError
from workers.answers.find import evaluate
from workers.answers.question import Question
from workers.match.table import read_corpus
from workers.match.terms import looks_games_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.book import Book
    from c4core.evaluation import Analysis
    from c4core.notation import BoardSize
    from c4core.players.player import Player, PlayerSpec
    from c4core.position import Position, Side
    from cli.commands.play.game import Game
    from db.database import Database
    from workers.answers.question import Answer

STOP_SECONDS: Final = 0.05
"""Interval between stop requests; a search that has just begun may miss one."""


class Scores:
    """Looks scores up or searches them, from any thread.

    Args:
        database: has known answers, and stores new ones. None for no database.
        table_mb: size of the transposition table.
        threads: threads that search.
        book: probed first; None for no book.
        on_trouble: called with a message if the database fails; the game continues without it.
    """

    def __init__(
        self,
        database: Database | None,
        *,
        table_mb: int,
        threads: int,
        book: Book | None = None,
        on_trouble: Callable[[str], object] = lambda _: None,
    ) -> None:
        self.on_trouble = on_trouble
        self._solver = Solver(table_mb=table_mb, threads=threads)
        self._database = database
        self._book = book
        self._lock = threading.Lock()
        self._round = 0  # searches of an earlier round are stopped
        self._searching: list[int] = []  # the rounds of all running searches

    def ask(self, position: Position, *, time_limit: float | None = None) -> Answer:
        """Score every column; after :meth:`give_up` or at the limit, return the bounds so far."""
        with self._lock:
            begun = self._round
            self._searching.append(begun)
        try:
            return self._answer(position, Question(time_limit=time_limit), begun)
        finally:
            with self._lock:
                self._searching.remove(begun)

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """Implement :meth:`c4core.players.Analyst.analyze`."""
        return self.ask(position, time_limit=time_limit).as_analysis(position.width)

    def give_up(self) -> None:
        """Stop all running searches soon; later searches are not affected."""
        with self._lock:
            self._round += 1
            is_idle = not self._searching
        if not is_idle:
            threading.Thread(target=self._stop_searches, daemon=True).start()

    def _answer(self, position: Position, question: Question, begun: int) -> Answer:
        def is_stopped() -> bool:
            return self._round != begun

        def answered(database: Database | None) -> Answer:
            return evaluate(
                [position],
                question,
                self._solver,
                database,
                book=self._book,
                is_stopped=is_stopped,
            )[0]

        try:
            return answered(self._database)
        except StorageError as error:
            self._database = None
            self.on_trouble(f"the game continues without the database: {error}")
            return answered(None)

    def _stop_searches(self) -> None:
        while any(begun != self._round for begun in self._searching):
            self._solver.stop()  # this also stops searches of the current round, which resume
            time.sleep(STOP_SECONDS)


END_SECONDS: Final = 1.0
"""Time limit for a player to stop choosing a move."""


@dataclass(frozen=True, slots=True)
class GameResources:
    """Resources of players and hints: exact scores and stored games."""

    scores: Scores
    database: Database | None = None
    """The stored games, or None."""

    def of(self, spec: PlayerSpec, board: BoardSize) -> Resources:
        """The resources for a player on a board."""
        if self.database is None or not looks_games_up(spec):
            return Resources(analyst=self.scores)
        with self.database.read() as session:
            matches = games.finished_matches(session, board)
        return Resources(self.scores, read_corpus(self.database, board, matches))


class Opponents:
    """Creates each player of a game before its first move, and closes the players at the end.

    One thread asks for moves; another one may call :meth:`end`.
    """

    def __init__(self, supplies: GameResources) -> None:
        self._supplies = supplies
        self._players: dict[Side, Player] = {}
        self._stop = Stop()
        self._in_use = threading.Lock()

    def choose(self, game: Game) -> int:
        """Choose a legal column for the player to move.

        Raises:
            PlayerFailure: the player cannot go on, or its answer is not legal.
            StopPlaying: the game has ended meanwhile.
            MemoryError, OSError, RuntimeError: this machine lacks memory or another resource. The
                player has not failed; it may be asked again.
        """
        stop = self._stop
        with self._in_use:
            stop.check()
            return self._chosen(game, stop)

    def _chosen(self, game: Game, stop: Stop) -> int:
        position = game.position
        try:
            player = self._player(game, position.turn, stop)
            answer = player.choose(position, Dice(game.move_seed), Limits(stop=stop))
        except PlayerFailure:
            raise
        except Exception as error:
            if is_exhaustion(error):
                raise
            raise PlayerFailure(Failing.ERROR, f"{type(error).__name__}: {error}") from error
        return checked_column(answer, position)

    def end(self, game: Game) -> None:
        """Close the players of a game; if it is over, send them the result first.

        A player that is choosing a move is stopped. If it does not stop in time, no player is
        closed.
        """
        self._stop.set()
        if not self._in_use.acquire(timeout=END_SECONDS):
            return  # a player that is loading a library cannot be interrupted
        try:
            self._close_players(game)
            self._stop = Stop()
        finally:
            self._in_use.release()

    def _close_players(self, game: Game) -> None:
        players, self._players = self._players, {}
        for side, player in players.items():
            # An error of one player must not keep the others open.
            with contextlib.suppress(Exception):
                if game.is_over:
                    won = "win" if game.winner == side else "loss"
                    player.end("draw" if game.winner is None else won)
            with contextlib.suppress(Exception):
                player.close()

    def _player(self, game: Game, side: Side, stop: Stop) -> Player:
        player = self._players.get(side)
        if player is None:
            seat = game.seat(side)
            spec = seat.spec
            if spec is None:
                raise ValueError(f"a person plays {side}")
            supplies = self._supplies.of(spec, game.board)
            player = spec.make(replace(supplies, programs=seat.programs))
            self._players[side] = player  # so that it is closed even if it cannot begin
            player.begin(GameStart(game.board, side, side_seed(game.seed, side), stop))
        return player
