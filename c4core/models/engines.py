"""Engines, which play models without PyTorch; and the models that are shipped with c4."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.models.files import read_unchanged
from c4core.models.kinds import ModelError
from c4core.models.residual import ResidualEngine, weight_shapes
from c4core.models.tuples import TupleEngine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.models.evaluator import Evaluator
    from c4core.models.files import Model

SHIPPED: Final = "shipped"
"""The name of the shipped model, in place of a file's name."""

_DIRECTORY: Final = Path(__file__).parents[1] / "data"

_KEPT: Final = 16
"""The largest number of engines that are kept in memory."""


def shipped_file(kind: str) -> Path:
    """The file of the shipped model of a kind, which may not exist. It plays on 7x6."""
    return _DIRECTORY / f"c4-7x6-{kind}.safetensors"


@functools.lru_cache
def named_file(name: str, kind: str) -> Path:
    """The file of a name: the shipped model of a kind, or a path."""
    return shipped_file(kind) if name == SHIPPED else Path(name)


@functools.lru_cache(maxsize=_KEPT)
def load_engine(path: str, fingerprint: str) -> Evaluator:
    """The engine of a file, which is read once.

    Args:
        path: the file.
        fingerprint: the fingerprint that its weights must have.

    Raises:
        ModelError: the file is no longer a model for an engine, or has other weights.
        OSError: the file cannot be read.
    """
    return engine_of(read_unchanged(Path(path), fingerprint), Path(path))


def engine_of(model: Model, path: Path, *, kernel: str | None = None) -> Evaluator:
    """The engine of a model.

    Args:
        model: a model of a kind that an engine plays.
        path: its file, for messages.
        kernel: the program for a residual network, of :func:`c4core.models.residual.kernels`;
            None for the fastest. The results are the same.

    Raises:
        ModelError: its kind has no engine, or its weights do not fit its architecture.
    """
    try:
        if model.kind == "tuples":
            return _tuple_engine(model)
        if model.kind == "residual":
            return _residual_engine(model, kernel=kernel)
        raise ValueError(f"a model of kind {model.kind} plays with PyTorch only")  # noqa: TRY301
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ModelError(f"{path}: the engine cannot be made: {reason}", path=str(path)) from None


def _residual_engine(model: Model, *, kernel: str | None) -> ResidualEngine:
    """The engine of a residual network."""
    sizes = {name: model.architecture[name] for name in ("channels", "blocks", "hidden")}
    for name, number in sizes.items():
        if type(number) is not int:
            raise TypeError(f"{name} cannot be {number!r:.80}")
    width, height = model.board
    weights = {name: _inputs_first(model.weights[name]) for name in weight_shapes(height, **sizes)}
    return ResidualEngine(width=width, height=height, weights=weights, kernel=kernel, **sizes)


def _tuple_engine(model: Model) -> TupleEngine:
    """The engine of an n-tuple network."""
    width, height = model.board
    squares, tables = model.weights["squares"], model.weights["tables"]
    if squares.dtype != np.uint8 or tables.dtype != np.float32:
        raise TypeError(f"squares are {squares.dtype} and tables {tables.dtype}")
    shape = tuple(model.architecture[name] for name in ("tuples", "length"))
    if squares.shape != shape:
        raise ValueError(f"squares are {squares.shape}, not {shape}")
    return TupleEngine(
        width=width,
        height=height,
        squares=squares.astype(np.uint8),
        tables=tables.astype(np.float32),  # a copy, which may be written
    )


def _inputs_first(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """PyTorch's weights, (outputs, inputs, and taps or rows and columns), as matrices.

    Returns:
        (inputs, outputs), the inputs ordered by the last axis first; a vector of biases as it is.
    """
    return array.transpose().reshape(-1, array.shape[0]) if array.ndim > 1 else array
