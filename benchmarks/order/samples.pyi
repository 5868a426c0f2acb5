from collections.abc import Callable, Sequence
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray

from c4core.position import Position

FAILED: Final = 0
CUT: Final = 1
GIVEN_UP: Final = 2
BY_MOVE: Final[tuple[str, ...]]
ROOT_NODES: Final[int]
CHANCES: Final[tuple[tuple[int, float], ...]]

def sample_type(width: int) -> np.dtype[np.void]: ...
def draw_roots(*, width: int = 7, height: int = 6, seed: int, count: int) -> list[Position]: ...
def sample_choices(
    roots: Sequence[Position],
    *,
    width: int = 7,
    height: int = 6,
    seed: int,
    last_ply: int,
    network: bytes | None = None,
    density: float = 1.0,
    table_mb: int = 8,
    tell: Callable[[int], object] | None = None,
) -> NDArray[np.void]: ...

@final
class Sampler:
    def __new__(
        cls,
        *,
        width: int = 7,
        height: int = 6,
        seed: int,
        last_ply: int,
        network: bytes | None = None,
        density: float = 1.0,
        table_mb: int = 8,
        node_limit: int = ...,
        undisturbed: bool = False,
    ) -> Self: ...
    def solve(
        self, position: Position, *, root: int = 0, sampled: bool = True
    ) -> tuple[int, int]: ...
    def samples(self) -> NDArray[np.void]: ...

def rows_of_choices(
    samples: NDArray[np.void],
    *,
    width: int = 7,
    height: int = 6,
    last_ply: int,
    mirrored: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def points_of_choices(samples: NDArray[np.void], network: bytes) -> NDArray[np.int32]: ...

@final
class Network:
    def __new__(cls, data: bytes) -> Self: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def last_ply(self) -> int: ...

def row_groups(*, width: int, height: int, last_ply: int) -> dict[str, int]: ...
def network_bytes(
    rows: NDArray[np.integer[Any]],
    weights: NDArray[np.integer[Any]],
    *,
    width: int,
    height: int,
    last_ply: int,
) -> bytes: ...
def upper_bounds(
    keys: NDArray[np.uint64], *, width: int, height: int, target: int
) -> NDArray[np.int8]: ...
def patterns(position: Position) -> list[tuple[tuple[int, int, int, int], int]]: ...
