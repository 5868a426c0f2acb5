"""Players as Python functions: ``c4 match python:my_players:careful random``.

Python must find the module: run the command in this directory, or put the directory in PYTHONPATH.
"""

from c4core.dice import Dice
from c4core.players import Limits
from c4core.position import Position


def careful(position: Position, dice: Dice, limits: Limits) -> int:
    """Win if possible; else play a random column that does not let the opponent win at once."""
    columns = position.legal_columns()
    for column in columns:
        if position.is_winning(column):
            return column
    safe = [column for column in columns if not gives_a_win(position.play(column))]
    return dice.pick(safe or columns)


def gives_a_win(position: Position) -> bool:
    """Whether the side to move can win at once."""
    return any(position.is_winning(column) for column in position.legal_columns())
