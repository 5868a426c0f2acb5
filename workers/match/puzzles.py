"""Puzzles: positions in which a single column keeps a win or a draw, and is not obvious.

The solution would get the mark ``!`` in a review (see :data:`c4core.arena.judging.Mark`): it does
not win at once, and it is not the only column that does not lose at once. The positions come from
games: stored games, games of files, or random play.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from c4core.arena.file_formats import game_of_moves
from c4core.arena.judging import OTHERS, judge_move
from c4core.dice import Dice
from c4core.notation import format_moves
from c4core.pictures.board import SIDES, BoardMarks, board_picture
from c4core.pictures.games import boards_picture
from c4core.position import Position
from c4core.solver import Solver
from db import games as game_store
from db.records.games import GameCursor, GameFilter
from workers.answers.question import has_all_columns
from workers.answers.service import SearchStop
from workers.match.files import entry_of
from workers.match.reviews import moved_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from c4core.arena.files import GameEntry
    from c4core.arena.judging import JudgedMove
    from c4core.notation import BoardSize
    from c4core.pictures import Picture
    from db.database import Database
    from db.records.matches import MatchTerms
    from workers.answers.question import Answer
    from workers.answers.service import AnswerService

Kept = Literal["win", "draw"]

MOST_EMPTY: Final = 30
"""Positions with more empty cells are left out: they take seconds to solve, and are too hard for
people. On 7x6, a puzzle has at least 12 stones."""

PATIENCE: Final = 200
"""Random play ends after this many games in a row without a new puzzle: small boards have few."""

TABLE_MB: Final = 8
"""The transposition table of the search that measures the difficulty."""

GAMES_AT_A_TIME: Final = 100
"""Stored games that are read together."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with a single column that keeps the result."""

    position: Position
    column: int
    """The solution, 0-based."""
    line: tuple[int, ...]
    """Best play to the end of the game, as 0-based columns; the first is the solution."""
    keeps: Kept
    """The result that the solution keeps, for the side to move."""
    nodes: int
    """The difficulty: the positions that a search without book and database visits to find who
    wins. It depends on nothing but the version of the engine."""
    match: int | None = None
    """The match of a stored game."""
    number: int | None = None
    """The number of the stored game in its match."""

    def __str__(self) -> str:
        """The question, such as "yellow to move and win"."""
        return f"{SIDES[self.position.turn]} to move and {self.keeps}"


def puzzle_object(puzzle: Puzzle) -> dict[str, Any]:
    """A puzzle as a JSON object. Columns count from 1."""
    position = puzzle.position
    return {
        "match": puzzle.match,
        "number": puzzle.number,
        "board": str(position.board),
        "moves": position.moves,
        "key": position.key,
        "grid": str(position),
        "ply": position.ply,
        "side": position.turn,
        "keeps": puzzle.keeps,
        "solution": puzzle.column + 1,
        "line": format_moves(puzzle.line),
        "length": len(puzzle.line),
        "difficulty": puzzle.nodes,
    }


def puzzles_picture(puzzles: Sequence[Puzzle]) -> Picture:
    """Draw the boards of puzzles, without their solutions."""
    titles = [f"{number}. {puzzle}" for number, puzzle in enumerate(puzzles, start=1)]
    boards = [
        board_picture(puzzle.position, BoardMarks(title=title))
        for puzzle, title in zip(puzzles, titles, strict=True)
    ]
    return boards_picture(boards, f"{len(boards)} puzzles")


class PuzzleSearch:
    """A search for puzzles in games. No position, and no mirror image of one, is found twice.

    ``budget`` is the time for the search in seconds, None for no limit. A stop ends the search.
    """

    def __init__(
        self, service: AnswerService, *, budget: float | None = None, stop: SearchStop | None = None
    ) -> None:
        self.is_complete = True
        """False if the search ended early, by the budget or a stop."""
        self._service = service
        self._deadline = None if budget is None else time.monotonic() + budget
        self._stop = stop or SearchStop()
        self._solver = Solver(table_mb=TABLE_MB)
        self._seen: set[int] = set()

    def all_of(self, games: Iterable[GameEntry]) -> Iterator[Puzzle]:
        """Yield all puzzles of each game, in the order of the moves."""
        for game in games:
            for position, judged in self._candidates(game):
                puzzle = self._puzzle(game, position, judged)
                if puzzle is not None:
                    yield puzzle
            if not self.is_complete:
                return

    def one_of_each(self, games: Iterable[GameEntry], dice: Dice) -> Iterator[Puzzle]:
        """Yield a puzzle of each game that has one."""
        for game in games:
            candidates = self._candidates(game)
            if not self.is_complete:
                return
            puzzle = self._puzzle(game, *dice.pick(candidates)) if candidates else None
            if puzzle is not None:
                yield puzzle

    def random(self, board: BoardSize, *, seed: int, count: int) -> Iterator[Puzzle]:
        """Yield at most ``count`` puzzles, each from another game of random play."""
        dice = Dice(seed)
        games = random_games(board, dice)
        for _ in range(count):
            puzzle = next(self.one_of_each(islice(games, PATIENCE), dice), None)
            if puzzle is None:
                return
            yield puzzle

    def _candidates(self, game: GameEntry) -> list[tuple[Position, JudgedMove]]:
        """The positions of a game that are puzzles and were not seen, with the solution."""
        if self._stop.is_set() or self._left == 0:
            self.is_complete = False
            return []
        positions = [
            position
            for position in moved_from(game)
            if position.canonical_key not in self._seen and _may_be_puzzle(position)
        ]
        self._seen.update(position.canonical_key for position in positions)
        answers = self._service.answer_within(positions, self._left, self._stop)
        found = []
        for position, answer in zip(positions, answers, strict=True):
            if not has_all_columns(answer, position):
                self.is_complete = False
                continue
            judged = _solution(position, answer)
            if judged is not None:
                found.append((position, judged))
        return found

    def _puzzle(self, game: GameEntry, position: Position, judged: JudgedMove) -> Puzzle | None:
        """The puzzle with its line and its difficulty; None if there is no time to find them."""
        line = self._service.find_line(position, time_limit=self._left, stop=self._stop)
        self._solver.clear()
        with self._stop.calling(self._solver.stop):
            found = self._solver.solve(position, weak=True, time_limit=self._left)
        if line is None or found.value is None:
            self.is_complete = False
            return None
        keeps: Kept = "win" if judged.best > 0 else "draw"
        return Puzzle(position, judged.column, line, keeps, found.nodes, game.match, game.number)

    @property
    def _left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())


def _may_be_puzzle(position: Position) -> bool:
    """Whether a position is late enough, has a choice, and has no win at once."""
    columns = position.legal_columns()
    return (
        position.board.cells - position.ply <= MOST_EMPTY
        and len(columns) > OTHERS
        and not any(map(position.is_winning, columns))
    )


def _solution(position: Position, answer: Answer) -> JudgedMove | None:
    """The move that solves a position, judged; None if the position is not a puzzle."""
    if answer.score is None or answer.score < 0:
        return None
    judged = judge_move(position, answer.best[0], answer.scores)
    return judged if judged is not None and judged.is_hard_to_find else None


def random_games(board: BoardSize, dice: Dice) -> Iterator[GameEntry]:
    """Play games in which both sides win if they can, and otherwise do not let the other win.

    Other moves are random. Without this care, most positions have a win at once.
    """
    empty = Position(board=board)
    while True:
        position = empty
        while not position.is_over:
            position = position.play(_careful_move(position, dice))
        yield game_of_moves(position.moves or "", board)


def _careful_move(position: Position, dice: Dice) -> int:
    columns = position.legal_columns()
    winning = [column for column in columns if position.is_winning(column)]
    if winning:
        return winning[0]
    safe = [column for column in columns if not _can_win(position.play(column))]
    return dice.pick(safe or columns)


def _can_win(position: Position) -> bool:
    return any(map(position.is_winning, position.legal_columns()))


def match_games(
    database: Database, match_id: int, *, seed: int | None = None
) -> Iterator[GameEntry]:
    """Read the games of a match in their order, in constant memory.

    With a seed, begin at a random game, and continue with the first game after the last one.

    Raises:
        MatchNotFoundError: no match has this number.
    """
    with database.read() as session:
        terms = game_store.get_terms(session, match_id)
    first = 0 if seed is None else Dice(seed).below(max(1, terms.games))
    yield from _games_from(database, terms, GameCursor(match_id, first - 1))
    for game in _games_from(database, terms, GameCursor(match_id, -1)):
        if (game.number or 0) >= first:
            return
        yield game


def _games_from(database: Database, terms: MatchTerms, after: GameCursor) -> Iterator[GameEntry]:
    filters = GameFilter(matches=(after.match_id,), has_moves=True)
    cursor: GameCursor | None = after
    while cursor is not None:
        with database.read() as session:
            page = game_store.list_games(session, filters, after=cursor, limit=GAMES_AT_A_TIME)
        cursor = page.next
        entries = [entry_of(game, terms) for game in page.games]
        yield from entries
