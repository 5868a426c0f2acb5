from collections.abc import Sequence
from typing import Self, SupportsIndex, final

import numpy as np
from numpy.typing import NDArray

from c4core.batch import BatchAnalysis, BatchEvaluation
from c4core.book.book import Book
from c4core.evaluation import Analysis, Evaluation
from c4core.notation import BoardLike
from c4core.position import Position

@final
class Solver:
    def __new__(
        cls, *, table_mb: SupportsIndex = 8, threads: SupportsIndex = 1, book: Book | None = None
    ) -> Self: ...
    @property
    def table_mb(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def book(self) -> Book | None: ...
    @property
    def progress(self) -> tuple[int, int | None, int | None]: ...
    def solve(
        self,
        position: Position | str,
        *,
        weak: bool = False,
        time_limit: float | None = None,
        node_limit: SupportsIndex | None = None,
    ) -> Evaluation: ...
    def test(
        self,
        position: Position | str,
        beta: SupportsIndex,
        *,
        time_limit: float | None = None,
        node_limit: SupportsIndex | None = None,
    ) -> Evaluation: ...
    def analyze(
        self,
        position: Position | str,
        *,
        time_limit: float | None = None,
        node_limit: SupportsIndex | None = None,
    ) -> Analysis: ...
    def principal_variation(self, position: Position | str) -> tuple[int, ...]: ...
    def solve_many(
        self,
        positions: Sequence[Position | str] | NDArray[np.uint64],
        *,
        board: BoardLike = ...,
        weak: bool = False,
        related: bool = False,
        threads: SupportsIndex | None = None,
        node_limit: SupportsIndex | None = None,
        time_limit: float | None = None,
    ) -> BatchEvaluation: ...
    def analyze_many(
        self,
        positions: Sequence[Position | str] | NDArray[np.uint64],
        *,
        board: BoardLike = ...,
        threads: SupportsIndex | None = None,
        node_limit: SupportsIndex | None = None,
        time_limit: float | None = None,
    ) -> BatchAnalysis: ...
    def table_bounds(
        self, *, board: BoardLike = ..., least_nodes: SupportsIndex = 8192
    ) -> NDArray[np.void]: ...
    def add_bounds(self, bounds: NDArray[np.void], *, board: BoardLike = ...) -> None: ...
    def stop(self) -> None: ...
    def clear(self) -> None: ...

@final
class SharedSearch:
    def __new__(
        cls, solver: Solver, position: Position, *, weak: bool = False, is_remote: bool = False
    ) -> Self: ...
    @property
    def solver(self) -> Solver: ...
    @property
    def position(self) -> Position: ...
    @property
    def weak(self) -> bool: ...
    @property
    def bounds(self) -> tuple[int, int]: ...
    @property
    def is_decided(self) -> bool: ...
    @property
    def nodes(self) -> int: ...
    def narrow(self, lower: int, upper: int) -> None: ...
    def work(self, *, time_limit: float | None = None) -> Evaluation: ...
    def take(self, *, is_heartbeat: bool = False) -> tuple[bytes, NDArray[np.void]]: ...
    def add(self, message: bytes) -> None: ...
