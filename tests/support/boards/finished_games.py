"""Finished random games, in the form of game files."""

import random

from c4core.arena.files import GameEntry, empty_board, ending_on_board
from c4core.notation import DEFAULT_BOARD, BoardSize, format_moves
from c4core.position import Position


def finished_games(
    count: int, *, seed: int = 1, board: BoardSize = DEFAULT_BOARD, start: Position | None = None
) -> list[GameEntry]:
    """Games of random moves, played to the end."""
    chance = random.Random(seed)
    begin = start or empty_board(board)
    games = []
    for _ in range(count):
        position, columns = begin, []
        while not position.is_over:
            columns.append(chance.choice(position.legal_columns()))
            position = position.play(columns[-1])
        ending = ending_on_board(position, position.winner)
        games.append(GameEntry(begin, format_moves(columns), position, position.winner, ending))
    return games
