from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from c4core.dice import Dice
from c4core.players.stopping import Stop
from c4core.position import Position

def run_playouts(
    position: Position, dice: Dice, count: int, *, stop: Stop | None = None
) -> tuple[int, int, int]: ...
def draw_positions(
    dice: Dice, games: int, first: int, last: int, *, width: int = 7, height: int = 6
) -> NDArray[np.uint64]: ...
def flat_scores(
    position: Position,
    dice: Dice,
    *,
    simulations: int,
    center_weight: float,
    stop_gap: float,
    stop_after: int,
    stop: Stop | None = None,
) -> tuple[float | None, ...]: ...
def timed_choice(
    position: Position,
    dice: Dice,
    *,
    playouts: int,
    seconds: float,
    stop: Stop | None = None,
) -> tuple[int, tuple[int | None, ...]]: ...
def uct_statistics(
    position: Position,
    dice: Dice,
    *,
    iterations: int,
    exploration: float,
    stop: Stop | None = None,
) -> tuple[tuple[int, float] | None, ...]: ...
def favoured_column(
    position: Position,
    dice: Dice,
    columns: Iterable[int],
    *,
    iterations: int,
    exploration: float,
    stop: Stop | None = None,
) -> int: ...
def tally_columns(
    position: Position,
    first: NDArray[np.uint64],
    second: NDArray[np.uint64],
    winner: NDArray[np.int8],
) -> tuple[tuple[int, int, int] | None, ...]: ...
def line_choice(position: Position, dice: Dice, *, by_lines: bool) -> int: ...
