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

import torch

from c4core.arena.seeds import game_seed
from c4core.learning.errors import ModelError, ModelMismatchError
from c4core.learning.modelfile import Model, write_model
from c4core.learning.networks import arrays_of, new_network, tensors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from c4core.notation import BoardSize

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
    """A network, its data, and how it is trained.

    Args:
        board: the board that the network plays on.
        architecture: the arguments of the network's class.
        settings: how and on which data it is trained, as JSON; ``seed`` and ``rate`` are required.
        epsilon: a small number in Adam's denominator.

    Attributes:
        network: the network that is trained.
        optimizer: the optimizer that trains it.
    """

    kind: ClassVar[str]
    """One of :data:`c4core.learning.modelfile.KINDS`."""

    def __init__(
        self,
        board: BoardSize,
        architecture: dict[str, Any],
        settings: dict[str, Any],
        *,
        epsilon: float = 1e-8,
    ) -> None:
        self.board = board
        self.architecture = architecture
        self.settings = settings
        self.network: nn.Module = new_network(
            self.kind, board, architecture, seed=settings["seed"] % (1 << 63)
        )
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=settings["rate"], eps=epsilon
        )

    @abstractmethod
    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train for an epoch.

        Args:
            number: the epoch's number, from 1; random choices depend only on this and the seed.
            tell: called with the progress of the epoch.

        Returns:
            The figures of the epoch.
        """

    def seed_of(self, number: int) -> int:
        """A seed for an epoch."""
        return game_seed(self.settings["seed"], number) >> 1

    def generator(self, number: int) -> torch.Generator:
        """A generator for the random choices of an epoch."""
        return torch.Generator().manual_seed(self.seed_of(number))

    def learn(self, loss: torch.Tensor) -> None:
        """Take one step of the optimizer to make the loss smaller."""
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self.optimizer.step()


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
        weights=arrays_of(course.network.state_dict()),
        optimizer=_optimizer_arrays(course),
    )


def _optimizer_arrays(course: Course) -> dict[str, NDArray[Any]]:
    """The optimizer's moments, with the names of their weights."""
    tensors = {
        f"{name}.{key}": value
        for name, parameter in course.network.named_parameters()
        for key, value in course.optimizer.state.get(parameter, {}).items()
    }
    return arrays_of(tensors)


def _restore(course: Course, model: Model, path: Path) -> None:
    """Continue a course from a model.

    Raises:
        ModelMismatchError: the model does not belong to such a course.
        ModelError: its weights do not fit its network.
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
    try:
        course.network.load_state_dict(tensors_of(model.weights))
    except RuntimeError as error:
        raise ModelError(f"{path} cannot be resumed: {error}", path=str(path)) from None
    state = tensors_of(model.optimizer)
    shapes = {
        f"{name}.{key}": shape
        for name, parameter in course.network.named_parameters()
        for key, shape in (
            ("step", ()),
            ("exp_avg", parameter.shape),
            ("exp_avg_sq", parameter.shape),
        )
    }
    found = {name: tensor.shape for name, tensor in state.items()}
    if found != (shapes if model.history else {}) or any(
        tensor.dtype != torch.float32 for tensor in state.values()
    ):
        raise ModelError(f"{path} cannot be resumed: its optimizer is another one", path=str(path))
    for name, parameter in course.network.named_parameters():
        if model.history:
            course.optimizer.state[parameter] = {
                key: state[f"{name}.{key}"] for key in ("step", "exp_avg", "exp_avg_sq")
            }


def _pairs(
    what: str, there: Mapping[str, Any], here: Mapping[str, Any]
) -> list[tuple[str, Any, Any]]:
    """The entries of two descriptions, side by side."""
    names = dict.fromkeys((*there, *here))
    return [(f"{what}: {name}", there.get(name), here.get(name)) for name in names]
