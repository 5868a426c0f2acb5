"""Let players play: games of a match, at a *table* with two players, and single moves.

Without a match, a player is created for one move and closed after it. It has the same dice, the
same position and no memory. So the same question has the same answer, except from players that
depend on the clock.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakKeyDictionary

from c4core.arena.game import NO_CLOCK, checked_column, game_seed, play_game, side_seed
from c4core.dice import Dice
from c4core.evaluation import is_proven_choice
from c4core.players import (
    NO_PROGRAM,
    Failing,
    FinalGrids,
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
from db.records.games import StoredGame
from db.records.matches import Seats
from workers.answers.find import find_answers, look_up, search_with
from workers.answers.question import Question, usable_book
from workers.answers.service import SearchStop
from workers.match.terms import looks_games_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.arena.game import GameRecord
    from c4core.evaluation import Analysis
    from c4core.notation import BoardSize
    from c4core.players import Consent, Player, PlayerSpec
    from c4core.position import Position, Side
    from c4core.solver import Solver
    from db.database import Database
    from db.records.evaluations import StoredEvaluation
    from db.records.matches import MatchTerms
    from workers.answers.service import AnswerService


MAX_CORPORA: Final = 2
"""Number of corpora that are kept. Few are enough: every unit of a match uses the same one."""

_corpora_lock: Final = threading.Lock()
_corpora: Final[
    WeakKeyDictionary[Database, dict[tuple[BoardSize, tuple[int, ...]], FinalGrids]]
] = WeakKeyDictionary()


def read_corpus(database: Database, board: BoardSize, matches: tuple[int, ...]) -> FinalGrids:
    """The final grids of these finished matches' games.

    A grid takes 17 bytes, or 33 on a board of more than 64 bits. Finished matches do not change, so
    the grids are read once for all threads of the process.
    """
    with _corpora_lock:
        kept = _corpora.setdefault(database, {})
        asked = board, matches  # a database without matches has none on every board
        if asked not in kept:
            with database.read() as session:
                keys, winners = games.read_finals(session, matches)
            while len(kept) >= MAX_CORPORA:
                del kept[next(iter(kept))]
            kept[asked] = FinalGrids.from_keys(keys, winners, board=board)
        return kept[asked]


class MatchAnalyst:
    """Finds the score of every column in the book, in the database, or by a search.

    The solver is shared with other callers, who may stop it. A search that was stopped for another
    caller is resumed, because a player must not move after half a search. ``learned`` has the new
    evaluations to store.
    """

    def __init__(
        self, database: Database, searcher: Solver, is_stopped: Callable[[], bool]
    ) -> None:
        self.learned: list[StoredEvaluation] = []
        self.nodes = 0
        self._database = database
        self._searcher = searcher
        self._is_stopped = is_stopped
        self._known: dict[int, StoredEvaluation] = {}

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """The scores of all columns; with a time limit, the scores known when it ends.

        Raises:
            StopPlaying: the match was stopped, or the scores cannot be found because the database
                is unreachable or memory has run out.
        """
        try:
            return self._analyze(position, time_limit)
        except Exception as error:
            raise StopPlaying(error) from error

    def _analyze(self, position: Position, time_limit: float | None) -> Analysis:
        key = position.canonical_key
        if key not in self._known:
            self._known.update(look_up(self._database, [position]))
        findings = find_answers(
            [position],
            Question(time_limit=time_limit),
            search_with(self._searcher, self._is_stopped),
            self._known,
            book=usable_book(position.board),
        )
        if not findings.is_complete and self._is_stopped():
            raise StopPlaying
        self.nodes += findings.nodes
        self.learned += findings.learned
        self._known.update((row.key, row) for row in findings.learned if row.scores is not None)
        return findings.answers[0].as_analysis(position.width)


def side_of_a(terms: MatchTerms, number: int) -> Side:
    """The side of player a in a game; it depends only on the terms and the number."""
    match terms.seats:
        case Seats.FIXED:
            return "x"
        case Seats.ALTERNATE:
            return "o" if number % 2 else "x"
        case Seats.RANDOM:
            return "o" if game_seed(terms.seed, number) % 2 else "x"


class Table:
    """Plays games of a match within a ``with`` block, which ends the players' processes.

    ``before_move`` is called before every move; its errors end the game and are raised. A stop ends
    games without a result, even while a player thinks.

    Raises:
        PlayerError: this version of the program does not know a player.
        ProgramRefusedError: a player is a program that may not be started. The program is not
            even looked up on this machine.
    """

    def __init__(
        self,
        terms: MatchTerms,
        resources: Resources,
        before_move: Callable[[], object] = lambda: None,
        stop: Stop | None = None,
    ) -> None:
        self._terms = terms
        self._stop = stop
        self._before_move = before_move
        # Two players are needed even if both are the same: a program plays one side of a game.
        for player in (terms.player_a, terms.player_b):
            check_consent(player, resources.programs)
        self._a = parse_player(terms.player_a).make(resources)
        self._b = parse_player(terms.player_b).make(resources)
        self._players = ExitStack()

    def __enter__(self) -> Self:
        """Begin; programs are started when their first game begins."""
        self._players.enter_context(self._a)
        self._players.enter_context(self._b)
        return self

    def __exit__(self, *_: object) -> None:
        """End the players' processes; after a stop, do not wait for them."""
        if self._stop is not None and self._stop.is_over:
            self._a.abandon()
            self._b.abandon()
        self._players.close()

    def play(self, number: int) -> StoredGame:
        """Play a game of the match. The same number gives the same game.

        Raises StopPlaying if the stop came first, and other errors if a built-in player has a bug
        or this machine has run out of a resource.
        """
        a_side = side_of_a(self._terms, number)
        first, second = (self._a, self._b) if a_side == "x" else (self._b, self._a)
        record = play_game(
            first,
            second,
            seed=game_seed(self._terms.seed, number),
            time_control=self._terms.time_control,
            start=self._terms.start,
            lenient=self._terms.lenient,
            before_move=self._before_move,
            stop=self._stop,
            raises_faults=True,
        )
        return stored(record, number, a_side)


def stored(record: GameRecord, number: int, a_side: Side) -> StoredGame:
    """Convert a game into its stored form."""
    return StoredGame(
        number=number,
        a_side=a_side,
        seed=record.seed,
        moves=record.moves,
        final_key=record.final().key,
        length=record.length,
        winner=record.winner,
        ending=record.ending.value,
        detail=record.detail,
        x_seconds=record.seconds_of("x"),
        o_seconds=record.seconds_of("o"),
        replaced=record.replaced,
    )


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """A player's move."""

    column: int
    """The 0-based column; it can be played."""
    player: str
    """The player's description, with every parameter."""
    seconds: float
    """Seconds for the move, including the time to prepare the player."""
    bounds: tuple[int, int] | None = None
    """The proven bounds of the column's score, if the player plays by scores."""
    is_proven: bool | None = None
    """Whether it is proven that no column has a better result, if the player plays by scores."""


@dataclass(slots=True)
class ServiceAnalyst:
    """Gives players proven scores from an answer service: an :class:`c4core.players.Analyst`."""

    service: AnswerService
    stop: Stop
    last: Analysis | None = None
    """The last analysis; None if the player asked for none."""

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
        self.last = answer.as_analysis(position.width)
        return self.last


def read_player(text: str, *, programs: Consent = NO_PROGRAM) -> PlayerSpec:
    """Read the description of a player, which may come from an untrusted client.

    Programs and players that read files are refused without consent, before any
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
    analyst = ServiceAnalyst(service, stop)
    resources = _resources(spec, position.board, analyst, database)
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
    column = checked_column(column, position)
    bounds = None if analyst.last is None else analyst.last.bounds
    return ChosenMove(
        column,
        spec.full,
        time.monotonic() - began,
        None if bounds is None else bounds[column],
        None if bounds is None else is_proven_choice(bounds, column),
    )


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
