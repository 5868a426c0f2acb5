"""Trains the learners on exact labels with several seeds, and measures them and their searches."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from benchmarks.learning.tables import learners_row
from c4core.models.files import Model, read_model, write_model
from c4core.models.labels import read_joined, read_positions
from c4core.models.loop import Step, train
from c4core.models.quality import evaluate_player, quality_object
from c4core.models.torch.courses import ResidualCourse
from c4core.models.tuple_course import TupleCourse
from c4core.players.registry import parse_player

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from c4core.models.labels import Positions
    from c4core.models.loop import Course
    from c4core.models.quality import Quality

    Data = tuple[Positions, Positions]


LATER: Final = 8
"""The test positions with so many stones or more are also measured apart. There are so few others
that a test set has, or is a move away from, most of them: nothing like them is learned from."""


@dataclass(frozen=True, slots=True)
class Learner:
    """How a kind of model is trained here, apart from the seed and the data."""

    course: Callable[..., Course]
    """Makes the course."""
    epochs: int
    """The number of epochs."""
    settings: Mapping[str, Any]
    """The arguments of the course that are not the default ones."""


LEARNERS: Final[Mapping[str, Learner]] = {
    "residual": Learner(ResidualCourse, 7, {"precision": "bfloat16"}),
    "tuples": Learner(TupleCourse, 6, {"decay": 0.6}),
}

CURVE: Final[Sequence[tuple[int, Mapping[str, int]]]] = (
    (30_000, {}),
    (100_000, {}),
    (300_000, {}),
    (100_000, {"channels": 8, "blocks": 1}),
    (100_000, {"channels": 16, "blocks": 2}),
)
"""Numbers of positions, and sizes of networks that are not the usual ones."""


def train_learner(
    path: Path, kind: str, data: Data, *, seed: int, epochs: int | None = None, **sizes: int
) -> Model:
    """Train a learner, or continue an interrupted training.

    Args:
        path: its file.
        kind: of the learner.
        data: the positions to learn from, and those for the test after every epoch.
        seed: the seed of the training.
        epochs: the number of epochs; None for the learner's own.
        sizes: of the network, apart from the default ones.
    """
    torch.set_num_threads(1)
    learner = LEARNERS[kind]

    def tell(step: Step) -> None:
        if step.parts == 0:
            print(path.stem, step.figures, flush=True)

    earlier = read_model(path) if path.exists() else None
    course = learner.course(*data, seed=seed, **learner.settings, **sizes)
    return train(course, path, epochs=epochs or learner.epochs, resume=earlier, tell=tell)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the learners are trained and tested on."""

    models: Path
    """The directory of the models' files."""
    data: Sequence[Path]
    """The data sets to learn from."""
    test: Path
    """The data set whose test part they are tested on; nothing near it is learned from."""
    epochs: int | None
    """The number of epochs of each training; None for the learners' own."""

    def read(self) -> Data:
        """The positions to learn from, and those for the test after every epoch."""
        return read_joined(self.data, apart_from=[self.test])

    def about(self) -> dict[str, Any]:
        """How the data sets were made."""
        commands = [json.loads((each / "card.json").read_text())["command"] for each in self.data]
        return {
            "data": commands,
            "test": json.loads((self.test / "card.json").read_text())["command"],
        }


def measure_learners(
    plan: Plan, *, seeds: Sequence[int], depth: int, sample: int
) -> dict[str, Any]:
    """Train every learner with every seed, and measure it on the test part.

    Args:
        plan: the data.
        seeds: the seeds of the trainings.
        depth: of the searching players.
        sample: the number of test positions for these; the others get all.
    """
    data = plan.read()
    test = read_positions(plan.test, "test")
    later = test.take(np.flatnonzero(test.ply >= LATER))
    found = []
    for kind in LEARNERS:
        for seed in seeds:
            path = plan.models / f"{kind}-{seed}.safetensors"
            model = train_learner(path, kind, data, seed=seed, epochs=plan.epochs)
            searching = f"learning-{kind}-search:model={path},depth={depth}"
            for player, asked, least_ply in (
                (f"learning-{kind}:model={path}", test, 0),
                (f"learning-{kind}:model={path}", later, LATER),
                (searching, test.sample(sample, seed=0), 0),
                (searching, later.sample(sample, seed=0), LATER),
            ):
                measured = evaluate_player(parse_player(player).make(), asked)
                found.append(
                    {
                        "player": player.partition(":")[0],
                        "least_ply": least_ply,
                        "seed": seed,
                        "epochs": len(model.history),
                        "training_seconds": round(sum(e["seconds"] for e in model.history), 1),
                        "move_processor_microseconds": round(1e6 * measured.processor_seconds, 1),
                        "quality": _without_plies(measured.quality),
                    }
                )
                print(path.stem, player.partition(":")[0], learners_row(found[-1:]), flush=True)
    return {
        **plan.about(),
        "positions": len(data[0]),
        "tested": len(test),
        "depth": depth,
        "sample": sample,
        "learners": found,
    }


def measure_curve(plan: Plan, *, seed: int) -> dict[str, Any]:
    """Train the residual network on less data, and smaller ones, and measure each."""
    learned, held_out = plan.read()
    test = read_positions(plan.test, "test")
    found = []
    for count, sizes in CURVE:
        part = learned.sample(count, seed=0)
        name = "-".join([str(len(part)), *(f"{key}{value}" for key, value in sizes.items())])
        path = plan.models / f"curve-{name}.safetensors"
        model = train_learner(
            path, "residual", (part, held_out), seed=seed, epochs=plan.epochs, **sizes
        )
        player = parse_player(f"learning-residual:model={path}").make()
        measured = evaluate_player(player, test, mirrors=False)
        found.append(
            {
                "positions": len(part),
                "architecture": model.architecture,
                "training_seconds": round(sum(e["seconds"] for e in model.history), 1),
                "move_processor_microseconds": round(1e6 * measured.processor_seconds, 1),
                "quality": _without_plies(measured.quality),
            }
        )
        print(path.stem, learners_row(found[-1:]), flush=True)
    return {**plan.about(), "seed": seed, "trainings": found}


def _without_plies(quality: Quality) -> dict[str, Any]:
    """A quality as JSON, without the many numbers by ply."""
    return {name: each for name, each in quality_object(quality).items() if name != "plies"}


def ship(model: Path, target: Path) -> None:
    """Write a trained model without the optimizer's state: nobody trains it further."""
    found = read_model(model)
    write_model(
        target,
        Model(
            found.kind,
            found.board,
            found.architecture,
            found.settings,
            found.history,
            found.weights,
        ),
    )
