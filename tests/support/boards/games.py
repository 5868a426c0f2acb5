"""Random games as texts of moves: job input of any difficulty, the same in every run."""

import random

from c4core.notation import DEFAULT_BOARD, BoardSize, format_moves
from c4core.position import Position

EASY = "2252576253462244111563365343671351441"
"""A game that is nearly over: -1 for o, which can only play columns 6 and 7."""

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
    position, columns = Position(width=board.width, height=board.height), []
    while position.ply < plies:
        quiet = [column for column in position.legal_columns() if not position.is_winning(column)]
        if not quiet:
            return None
        columns.append(chance.choice(quiet))
        position = position.play(columns[-1])
    return columns
