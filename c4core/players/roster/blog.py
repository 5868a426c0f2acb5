"""``blog-v1`` to ``blog-v6``: from version 2 on, they count the wins in reach of both sides."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from c4core.dice import Dice
from c4core.players.blog import blog_weights
from c4core.players.heuristics import winning_columns
from c4core.players.parameters import Whole
from c4core.players.player import NO_LIMITS, Limits, Player, nearest_to_centre, sides_of
from c4core.players.registry import player
from c4core.players.stopping import Stop
from c4core.position import Position

SOURCE = "Williams 2022"

Depth = Annotated[
    int,
    Whole(0, 8, is_shown=True),
    "rounds of moves looked ahead",
]
Missed = Annotated[
    Literal["round3", "round3+"],
    "which missed wins count against the column that was played first: "
    "own wins of round 3, or both sides' wins from round 3 on",
]

WonBoards = Annotated[
    Literal["dropped", "kept"],
    "whether a board that round 1 wins is dropped at once, as in the source's text, or kept for "
    "round 2, where every reply counts the win again, which fits the source's results",
]
Opening = Annotated[
    Literal["searched", "random"],
    "how the first two moves are chosen among the empty columns away from the edges",
]

OPENING_MOVES = 2
"""The number of own moves that blog-v5 plays by its opening rule."""

CAPPED_DEPTH = 4
"""The maximum depth of blog-v6 while the middle column is open."""

EARLY_CHIP_PLY = 3
"""The ply of the second player's second move."""


@player("blog-v1", source=SOURCE)
class BlogV1(Player):
    """Wins if it can, else blocks if it must, else plays at random."""

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        for side in sides_of(position):
            columns: tuple[int, ...] = winning_columns(position, side)
            if columns:
                return columns[0]
        return dice.pick(position.legal_columns())


@dataclass(frozen=True, kw_only=True)
class _Counting(Player):
    """Base class of blog-v2 to blog-v6."""

    depth: Depth = 4

    scale: ClassVar[Literal["even", "falling", "held"]]

    is_random = True

    def weights(self, position: Position, stop: Stop | None = None) -> tuple[int | None, ...]:
        """The weight of every column; None if it is not a candidate."""
        return blog_weights(position, depth=self.depth, scale=self.scale, stop=stop)

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        return dice.pick(heaviest(self.weights(position, limits.stop)))


@player("blog-v2", source=SOURCE)
class BlogV2(_Counting):
    """Plays the column with the most wins in reach, minus the opponent's wins."""

    won_boards: WonBoards = "dropped"

    scale = "even"

    def weights(self, position: Position, stop: Stop | None = None) -> tuple[int | None, ...]:
        """The weight of every column; None if it is not a candidate."""
        return blog_weights(
            position,
            depth=self.depth,
            scale=self.scale,
            keep_wins=self.won_boards == "kept",
            stop=stop,
        )


@player("blog-v3", source=SOURCE)
class BlogV3(_Counting):
    """Like blog-v2, but earlier wins weigh more."""

    scale = "falling"


@player("blog-v4", source=SOURCE)
class BlogV4(_Counting):
    """Like blog-v3, but a win that a column missed counts against it."""

    missed_win_rounds: Missed = "round3"

    scale = "falling"

    def weights(self, position: Position, stop: Stop | None = None) -> tuple[int | None, ...]:
        """The weight of every column."""
        return blog_weights(
            position,
            depth=self.depth,
            scale="falling",
            missed=self.missed_win_rounds,
            stop=stop,
        )


@player("blog-v5", source=SOURCE)
class BlogV5(_Counting):
    """Like blog-v4, but plays forced moves at once and opens in four different columns."""

    missed_win_rounds: Missed = "round3+"
    opening: Opening = "searched"

    scale = "falling"

    def weights(self, position: Position, stop: Stop | None = None) -> tuple[int | None, ...]:
        """The weight of every column; None if it is not a candidate."""
        candidates = opening_columns(position)
        drawn = candidates is not None and self.opening == "random"
        return blog_weights(
            position,
            depth=0 if drawn else self.depth,
            scale="falling",
            missed=self.missed_win_rounds,
            stops_early=True,
            candidates=candidates,
            stop=stop,
        )


@player("blog-v6", source=SOURCE)
class BlogV6(_Counting):
    """Like blog-v5, without opening, near the middle; sees vertical fours only 2 rounds ahead."""

    missed_win_rounds: Missed = "round3+"

    scale = "held"

    def weights(self, position: Position, stop: Stop | None = None) -> tuple[int | None, ...]:
        """The weight of every column."""
        depth = self.depth
        if depth > CAPPED_DEPTH and position.is_legal(position.width // 2):
            depth = CAPPED_DEPTH
        return blog_weights(
            position,
            depth=depth,
            scale="held",
            missed=self.missed_win_rounds,
            missed_extra=1,
            stops_early=True,
            flat_later=True,
            stop=stop,
        )

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        if position.ply == EARLY_CHIP_PLY and self.depth < CAPPED_DEPTH:
            middle = position.width // 2
            for column in (middle - 1, middle, middle + 1):
                if 0 <= column < position.width and position.heights[column] == 0:
                    return column
        best = heaviest(self.weights(position, limits.stop))
        return dice.pick(nearest_to_centre(best, position.width))


def heaviest(weights: tuple[int | None, ...]) -> list[int]:
    """Return the columns with the largest weight."""
    largest = max(weight for weight in weights if weight is not None)
    return [column for column, weight in enumerate(weights) if weight == largest]


def opening_columns(position: Position) -> list[int] | None:
    """Return the candidates of the opening: empty columns that are not at an edge.

    Returns None after the opening, or if there is no such column (on narrow boards).
    """
    if position.ply // 2 >= OPENING_MOVES:
        return None
    heights = position.heights
    return [c for c in range(1, position.width - 1) if heights[c] == 0] or None
