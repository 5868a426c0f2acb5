"""Short sentences that say why a move is good or bad, from exact knowledge only.

A :class:`Reason` is a fact about a board and holds against every reply. The tests prove reasons by
playing moves (tests/support/boards/reasons.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.lines import JsonValue
    from c4core.position import Position, Side

Square = tuple[int, int]
"""Column and row, both 0-based; row 0 is the lowest."""

Kind = Literal["four", "two_threats", "forced", "waits", "stops"]
"""The fact that holds after the moves of a reason.

- ``four``: the last move completed the four ``squares``;
- ``two_threats``: the opponent can stop only one of the fours in ``columns``. If two of them are
  equal, the second four is above the first;
- ``forced``: likewise, and every move of the opponent was the only one to stop a four;
- ``waits``: the side wins if it completes a four, else stops one, else answers in the column of
  the opponent's move. If it has threats ``squares``, the opponent loses only by a move below one of
  its fours, when it has run out of other moves;
- ``stops``: the move took the only square where the opponent could complete a four, ``squares``.
"""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a move is good, or what a mistake lets the opponent do."""

    kind: Kind
    side: Side
    """The side that gains; it makes the last of the moves."""
    moves: tuple[int, ...]
    """The explained move, and what follows: forced moves, or best play. Columns are 0-based."""
    columns: tuple[int, ...] = ()
    squares: tuple[Square, ...] = ()

    @property
    def text(self) -> str:
        """The reason as a sentence. Columns count from 1, and a1 is the lower left square."""
        return _text(self)

    def to_dict(self) -> dict[str, JsonValue]:
        """The reason as a JSON object; columns and rows count from 1."""
        return {
            "kind": self.kind,
            "side": self.side,
            "moves": [move + 1 for move in self.moves],
            "columns": [column + 1 for column in self.columns],
            "squares": [[column + 1, row + 1] for column, row in self.squares],
            "text": self.text,
        }


def explain(position: Position, column: int, score: int, line: Sequence[int] = ()) -> Reason | None:
    """Find why a move wins or stops a four, or how it loses; None without a short reason.

    Args:
        position: the position before the move.
        column: the move, 0-based.
        score: the exact score of the move, for the side to move.
        line: best play after the move, if it is known. If there is no other reason, it is searched
            for the first position with a reason.
    """
    after, side, other = position.play(column), position.turn, _other(position.turn)
    if score == 0:
        return _stops(position, column)
    if score > 0:
        return (
            _attack(after, side, (column,))
            or _forced(position, side, (), first=column)
            or _waits(after, side, (column,))
            or _stops(position, column)
            or _along(after, side, (column,), line)
        )
    replies = [(after.play(reply), other, (column, reply)) for reply in after.legal_columns()]
    return (
        min((found for reply in replies if (found := _attack(*reply))), key=_kind, default=None)
        or _forced(after, other, (column,))
        or next((found for reply in replies if (found := _waits(*reply))), None)
        or _along(after, other, (column,), line)
    )


FOUR: Final = 4
_STEPS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


def _kind(reason: Reason) -> str:
    return reason.kind  # "four" comes before "two_threats"


def _other(side: Side) -> Side:
    return "o" if side == "x" else "x"


def _stops(position: Position, column: int) -> Reason | None:
    threats = _open_threats(position, _other(position.turn))
    if threats != [(column, position.heights[column])]:
        return None
    return Reason("stops", position.turn, (column,), squares=tuple(threats))


def _wins(board: Position) -> list[int]:
    return [column for column in board.legal_columns() if board.is_winning(column)]


def _open_threats(board: Position, side: Side) -> list[Square]:
    """The squares where a side completes four if it is to move next."""
    heights = board.heights
    return [(column, row) for column, row in board.threats()[side] if heights[column] == row]


def _attack(board: Position, side: Side, moves: tuple[int, ...]) -> Reason | None:
    """The four or the two threats that the side's last move has made."""
    if board.winner is not None:
        return Reason("four", side, moves, squares=_four(board, moves[-1]))
    columns = _two_threats(board, side)
    return Reason("two_threats", side, moves, columns) if columns else None


def _four(board: Position, column: int) -> tuple[Square, ...]:
    """One line of four or more through the top stone of a column."""
    squares = set(board.winning_squares())
    top = (column, board.heights[column] - 1)
    for right, up in _STEPS:
        line = [top]
        for step in ((right, up), (-right, -up)):
            square = top
            while (square := (square[0] + step[0], square[1] + step[1])) in squares:
                line.append(square)
        if len(line) >= FOUR:
            return tuple(sorted(line))
    raise AssertionError("no four")


def _two_threats(board: Position, side: Side) -> tuple[int, ...]:
    """The columns of two threats that the opponent, to move, cannot stop; empty if none."""
    threats = _open_threats(board, side)
    if not threats or _wins(board):
        return ()
    if len(threats) > 1:
        return tuple(column for column, _ in threats)
    ((column, row),) = threats
    return (column, column) if (column, row + 1) in board.threats()[side] else ()


DEEPEST: Final = 6
"""Maximum number of forced replies in a reason."""

MOST_MOVES: Final = 1_400
"""Maximum number of moves in one search for a reason: 200 positions with seven columns."""


def _forced(
    board: Position, side: Side, moves: tuple[int, ...], *, first: int | None = None
) -> Reason | None:
    """The shortest line to two threats with forced replies, for the side to move."""
    for replies in range(1, DEEPEST + 1):
        if found := _force(board, side, replies, set(), first):
            return Reason("forced", side, (*moves, *found[0]), found[1])
    return None


def _force(
    board: Position, side: Side, replies: int, seen: set[int], first: int | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The moves to two threats with some forced replies, and the columns of the threats."""
    if board.key in seen or len(seen) * board.width >= MOST_MOVES:
        return None
    seen.add(board.key)
    must = {column for column, _ in _open_threats(board, _other(side))}
    for column in board.legal_columns() if first is None else (first,):
        after = board.play(column)
        if (must and must != {column}) or after.is_over:
            continue
        if threats := _two_threats(after, side):
            return (column,), threats
        stops = _open_threats(after, side)
        if not replies or not stops or _wins(after):
            continue
        stop = stops[0][0]
        if rest := _force(after.play(stop), side, replies - 1, seen):
            return (column, stop, *rest[0]), rest[1]
    return None


def _waits(board: Position, side: Side, moves: tuple[int, ...]) -> Reason | None:
    ends: set[Square | None] = set()
    if board.is_over or not _follows(board, side, set(), ends):
        return None
    held = [square for square in board.threats()[side] if square in ends]
    return Reason("waits", side, moves, squares=() if None in ends else tuple(held))


def _follows(board: Position, side: Side, seen: set[int], ends: set[Square | None]) -> bool:
    """Whether a side wins by waiting while the opponent is to move.

    ``ends`` collects the last squares, or None if one is not above the opponent's move.
    """
    if board.key in seen:
        return True
    if len(seen) * board.width >= MOST_MOVES or board.is_over or _wins(board):
        return False
    seen.add(board.key)
    for column in board.legal_columns():
        after = board.play(column)
        if fours := _open_threats(after, side):
            ends.add(next((square for square in fours if square[0] == column), None))
            continue
        stops = _open_threats(after, board.turn)
        answer = stops[0][0] if stops else column
        if len(stops) > 1 or not after.is_legal(answer):
            return False
        if not _follows(after.play(answer), side, seen, ends):
            return False
    return True


def _along(
    board: Position, side: Side, moves: tuple[int, ...], line: Sequence[int]
) -> Reason | None:
    """The first reason along a line of best play from a board."""
    for column in line:
        board, moves = board.play(column), (*moves, column)
        if board.turn != side:
            reason = _attack(board, side, moves) or _waits(board, side, moves)
            if reason is not None:
                return reason
    return None


def _name(square: Square) -> str:
    tens, letter = divmod(square[0], 26)
    names = [chr(ord("a") + place) for place in (*([tens - 1] if tens else []), letter)]
    return f"{''.join(names)}{square[1] + 1}"


def _list(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _threats_text(columns: Sequence[int]) -> str:
    if len(set(columns)) < len(columns):
        return f"two threats, one above the other in column {columns[0] + 1!s}"
    number = {2: "two"}.get(len(columns), str(len(columns)))
    return f"{number} threats at once: columns {_list([str(each + 1) for each in columns])}"


def _text(reason: Reason) -> str:
    side, other = reason.side, _other(reason.side)
    moves = [str(move + 1) for move in reason.moves]
    squares = [_name(square) for square in reason.squares]
    mistake, own = (moves[0], moves[1:]) if len(moves) % 2 == 0 else ("", moves)
    if reason.kind == "stops":
        return f"Column {moves[0]} stops {other}'s four at {squares[0]}."
    if reason.kind == "forced":
        steps = ", ".join(f"{a} forces {b}" for a, b in zip(own[:-1:2], own[1::2], strict=True))
        start = f"Column {mistake} loses by force: {steps}" if mistake else f"Column {steps}"
        return f"{start}, then {own[-1]} makes {_threats_text(reason.columns)}."
    if reason.kind == "four":
        what = f"completes {squares[0]}-{squares[-1]}"
    elif reason.kind == "two_threats":
        what = f"makes {_threats_text(reason.columns)}"
    elif squares:
        what = f"holds {_threat_names(reason.squares)}, answers in the same column, "
        what += f"and {other} runs out of other moves"
    else:
        what = "answers each move in the same column and completes four"
    start = f"Column {moves[0]} {'loses' if mistake else 'wins'}: "
    if len(own) > 1:
        return f"{start}after {len(moves) - 1} more moves of best play, {side} {what}."
    if mistake and reason.kind == "four":
        where = " on top of it" if mistake == own[0] else ""
        return f"Column {mistake} lets {side} complete {squares[0]}-{squares[-1]}{where}."
    if mistake:
        return f"Column {mistake} lets {side} win with {own[0]}: {side} {what}."
    return f"{start}{side} {what}." if reason.kind == "waits" else f"Column {own[0]} {what}."


def _threat_names(squares: Sequence[Square]) -> str:
    names = _list([_name(square) for square in squares])
    parity = "even" if squares[0][1] % 2 else "odd"
    return names if len(squares) > 1 else f"the {parity} threat {names}"
