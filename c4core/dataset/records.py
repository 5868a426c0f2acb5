"""The columns of a data set as arrays: the content of the files in every format.

A lot (:mod:`c4core.dataset.lots`) decides whether the canonical position or its mirror image is
shown. Columns that depend on the orientation are reversed accordingly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec
import numpy as np

from c4core.arrays import canonical_keys, is_threatened, split_keys, squares_of, wins_now
from c4core.dataset.lots import are_mirrored
from c4core.errors import DatasetError
from c4core.evaluation import NO_SCORE
from c4core.notation import format_moves
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]
    Array = NDArray[np.generic]
    Heights = tuple[int, ...]

Representation = Literal["planes", "moves"]

REPRESENTATIONS: Final[tuple[Representation, ...]] = ("planes", "moves")


class Column(msgspec.Struct, frozen=True):
    """A column of a data set."""

    name: str
    dtype: str
    """The type in numpy's notation; ``S{C}`` has one character for each square of the board."""
    shape: str
    """The array's shape for N positions on a board of W columns and H rows."""
    unit: str
    meaning: str


COLUMNS: Final = (
    Column(
        "planes",
        "uint8",
        "(N, 2, H, W)",
        "0 or 1",
        "1 for a stone: plane 0 of the side to move, plane 1 of the other; row 0 is the bottom row",
    ),
    Column(
        "moves",
        "S{C}",
        "(N,)",
        "text",
        "moves that lead to the position, columns counted from 1; not always the moves played",
    ),
    Column("ply", "uint8", "(N,)", "stones", "stones on the board"),
    Column("side", "uint8", "(N,)", "0 or 1", "who moves: 0 the first player, 1 the second"),
    Column(
        "key",
        "uint64",
        "(N,)",
        "bit pattern",
        "canonical key: the same for two mirror images, different for all other positions",
    ),
    Column(
        "score",
        "int8",
        "(N,)",
        "stones that the winner has left, its winning stone included; negative for a loss",
        "exact score for the side to move",
    ),
    Column(
        "value",
        "int8",
        "(N,)",
        "-1, 0 or 1",
        "sign of the score: 1 if the side to move wins, 0 for a draw, -1 if it loses",
    ),
    Column(
        "distance",
        "uint8",
        "(N,)",
        "stones of both sides",
        "stones until the end, if both sides play for the score; a draw fills the board",
    ),
    Column(
        "column_scores",
        "int8",
        "(N, W)",
        "same as score",
        f"exact score of every column for the side to move; {NO_SCORE} for a full column",
    ),
    Column(
        "best",
        "uint8",
        "(N, W)",
        "0 or 1",
        "the policy: 1 for the columns that reach the score, else 0",
    ),
    Column(
        "quiet",
        "uint8",
        "(N,)",
        "0 or 1",
        "1 if neither side can win with its next stone: no win in one and no forced block",
    ),
    Column(
        "decisive",
        "uint8",
        "(N,)",
        "0 or 1",
        "1 if the result is at stake: columns differ in the sign of their scores",
    ),
)
"""All columns. The first two are representations; a data set has at least one of them."""


def columns_of(representations: Sequence[str]) -> tuple[Column, ...]:
    """The columns of a data set with these representations."""
    return tuple(
        column
        for column in COLUMNS
        if column.name not in REPRESENTATIONS or column.name in representations
    )


def make_records(
    keys: Keys,
    column_scores: Scores,
    *,
    board: BoardSize,
    seed: int,
    representations: Sequence[str],
) -> dict[str, Array]:
    """The columns for some positions, in their order.

    Args:
        keys: canonical keys of positions that are not over.
        column_scores: a row for each key, in the orientation of the canonical position.
        board: the board of all positions.
        seed: the seed that decides which positions are shown as their mirror images.
        representations: how the positions are shown.
    """
    _, plies = canonical_keys(keys, board)
    mirrored = are_mirrored(keys, seed)
    turned = turn(column_scores, mirrored)
    score = turned.max(axis=1, initial=NO_SCORE)
    made: dict[str, Array] = {
        "ply": plies,
        "side": plies & np.uint8(1),
        "key": keys,
        "score": score,
        "value": np.sign(score),
        "distance": distances(score, plies, board),
        "column_scores": turned,
        "best": (turned == score[:, None]).astype(np.uint8),
        "quiet": are_quiet(keys, board).astype(np.uint8),
        "decisive": are_decisive(turned).astype(np.uint8),
    }
    if "planes" in representations:
        made["planes"] = _planes(keys, mirrored, board)
    if "moves" in representations:
        made["moves"] = lines_of(keys, mirrored, board)
    return {column.name: made[column.name] for column in columns_of(representations)}


def turn(columns: NDArray[np.int8], mirrored: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Reverse the last axis, the board's columns, of the positions that are mirrored."""
    return np.where(mirrored[:, None], columns[:, ::-1], columns)


def are_full(keys: Keys, board: BoardSize) -> NDArray[np.bool_]:
    """Shape (positions, columns): whether the columns are full, according to the keys."""
    _, taken = split_keys(keys, board)
    return squares_of(taken, board)[:, -1, :] == 1


def distances(scores: Scores, plies: NDArray[np.uint8], board: BoardSize) -> NDArray[np.uint8]:
    """Stones until the end of the game, as :func:`c4core.evaluation.plies_to_end` counts them.

    The scores are for the side to move; no game is over.
    """
    ply, score = plies.astype(np.int16), scores.astype(np.int16)
    last = board.cells + 1 - 2 * np.abs(score)
    last -= (last - ply) % 2 != (score < 0)
    return np.where(score == 0, board.cells - ply, last - ply + 1).astype(np.uint8)


def are_quiet(keys: Keys, board: BoardSize) -> NDArray[np.bool_]:
    """Whether neither side can win with its next stone."""
    return ~(wins_now(keys, board) | is_threatened(keys, board))


def are_decisive(column_scores: Scores) -> NDArray[np.bool_]:
    """Whether the columns differ in their results: shape (n,), from scores of shape (n, W)."""
    values = np.sign(column_scores)
    best = values.max(axis=1, initial=-1)
    worst = np.where(column_scores == NO_SCORE, 1, values).min(axis=1, initial=1)
    return best > worst


def _planes(keys: Keys, mirrored: NDArray[np.bool_], board: BoardSize) -> NDArray[np.uint8]:
    to_move, taken = split_keys(keys, board)
    planes = np.stack([squares_of(to_move, board), squares_of(taken ^ to_move, board)], axis=1)
    planes[mirrored] = planes[mirrored, :, :, ::-1]
    return planes


def lines_of(keys: Keys, mirrored: NDArray[np.bool_], board: BoardSize) -> NDArray[np.bytes_]:
    """A line of moves to each position, or to its mirror image, as :func:`line_to` finds it."""
    lines = []
    for key, is_mirrored in zip(keys.tolist(), mirrored.tolist(), strict=True):
        position = Position.from_key(key, board=board)
        lines.append(line_to(position.mirrored() if is_mirrored else position))
    return np.array(lines, dtype=f"S{board.cells}")


def line_to(position: Position) -> str:
    """Moves that lead from the empty board to a position; always the same line for a position.

    The search removes stones from the tops of the columns, for both sides in turn, beginning with
    the side that moved last. It takes the leftmost possible column. At a dead end it puts the last
    stone back and tries the next column. The position must not have a four, so that no order of its
    moves ends the game too early.
    """
    columns = _columns(position)
    dead: set[Heights] = set()
    taken: list[int] = []
    heights = list(map(len, columns))
    tries = [0]
    while len(taken) < position.ply:
        mover = "o" if (position.ply - len(taken)) % 2 == 0 else "x"
        column = _next(columns, heights, mover, tries[-1], dead)
        if column is not None:
            tries[-1] = column + 1
            tries.append(0)
            taken.append(column)
            heights[column] -= 1
            continue
        dead.add(tuple(heights))
        if not taken:
            raise DatasetError(f"no line of moves leads to the position with key {position.key}")
        tries.pop()
        heights[taken.pop()] += 1
    return format_moves(reversed(taken))


def _next(
    columns: tuple[str, ...], heights: list[int], mover: str, first: int, dead: set[Heights]
) -> int | None:
    """The next column, from ``first`` on, whose top stone may be the mover's last move."""
    for column in range(first, len(columns)):
        height = heights[column]
        if height and columns[column][height - 1] == mover:
            if not dead:
                return column
            below = (*heights[:column], height - 1, *heights[column + 1 :])
            if below not in dead:
                return column
    return None


def _columns(position: Position) -> tuple[str, ...]:
    """The stones of each column from the bottom up; the grid has the top row first."""
    rows = reversed(str(position).splitlines())
    return tuple("".join(column).rstrip(".") for column in zip(*rows, strict=True))
