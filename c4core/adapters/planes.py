"""Positions as arrays of 0 and 1 in the form of PettingZoo's ``connect_four_v3``, and policies.

An array is ``int8`` of the shape ``(rows, columns, 2)``. Row 0 is the top row. Plane 0 has the
observer's stones, plane 1 the opponent's. A policy is a function from observations to actions; a
player chooses the actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.adapters.mover import AdapterError, Mover
from c4core.errors import C4Error
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from c4core.players import Resources
    from c4core.position import Side

PLANES: Final = 2


def encode(position: Position, side: Side) -> NDArray[np.int8]:
    """Encode a position as a side observes it: a new array of the shape ``(rows, columns, 2)``."""
    text = str(position).replace("\n", "").encode()
    stones = np.frombuffer(text, np.uint8).reshape(position.height, position.width)
    other = "o" if side == "x" else "x"
    return np.stack([stones == ord(side), stones == ord(other)], axis=2).astype(np.int8)


def action_mask(position: Position) -> NDArray[np.int8]:
    """Return an array of the shape ``(columns,)``: 1 for columns that can be played, else 0."""
    mask = np.zeros(position.width, np.int8)
    mask[list(position.legal_columns())] = 1
    return mask


def decode(planes: NDArray[Any]) -> Position:
    """Decode the position that the side to move observes.

    The observer is ``x`` if both sides have the same number of stones.

    Args:
        planes: an array of 0 and 1 of the shape ``(rows, columns, 2)``.
    """
    array = np.asarray(planes)
    if array.ndim != PLANES + 1 or array.shape[2] != PLANES:
        raise AdapterError(
            f"an observation has the shape (rows, columns, 2), not {array.shape}",
            field="observation",
        )
    if not np.isin(array, (0, 1)).all() or (array.sum(axis=2) > 1).any():
        raise AdapterError(
            "an observation has only 0 and 1, and at most one stone per square", field="observation"
        )
    own, other = (int(array[:, :, plane].sum()) for plane in range(PLANES))
    marks = (".", "x", "o") if own == other else (".", "o", "x")
    if own not in (other, other - 1):
        raise AdapterError(
            f"it is not the observer's turn: {own} own stones, {other} of the opponent",
            field="observation",
        )
    squares = (array[:, :, 0] + 2 * array[:, :, 1]).astype(int)
    try:
        return Position.from_grid(
            "\n".join("".join(marks[square] for square in row) for row in squares),
            board=(array.shape[1], array.shape[0]),
        )
    except C4Error as error:
        raise AdapterError(str(error), field="observation") from None


def make_policy(
    player: str,
    *,
    seed: int | None = None,
    seconds: float | None = None,
    resources: Resources | None = None,
) -> Callable[[Mapping[str, Any] | NDArray[Any]], int]:
    """Turn a player into a policy: a function from observations to actions.

    The function gets the observation of the side to move: the array of planes, or a dictionary that
    has it as ``observation``. It returns a 0-based column. It raises
    :class:`c4core.adapters.mover.AdapterError` if the position is impossible, and
    :class:`c4core.players.PlayerFailure` if the player fails to move.
    """
    mover = Mover(player, seed=seed, seconds=seconds, resources=resources)

    def policy(observation: Mapping[str, Any] | NDArray[Any]) -> int:
        given = observation["observation"] if isinstance(observation, Mapping) else observation
        return mover.choose(decode(given))

    return policy
