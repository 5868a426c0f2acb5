"""The training loop with its checkpoints.

Training consists of epochs. The model's file is written before the first epoch and after every
epoch. It is a checkpoint with everything that is needed to continue, and a model that can play. The
random choices of an epoch depend only on the seed and the epoch's number. So resumed training ends
with the same weights as uninterrupted training, if the machine, the program and the number of
threads are the same.

The courses need PyTorch and are in :mod:`c4core.models.torch`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from c4core.arena.game import game_seed
from c4core.errors import ModelMismatchError
from c4core.models.files import Model, write_model
from c4core.notation import check_narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Arrays = Mapping[str, NDArray[np.generic]]
    Tell = Callable[[int, int], object]
    """Called with the number of finished parts of an epoch, and the number of all its parts."""

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of training."""

    epoch: int
    epochs: int
    done: int
    parts: int
    """The number of parts of an epoch; 0 at the end of an epoch."""
    figures: Mapping[str, Any]


class Course(ABC):
    """A model in training, with its data and parameters."""

    kind: ClassVar[str]

    def __init__(
        self, board: BoardSize, architecture: dict[str, Any], settings: dict[str, Any]
    ) -> None:
        self.board = check_narrow(board, "models")
        self.architecture = architecture
        self.settings = settings

    @abstractmethod
    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train for an epoch, and return its figures."""

    @abstractmethod
    def weights(self) -> Arrays:
        """Copies of the learned arrays, by name."""

    def optimizer_state(self) -> Arrays:
        """Copies of the other arrays that are needed to continue, by name."""
        return {}

    @abstractmethod
    def restore(self, model: Model, path: Path) -> None:
        """Continue from a model of the same kind, architecture and settings."""

    def seed_of(self, number: int) -> int:
        """A seed for an epoch."""
        return game_seed(self.settings["seed"], number) >> 1


def train(
    course: Course,
    path: Path,
    *,
    epochs: int,
    resume: Model | None = None,
    tell: Callable[[Step], object] = lambda _step: None,
) -> Model:
    """Train a new course, keep the model's file up to date, and return the trained model.

    ``epochs`` is the total number of epochs, including the epochs of the resumed model.
    """
    history: list[dict[str, Any]] = []
    if resume is not None:
        _restore(course, resume, path)
        history = list(resume.history)
    else:
        write_model(path, _model(course, history))
    while len(history) < epochs:
        complete = len(history)
        last = history[-1] if history else {}

        def told(done: int, parts: int, complete: int = complete, last: Any = last) -> None:  # noqa: ANN401
            tell(Step(complete, epochs, done, parts, last))

        began = time.perf_counter()
        figures = course.epoch(complete + 1, told)
        seconds = round(time.perf_counter() - began, 3)
        history.append({"epoch": complete + 1, **_rounded(figures), "seconds": seconds})
        write_model(path, _model(course, history))
        tell(Step(complete + 1, epochs, 0, 0, history[-1]))
    return _model(course, history)


def _rounded(figures: Figures) -> Figures:
    """The figures, rounded to six decimals."""
    return {name: round(value, 6) for name, value in figures.items()}


def _model(course: Course, history: list[dict[str, Any]]) -> Model:
    return Model(
        kind=course.kind,
        board=course.board,
        architecture=course.architecture,
        settings=course.settings,
        history=list(history),
        weights=course.weights(),
        optimizer=course.optimizer_state(),
    )


def _restore(course: Course, model: Model, path: Path) -> None:
    """Continue a course from a model."""
    for what, there, here in (
        ("kind", model.kind, course.kind),
        ("board", str(model.board), str(course.board)),
        *_pairs("architecture", model.architecture, course.architecture),
        *_pairs("settings", model.settings, course.settings),
    ):
        if there != here:
            raise ModelMismatchError(
                f"{path} cannot be resumed: {what} was {there!r} and is {here!r} now"
            )
    course.restore(model, path)


def _pairs(
    what: str, there: Mapping[str, Any], here: Mapping[str, Any]
) -> list[tuple[str, Any, Any]]:
    """The entries of two descriptions side by side."""
    names = dict.fromkeys((*there, *here))
    return [(f"{what}: {name}", there.get(name), here.get(name)) for name in names]
