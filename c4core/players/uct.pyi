from c4core.dice import Dice
from c4core.players.stopping import Stop
from c4core.position import Position

def uct_statistics(
    position: Position,
    dice: Dice,
    *,
    iterations: int,
    exploration: float,
    stop: Stop | None = None,
) -> tuple[tuple[int, float] | None, ...]: ...
