"""Choose a column by proven bounds; simulated games decide among columns that are not decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from c4core.dice import Dice
from c4core.players.playouts import favoured_column

if TYPE_CHECKING:
    from c4core.evaluation import ColumnBounds
    from c4core.players.stopping import Stop
    from c4core.position import Position

SEARCH_SHARE: Final = 0.5
"""The share of a move's time for proofs. The rest is for simulated games, if they are needed."""
GAMES_PER_SECOND: Final = 250_000
"""Simulated games that any machine manages in a second on common boards."""
MOST_GAMES: Final = 400_000
FEWEST_GAMES: Final = 2_000
EXPLORATION: Final = 0.7
"""The tree's exploration factor. With 0.3, it often favours a poor column after few games."""


def games_in(seconds: float | None) -> int:
    """Return the number of simulated games for some time; None means as many as are useful."""
    if seconds is None:
        return MOST_GAMES
    return max(FEWEST_GAMES, min(MOST_GAMES, int(seconds * GAMES_PER_SECOND)))


def strongest_columns(
    position: Position, bounds: ColumnBounds, *, games: int, stop: Stop | None = None
) -> list[int]:
    """Return the strongest columns by their proven bounds.

    A proven win comes first, then a proven draw, then the undecided columns, of which simulated
    games choose one. A proven loss is the last choice. Of several wins or losses, the best bound
    decides.
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
    return [
        favoured_column(
            position, Dice(0), rest, iterations=games, exploration=EXPLORATION, stop=stop
        )
    ]
