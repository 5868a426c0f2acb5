from collections.abc import Mapping
from typing import Any, Self, final

from numpy.typing import NDArray

from c4core.models.evaluator import Evaluator

STAR: list[tuple[int, int]]

def kernels() -> list[str]: ...

@final
class ResidualEngine(Evaluator):
    def __new__(
        cls,
        *,
        width: int,
        height: int,
        channels: int,
        blocks: int,
        hidden: int,
        weights: Mapping[str, NDArray[Any]],
        sides: int = 1,
        averages: bool = True,
        kernel: str | None = None,
    ) -> Self: ...

def weight_shapes(
    height: int, channels: int, blocks: int, hidden: int, sides: int = 1
) -> dict[str, tuple[int, ...]]: ...
def side_prefix(side: int, sides: int) -> str: ...
