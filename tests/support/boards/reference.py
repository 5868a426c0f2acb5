"""A slow and obvious solver: the oracle for tests of the fast one.

It shares no code with the engine. A position is a tuple of columns, each a string of the stones
from the bottom up. Wins are found by checking every line of four squares. The score follows from
its definition, by minimax over the complete tree without pruning; only visited positions are
remembered. A call can visit several hundred thousand positions, so use small boards or endgames.
"""

from c4core.position import Position

Columns = tuple[str, ...]
"""The stones of each column from the bottom up: ``x`` first player, ``o`` second."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps in (column, row) along the four kinds of lines."""


def columns_of(position: Position) -> Columns:
    """The stones of a position, read square by square."""
    return tuple(
        "".join(position.stone_at(column, row) or "" for row in range(position.height))
        for column in range(position.width)
    )


def side_to_move(columns: Columns) -> str:
    """``x`` if both have played the same number of stones, otherwise ``o``."""
    return "x" if sum(map(len, columns)) % 2 == 0 else "o"


def has_won(columns: Columns, side: str) -> bool:
    """Whether the side has four in a row."""

    def holds(column: int, row: int) -> bool:
        return (
            0 <= column < len(columns)
            and 0 <= row < len(columns[column])
            and columns[column][row] == side
        )

    return any(
        all(holds(column + i * across, row + i * up) for i in range(4))
        for column in range(len(columns))
        for row in range(len(columns[column]))
        for across, up in DIRECTIONS
    )


class ReferenceSolver:
    """Exact scores by exhaustive minimax on a board of the given height.

    The positions determine the number of columns. ``known`` has the scores of visited positions.
    """

    def __init__(self, height: int) -> None:
        self.height = height
        self.known: dict[Columns, int] = {}

    def score(self, columns: Columns) -> int:
        """The score for the side to move (definition in :mod:`c4core.evaluation`)."""
        known = self.known.get(columns)
        if known is not None:
            return known
        stones = sum(map(len, columns))
        cells = self.height * len(columns)
        opponent = "o" if side_to_move(columns) == "x" else "x"
        if has_won(columns, opponent):
            # The last stone has won; the board had stones - 1 before it.
            score = -((cells + 1 - (stones - 1)) // 2)
        elif stones == cells:
            score = 0
        else:
            score = max(value for value in self.column_scores(columns) if value is not None)
        self.known[columns] = score
        return score

    def column_scores(self, columns: Columns) -> tuple[int | None, ...]:
        """The score of every column for the side to move; None if it is full.

        The game must not be over.
        """
        side = side_to_move(columns)
        return tuple(
            -self.score((*columns[:index], column + side, *columns[index + 1 :]))
            if len(column) < self.height
            else None
            for index, column in enumerate(columns)
        )


def reference_score(position: Position) -> int:
    """The exact score of a position for its side to move, computed slowly."""
    return ReferenceSolver(position.height).score(columns_of(position))


def reference_scores(position: Position) -> tuple[int | None, ...]:
    """The exact score of every column, computed slowly; None if it cannot be played."""
    if position.is_over:
        return (None,) * position.width
    return ReferenceSolver(position.height).column_scores(columns_of(position))
