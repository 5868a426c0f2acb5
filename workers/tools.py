"""Tools for language models: questions about positions and games, answered as JSON objects.

``c4 mcp`` offers the methods of :class:`Tools` by the Model Context Protocol. A method's name and
docstring describe the tool to a model, and its annotated parameters are the tool's arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from c4core.arena.file_formats import game_of_moves
from c4core.errors import C4Error
from c4core.lines import parse_position
from c4core.notation import MAX_BITS, column_label, parse_board
from c4core.players import ProgramRefusedError, Stop, StopPlaying
from db import evaluations
from db.records.evaluations import Cursor, EvaluationFilter
from workers.answers.lines import request_object, stored_object
from workers.answers.service import SearchStop
from workers.match.reviews import review_game, review_object
from workers.match.table import choose_move, read_player

if TYPE_CHECKING:
    from c4core.lines import Request
    from db.database import Database
    from workers.answers.question import Answer
    from workers.answers.service import AnswerService

INSTRUCTIONS: Final = """\
Exact answers about Connect Four, on boards of any size (7 columns x 6 rows by default).
Columns count from 1, from left to right. Side x moves first.
A score is for the side to move, with perfect play of both sides. 0 is a draw. n > 0 is a win with
the n-th last own stone, so a larger score is a faster win. n < 0 is a loss by the opponent's
n-th last stone. The score of a column is the score of the side to move after it plays there.
If the budget is too small, the score is null, and "lower" and "upper" are proven bounds."""
"""The introduction for models."""

NAMES: Final = ("solve", "analyze", "review", "legal_moves", "best_move", "query")
"""The methods of :class:`Tools` that are tools."""

BUDGET: Final = 2.0
"""Seconds of search for a call that has no budget."""
MOST_SECONDS: Final = 30.0
"""Default limit of a call's budget."""
MOST_POSITIONS: Final = 100
"""Maximum number of positions in a call."""
MOST_ROWS: Final = 100
"""Maximum number of stored evaluations in an answer."""
LONGEST_PLAYER: Final = 500
"""Maximum number of characters of a player's description."""
LARGEST_SEED: Final = (1 << 53) - 1
"""The largest integer that all JSON readers represent exactly."""

_Square = str | int | None
_Form = str | list[_Square | list[_Square]] | dict[str, Any]
_FORMS: Final = (
    'moves (4453, "4,4,5,3" or "d1 d2 e1 c1"), a grid as text or as a list of rows, the top row '
    'first, or an object with one of "moves", "grid" and "key"'
)
Form = Annotated[_Form, f"The position: {_FORMS}. Empty: no stones."]
Forms = Annotated[list[_Form], f"Up to {MOST_POSITIONS} positions of one board, each {_FORMS}."]
Game = Annotated[_Form, 'The moves from the empty board: 4453, "4,4,5,3", or a list of columns.']
Board = Annotated[str, "Columns x rows, such as 7x6."]
Budget = Annotated[
    float | None, f"Most seconds to search, for the complete call; {BUDGET:g} by default."
]


class ToolError(C4Error, ValueError):
    """An argument of a tool is not allowed."""


class Tools:
    """The tools, for one or several models at the same time. Thread-safe.

    Models are untrusted: players that are programs, read files or cost much are refused, and a
    call's budget is at most ``most_seconds``. ``stop`` of a method ends its work early. Every
    method raises a :class:`C4Error` if an argument is wrong, or the database or a player fails.
    """

    def __init__(
        self,
        service: AnswerService,
        database: Database | None = None,
        *,
        most_seconds: float = MOST_SECONDS,
    ) -> None:
        self._service = service
        self._database = database
        self._most_seconds = most_seconds

    def solve(
        self,
        position: Form,
        board: Board = "7x6",
        budget: Budget = None,
        *,
        stop: SearchStop | None = None,
    ) -> dict[str, Any]:
        """Solve a position exactly.

        Returns "score" and "value" (win, draw or loss) for the "side" to move, "scores" with the
        score of every column (null if it is full), the "best" columns, and "plies", the number of
        moves until the game ends with perfect play. If the budget is too small, "lower" and
        "upper" are proven bounds, "bounds" are the columns' bounds, and "estimate" is a guess
        without proof: the "share" is the expected result, 1 for a win of the side to move, also
        after each of the "columns"; "favoured" is win or loss, null if it is too close to call;
        "published" is the published score of an empty board.
        """
        request = parse_position(position, parse_board(board))
        (answer,) = self._service.answer_within([request.position], self._seconds(budget), stop)
        return _answered(request, answer)

    def analyze(
        self,
        positions: Forms,
        board: Board = "7x6",
        budget: Budget = None,
        *,
        stop: SearchStop | None = None,
    ) -> dict[str, Any]:
        """Solve several positions of one board.

        Returns "answers", with an object as of the tool "solve" for each position, in order.
        """
        if len(positions) > MOST_POSITIONS:
            raise ToolError(f"{len(positions)} positions; the limit is {MOST_POSITIONS}")
        size, seconds = parse_board(board), self._seconds(budget)
        requests = []
        for number, position in enumerate(positions, start=1):
            try:
                requests.append(parse_position(position, size))
            except C4Error as error:
                raise ToolError(f"position {number}: {error}") from None
        asked = [request.position for request in requests]
        answers = self._service.answer_within(asked, seconds, stop)
        return {"answers": list(map(_answered, requests, answers))}

    def review(
        self,
        moves: Game,
        board: Board = "7x6",
        budget: Budget = None,
        *,
        stop: SearchStop | None = None,
    ) -> dict[str, Any]:
        """Find the mistakes of a game, move by move.

        "moves_judged" has for each move the score of the best column ("before"), the score of the
        played column ("after"), both for the side that moved, their difference ("loss"), and the
        "best" columns. "mark" is "??" if the move changed the result for the worse, "?" if it wins
        later or loses sooner than necessary, and "!" if it was the only move that kept the result
        and was not obvious. The "text" of "reason" says how a "??" loses or why a "!" is good, and
        that of "better" why a best column is better. "accuracy" is the percentage of a side's
        difficult moves that kept the result.
        """
        request = parse_position(moves, parse_board(board))
        if request.moves is None:
            raise ToolError("a review needs the moves of the game, not a grid or a key")
        game = game_of_moves(request.moves, request.position.board)
        found = review_game(game, self._service, budget=self._seconds(budget), stop=stop)
        return review_object(found)

    def legal_moves(
        self,
        position: Form,
        board: Board = "7x6",
        *,
        stop: SearchStop | None = None,  # noqa: ARG002 (all tools have it)
    ) -> dict[str, Any]:
        """List the columns that can be played, without a search.

        Returns "columns", the "side" to move, the board as a "grid" with the top row first, and
        whether the game is "over", with its "winner" (null for a draw).
        """
        request = parse_position(position, parse_board(board))
        found = request.position
        return {
            "moves": request.moves,
            "board": str(found.board),
            "key": str(found.key),
            "grid": str(found),
            "ply": found.ply,
            "side": found.turn,
            "columns": [column + 1 for column in found.legal_columns()],
            "over": found.is_over,
            "winner": found.winner,
        }

    def best_move(
        self,
        position: Form,
        player: Annotated[str, 'The player, such as "minimax-windows:depth=4".'] = "perfect",
        board: Board = "7x6",
        budget: Budget = None,
        seed: Annotated[int, "Seed of random choices."] = 0,
        *,
        stop: SearchStop | None = None,
    ) -> dict[str, Any]:
        """Choose a move by a named player.

        "perfect" is perfect if the position is solved within the budget; otherwise it plays the
        strongest move found. "easy", "medium" and "hard" are weaker. Returns the "column", the
        "moves" with it, the "player" with all parameters, the proven "bounds" of the column's
        score, and whether it is "proven" that no column has a better result.
        """
        request = parse_position(position, parse_board(board))
        if request.position.is_over:
            raise ToolError("the game is over")
        if len(player) > LONGEST_PLAYER:
            raise ToolError(f"player has {len(player)} characters; the limit is {LONGEST_PLAYER}")
        seconds = self._seconds(budget)
        if seconds <= 0:
            raise ToolError("budget must be more than 0 for a move")
        _check("seed", seed, 0, LARGEST_SEED)
        player_stop = Stop()
        with (stop or SearchStop()).calling(player_stop.set):
            try:
                move = choose_move(
                    request.position,
                    read_player(player),
                    service=self._service,
                    database=self._database,
                    seed=seed,
                    seconds=seconds,
                    stop=player_stop,
                )
            except ProgramRefusedError:
                raise ToolError("players that are programs or read files are refused") from None
            except StopPlaying:
                raise ToolError("the player was stopped before it had a move") from None
        moves = request.moves
        return {
            "column": move.column + 1,
            "moves": None if moves is None else moves + column_label(move.column),
            "player": move.player,
            "seconds": round(move.seconds, 6),
            "proven": move.is_proven,
            "bounds": None if move.bounds is None else list(move.bounds),
        }

    def query(
        self,
        board: Board = "7x6",
        *,
        min_ply: Annotated[int | None, "Fewest stones."] = None,
        max_ply: Annotated[int | None, "Most stones."] = None,
        min_score: Annotated[int | None, "The score is proven to be at least this."] = None,
        max_score: Annotated[int | None, "The score is proven to be at most this."] = None,
        value: Annotated[Literal["win", "draw", "loss"] | None, "Proven outcome."] = None,
        exact: Annotated[bool | None, "True: only exact scores; false: only bounds."] = None,
        limit: Annotated[int, f"Most rows, up to {MOST_ROWS}."] = 10,
        cursor: Annotated[str | None, '"next" of the previous page.'] = None,
        stop: SearchStop | None = None,  # noqa: ARG002 (all tools have it)
    ) -> dict[str, Any]:
        """List stored evaluations of the database that meet the conditions, by ply and key.

        Returns "rows" and "next", the cursor of the next page (null on the last one). A position
        and its mirror image are stored as one; columns refer to the stored image. Positions in the
        opening book are not stored.
        """
        if self._database is None:
            raise ToolError("this server has no database: start it without --no-store")
        for name, ply in (("min_ply", min_ply), ("max_ply", max_ply)):
            _check(name, ply, 0, MAX_BITS)
        for name, score in (("min_score", min_score), ("max_score", max_score)):
            _check(name, score, -MAX_BITS, MAX_BITS)
        _check("limit", limit, 1, MOST_ROWS)
        filters = EvaluationFilter(
            board=parse_board(board),
            min_ply=min_ply,
            max_ply=max_ply,
            min_score=min_score,
            max_score=max_score,
            value=value,
            exact=exact,
        )
        try:
            after = None if cursor is None else Cursor.parse(cursor)
        except ValueError as error:
            raise ToolError(str(error)) from None
        with self._database.read() as session:
            page = evaluations.search(session, filters, after=after, limit=limit)
        rows = [stored_object(row) for row in page.rows]
        return {
            "rows": [row | {"key": str(row["key"])} for row in rows],
            "next": None if page.next is None else str(page.next),
        }

    def _seconds(self, budget: float | None) -> float:
        if budget is None:
            return min(BUDGET, self._most_seconds)
        _check("budget", budget, 0, self._most_seconds)
        return budget


def _check(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise ToolError(f"{name} must be from {low:g} to {high:g}, not {value:g}")


def _answered(request: Request, answer: Answer) -> dict[str, Any]:
    """The object of ``c4 solve --json``; a key is text, because it may exceed 53 bits."""
    shown: dict[str, Any] = request_object(request, answer, estimates=True)
    return shown | ({"key": str(shown["key"])} if "key" in shown else {})
