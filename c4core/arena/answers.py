"""A player's answer, checked against the rules."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, SupportsIndex

from c4core.players.errors import Failing, PlayerFailure

if TYPE_CHECKING:
    from c4core.position import Position


def checked_column(answer: SupportsIndex, position: Position) -> int:
    """A player's answer as a 0-based column that can be played.

    Args:
        answer: the player's answer.
        position: the position that the player was asked about.

    Raises:
        PlayerFailure: the answer is not a column, or the column cannot be played.
    """
    try:
        column = operator.index(answer)  # its annotations may be wrong
    except TypeError:
        raise PlayerFailure(Failing.NONSENSE, f"answered {answer!r}") from None
    if not 0 <= column < position.width:
        raise PlayerFailure(Failing.ILLEGAL, f"column {column + 1} is outside the board")
    if not position.is_legal(column):
        raise PlayerFailure(Failing.ILLEGAL, f"column {column + 1} is full")
    return column
