"""The loop of all trainings, and its checkpoints.

A course of training is cut into epochs. Before the first and after each of them, the model's file
is written with everything that is needed to continue: it is a checkpoint, and a model that can
play. The random choices of an epoch depend only on the seed and the epoch's number. So an
interrupted and resumed training ends with the same weights as an uninterrupted one, on the same
machine with the same program and number of threads.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from c4core.arena.seeds import game_seed
from c4core.learning.errors import ModelMismatchError
from c4core.learning.modelfile import Model, write_model

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
    """The progress of a training."""

    epoch: int
    """The number of complete epochs."""
    epochs: int
    """The number of epochs of the whole training."""
    done: int
    """The number of finished parts of the next epoch."""
    parts: int
    """The number of parts of an epoch; 0 at the end of an epoch."""
    figures: Mapping[str, Any]
    """The figures of the last complete epoch; empty before the first."""


class Course(ABC):
    """Something that learns, its data, and how it is trained.

    Args:
        board: the board that it plays on.
        architecture: what it is made of, as JSON.
        settings: how and on which data it is trained, as JSON; ``seed`` is required.
    """

    kind: ClassVar[str]
    """One of :data:`c4core.learning.modelfile.KINDS`."""

    def __init__(
        self, board: BoardSize, architecture: dict[str, Any], settings: dict[str, Any]
    ) -> None:
        self.board = board
        self.architecture = architecture
        self.settings = settings

    @abstractmethod
    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train for an epoch.

        Args:
            number: the epoch's number, from 1; random choices depend only on this and the seed.
            tell: called with the progress of the epoch.

        Returns:
            The figures of the epoch.
        """

    @abstractmethod
    def weights(self) -> Arrays:
        """Copies of what was learned, by name."""

    def optimizer_state(self) -> Arrays:
        """Copies of what else is needed to continue, by name."""
        return {}

    @abstractmethod
    def restore(self, model: Model, path: Path) -> None:
        """Continue from a model of the same kind, architecture and settings.

        Args:
            model: the model.
            path: its file, for messages.

        Raises:
            ModelError: its arrays do not fit.
        """

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
    """Train, and keep the model's file up to date.

    Args:
        course: a new course.
        path: the model's file.
        epochs: the number of epochs in all, with those of the resumed model.
        resume: the model to continue from.
        tell: called with the progress.

    Returns:
        The trained model.

    Raises:
        ModelMismatchError: the resumed model was trained in another way, or on other data.
        OSError: the file cannot be written.
        KeyboardInterrupt: the training was interrupted; the file has the last complete epoch.
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
    """The figures, rounded to significant digits."""
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
    """Continue a course from a model.

    Raises:
        ModelMismatchError: the model does not belong to such a course.
        ModelError: its arrays do not fit.
    """
    for what, there, here in (
        ("kind", model.kind, course.kind),
        ("board", str(model.board), str(course.board)),
        *_pairs("architecture", model.architecture, course.architecture),
        *_pairs("settings", model.settings, course.settings),
    ):
        if there != here:
            raise ModelMismatchError(
                f"{path} cannot be resumed: {what} was {there!r} and is {here!r} now",
                path=str(path),
            )
    course.restore(model, path)


def _pairs(
    what: str, there: Mapping[str, Any], here: Mapping[str, Any]
) -> list[tuple[str, Any, Any]]:
    """The entries of two descriptions, side by side."""
    names = dict.fromkeys((*there, *here))
    return [(f"{what}: {name}", there.get(name), here.get(name)) for name in names]
