from collections.abc import Sequence
from typing import SupportsIndex, final

import numpy as np
from numpy.typing import NDArray

from c4core.batch import BatchAnalysis, BatchEvaluation
from c4core.book.reader import Book
from c4core.evaluation import Analysis, Evaluation
from c4core.position import Position

@final
class Solver:
    def __init__(
        self, *, table_mb: SupportsIndex = 8, threads: SupportsIndex = 1, book: Book | None = None
    ) -> None: ...
    @property
    def table_mb(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def book(self) -> Book | None: ...
    def solve(
        self,
        position: Position,
        *,
        weak: bool = False,
        time_limit: float | None = None,
        node_limit: SupportsIndex | None = None,
    ) -> Evaluation: ...
    def test(
        self,
        position: Position,
        beta: SupportsIndex,
        *,
        time_limit: float | None = None,
        node_limit: SupportsIndex | None = None,
    ) -> Evaluation: ...
    def analyze(
        self,
        position: Position,
        *,
        time_limit: float | None = None,
        node_limit: SupportsIndex | None = None,
    ) -> Analysis: ...
    def principal_variation(self, position: Position) -> tuple[int, ...]: ...
    def solve_many(
        self,
        positions: Sequence[Position | str] | NDArray[np.uint64],
        *,
        width: SupportsIndex = 7,
        height: SupportsIndex = 6,
        weak: bool = False,
        threads: SupportsIndex | None = None,
        node_limit: SupportsIndex | None = None,
        time_limit: float | None = None,
    ) -> BatchEvaluation: ...
    def analyze_many(
        self,
        positions: Sequence[Position | str] | NDArray[np.uint64],
        *,
        width: SupportsIndex = 7,
        height: SupportsIndex = 6,
        threads: SupportsIndex | None = None,
        node_limit: SupportsIndex | None = None,
        time_limit: float | None = None,
    ) -> BatchAnalysis: ...
    def stop(self) -> None: ...
    def clear(self) -> None: ...
