"""Prove reasons for moves by playing moves; no code is shared with the search for reasons."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from c4core.position import Position, Side
from c4core.reasons import FOUR, Reason, Square

_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))


def is_proven(reason: Reason, position: Position) -> bool:
    """Prove a reason by playing moves from the position before its first move.

    The moves after the first are not compared with best play: only a solver knows it.
    """
    side, board = reason.side, position
    for number, column in enumerate(reason.moves):
        is_forced = reason.kind == "forced" and board.turn != side and number > 0
        if not board.is_legal(column) or (is_forced and not _is_forced(board, column)):
            return False
        board = board.play(column)
    proof = {
        "four": lambda: board.winner == side and _are_four(board, side, reason.squares),
        "two_threats": lambda: _has_won(board, side, reason.columns),
        "forced": lambda: _has_won(board, side, reason.columns),
        "waits": lambda: (
            _wins_waiting(board, set(), only_above=bool(reason.squares))
            and all(_completes(board, side, square) for square in reason.squares)
        ),
        "stops": lambda: (
            board.stone_at(*reason.squares[0]) == side
            and _completes(position, board.turn, reason.squares[0])
        ),
    }
    return board.turn != side and proof[reason.kind]()


def _has_won(board: Position, side: Side, columns: Sequence[int]) -> bool:
    """Whether each of some columns completes four now, and one does after every reply."""
    replies = [board.play(reply) for reply in board.legal_columns()]
    return (
        len(columns) > 1
        and all(_completes(board, side, (column, board.heights[column])) for column in columns)
        and all(after.winner is None and _finishes(after, columns) for after in replies)
    )


def _finishes(board: Position, columns: Iterable[int]) -> bool:
    """Whether one of some columns wins for the side to move."""
    legal = board.legal_columns()
    return any(board.play(each).winner is not None for each in columns if each in legal)


def _is_forced(board: Position, column: int) -> bool:
    """Whether every other move of the side to move lets the opponent win at once."""
    others = [board.play(each) for each in board.legal_columns() if each != column]
    return all(_finishes(after, after.legal_columns()) for after in others)


def _stones(board: Position, side: Side, start: Square, step: Square) -> int:
    """The number of a side's stones in a row beside a square."""
    number, (column, row) = 0, start
    while True:
        column, row = column + step[0], row + step[1]
        if not (0 <= column < board.width and 0 <= row < board.height):
            return number
        if board.stone_at(column, row) != side:
            return number
        number += 1


def _completes(board: Position, side: Side, square: Square) -> bool:
    """Whether a stone on an empty square would complete four."""
    return board.stone_at(*square) is None and any(
        _stones(board, side, square, (right, up)) + _stones(board, side, square, (-right, -up))
        >= FOUR - 1
        for right, up in _STEPS
    )


def _are_four(board: Position, side: Side, squares: Sequence[Square]) -> bool:
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(squares)}
    return (
        len(squares) >= FOUR
        and len(steps) == 1
        and steps <= set(_STEPS)
        and all(board.stone_at(*square) == side for square in squares)
    )


def _wins_waiting(board: Position, seen: set[str], *, only_above: bool) -> bool:
    """Whether the side that is not to move wins by the rule of ``waits``, after every move."""
    if str(board) in seen:
        return True
    seen.add(str(board))
    for column in board.legal_columns():
        after = board.play(column)
        if after.is_over:
            return False
        if _finishes(after, [column] if only_above else after.legal_columns()):
            continue
        if _finishes(after, after.legal_columns()):
            return False
        tops = enumerate(after.heights)
        stops = [at for at in tops if at[1] < after.height and _completes(after, board.turn, at)]
        answer = stops[0][0] if stops else column
        if not after.is_legal(answer):
            return False
        if not _wins_waiting(after.play(answer), seen, only_above=only_above):
            return False
    return not board.is_over
