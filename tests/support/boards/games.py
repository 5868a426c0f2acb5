"""Random games as texts of moves: input for jobs, of any difficulty, the same in every run."""

import random

from c4core.notation import DEFAULT_BOARD, BoardSize, format_moves
from c4core.position import Position


def random_games(
    count: int, *, empty: int, seed: int = 1, board: BoardSize = DEFAULT_BOARD
) -> list[str]:
    """Different games that are not over and leave so many squares empty."""
    chance = random.Random(seed)
    games: dict[str, None] = {}
    while len(games) < count:
        position, columns = Position(width=board.width, height=board.height), []
        while position.ply < board.cells - empty and not position.is_over:
            columns.append(chance.choice(position.legal_columns()))
            position = position.play(columns[-1])
        if not position.is_over:
            games[format_moves(columns)] = None
    return list(games)
