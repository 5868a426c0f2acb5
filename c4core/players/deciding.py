"""Choose a column by proven bounds; simulated games decide among columns that are not decided."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from c4core.dice import Dice
from c4core.players.playouts import favoured_column

if TYPE_CHECKING:
    from c4core.evaluation import ColumnBounds
    from c4core.players.stopping import Stop
    from c4core.position import Position

SEARCH_SHARE: Final = 0.5
"""The share of a move's time for proofs. The rest is for simulated games, if they are needed."""
GAMES_SHARE: Final = 0.9
"""The share of the remaining time for simulated games, so that the move is in time."""
LEAST_SECONDS: Final = 0.01
"""The time for simulated games if hardly any is left."""
MOST_GAMES: Final = 400_000
"""The maximum number of simulated games; they take 0.5 to 2 s on most boards."""
EXPLORATION: Final = 0.7
"""The tree's exploration factor. With 0.3, it often favours a poor column after few games."""


def strongest_columns(
    position: Position,
    bounds: ColumnBounds,
    *,
    games: int = MOST_GAMES,
    seconds: float | None = None,
    stop: Stop | None = None,
) -> list[int]:
    """Return the strongest columns by their proven bounds.

    A proven win comes first, then a proven draw, then the undecided columns, of which simulated
    games choose one. A proven loss is the last choice. Of several wins or losses, the best bound
    decides. The games end after the given number, or when the ``seconds`` left are nearly over.
    """
    known = {column: pair for column, pair in enumerate(bounds) if pair is not None}
    best = max(lower for lower, _ in known.values())
    if best > 0 or all(upper < 0 for _, upper in known.values()):
        return [column for column, (lower, _) in known.items() if lower == best]
    safe = [column for column, (lower, _) in known.items() if lower == 0]
    if all(known[column][1] == 0 for column in safe) and safe:
        return safe
    rest = safe or [column for column, (_, upper) in known.items() if upper >= 0]
    if len(rest) == 1:
        return rest
    limit = math.inf if seconds is None else max(GAMES_SHARE * seconds, LEAST_SECONDS)
    return [
        favoured_column(
            position,
            Dice(0),
            rest,
            iterations=games,
            exploration=EXPLORATION,
            seconds=limit,
            stop=stop,
        )
    ]
