from pathlib import Path
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

MAGIC: bytes

def network_file(width: int, height: int) -> Path: ...
def row_groups(*, width: int, height: int, last_ply: int) -> dict[str, int]: ...
def network_bytes(
    rows: NDArray[np.integer[Any]],
    weights: NDArray[np.integer[Any]],
    *,
    width: int,
    height: int,
    last_ply: int,
) -> bytes: ...

@final
class Network:
    def __new__(cls, data: bytes) -> Self: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def last_ply(self) -> int: ...
