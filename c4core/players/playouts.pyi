from c4core.players.dice import Dice
from c4core.position import Position

def run_playouts(position: Position, dice: Dice, count: int) -> tuple[int, int, int]: ...
def flat_scores(
    position: Position,
    dice: Dice,
    *,
    simulations: int,
    center_weight: float,
    stop_gap: float,
    stop_after: int,
) -> tuple[float | None, ...]: ...
def timed_choice(
    position: Position, dice: Dice, *, playouts: int, seconds: float
) -> tuple[int, tuple[int | None, ...]]: ...
