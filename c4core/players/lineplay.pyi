from c4core.dice import Dice
from c4core.position import Position

def line_choice(position: Position, dice: Dice, *, by_lines: bool) -> int: ...
