"""Random games as texts of moves, and random positions: the same in every run."""

import random

from c4core.notation import DEFAULT_BOARD, BoardSize, format_moves
from c4core.position import Position

EASY = "2252576253462244111563365343671351441"
"""A game that is nearly over: -1 for o, which can only play columns 6 and 7."""

SMALL = BoardSize(5, 4)

LIVELY = "44444432651631235357535"
"""A game with errors; the shipped book has its first nine moves."""


def random_games(
    count: int, *, empty: int, seed: int = 1, board: BoardSize = DEFAULT_BOARD
) -> list[str]:
    """Different games that are not over and leave ``empty`` squares empty; no move wins.

    If winning moves were played, nearly all games would end before they are long enough.
    """
    chance = random.Random(seed)
    games: dict[str, None] = {}
    while len(games) < count:
        columns = _game(board.cells - empty, board, chance)
        if columns is not None:
            games[format_moves(columns)] = None
    return list(games)


def _game(plies: int, board: BoardSize, chance: random.Random) -> list[int] | None:
    """A game of ``plies`` moves that do not win, or None if no such move is left."""
    position, columns = Position(board=board), []
    while position.ply < plies:
        quiet = [column for column in position.legal_columns() if not position.is_winning(column)]
        if not quiet:
            return None
        columns.append(chance.choice(quiet))
        position = position.play(columns[-1])
    return columns


def random_positions(
    count: int,
    *,
    seed: int = 1,
    board: BoardSize = SMALL,
    least_ply: int = 0,
    quiet: bool = False,
) -> list[Position]:
    """Positions of random play that are not over, with at least ``least_ply`` stones.

    With ``quiet``, the side to move has no win at once.
    """
    chance = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = Position(board=board)
        for _ in range(chance.randrange(least_ply, board.cells)):
            if not position.is_over:
                position = position.play(chance.choice(position.legal_columns()))
        if position.is_over or position.ply < least_ply:
            continue
        if not (quiet and any(map(position.is_winning, position.legal_columns()))):
            found.append(position)
    return found
