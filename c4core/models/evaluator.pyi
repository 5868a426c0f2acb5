from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from c4core.notation import BoardSize
from c4core.players.stopping import Stop
from c4core.position import Position

WINNING_WORTH: float
BLOCKING_WORTH: float

@disjoint_base
class Evaluator:
    @property
    def board(self) -> BoardSize: ...
    @property
    def scratch_bytes(self) -> int: ...
    def evaluate(self, position: Position) -> tuple[list[float | None], float]: ...
    def choose(self, position: Position) -> int: ...

def search_column(
    model: Evaluator, position: Position, *, depth: int, stop: Stop | None = None
) -> tuple[int, float, int]: ...
def input_planes(
    own: NDArray[np.uint64],
    mask: NDArray[np.uint64],
    *,
    width: int = 7,
    height: int = 6,
    planes: int = 7,
) -> NDArray[np.uint8]: ...
def planes_of_positions(positions: Sequence[Position], *, moved: bool) -> NDArray[np.uint8]: ...
def words_of_planes(
    planes: NDArray[np.uint8],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...
def grids_of_planes(planes: NDArray[np.uint8]) -> NDArray[np.int8]: ...
