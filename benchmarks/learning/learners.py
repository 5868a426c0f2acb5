"""Trains the learners on exact labels with several seeds, and measures them and their searches."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from benchmarks.page import table
from c4core.learning.modelfile import read_model
from c4core.players.registry import parse_player
from c4core.training.asking import evaluate_player
from c4core.training.labels import read_positions
from c4core.training.loop import Step, train
from c4core.training.quality import quality_object
from c4core.training.residual_course import ResidualCourse
from c4core.training.tuple_course import TupleCourse
from cli.reports.figures import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from c4core.training.labels import Positions
    from c4core.training.loop import Course

COURSES: Final[Mapping[str, Callable[..., Course]]] = {
    "residual": ResidualCourse,
    "tuples": TupleCourse,
}
SETS: Final = ("all", "decisive", "quiet", "quiet_decisive")


def train_learner(
    kind: str, models: Path, data: tuple[Positions, Positions], *, epochs: int, seed: int
) -> Path:
    """Train a learner, or continue an interrupted training. Returns its file.

    Args:
        kind: of the learner.
        models: the directory of the file.
        data: the positions to learn from, and those for the test after every epoch.
        epochs: the number of epochs.
        seed: the seed of the training.
    """
    path = models / f"{kind}-{seed}.safetensors"

    def tell(step: Step) -> None:
        if step.parts == 0:
            print(kind, seed, step.figures, flush=True)

    earlier = read_model(path) if path.exists() else None
    train(COURSES[kind](*data, seed=seed), path, epochs=epochs, resume=earlier, tell=tell)
    return path


def measure_learners(
    models: Path, data: Path, *, seeds: Sequence[int], epochs: int, depth: int, sample: int
) -> dict[str, Any]:
    """Train every learner with every seed, and measure it on the test part.

    Args:
        models: the directory of the models' files.
        data: a data set with all three parts.
        seeds: the seeds of the trainings.
        epochs: the number of epochs of each.
        depth: of the searching players.
        sample: the number of test positions for these; the others get all.
    """
    parts = read_positions(data, "train"), read_positions(data, "validation")
    test = read_positions(data, "test")
    found = []
    for kind in COURSES:
        for seed in seeds:
            path = train_learner(kind, models, parts, epochs=epochs, seed=seed)
            for player, asked in (
                (f"learning-{kind}:model={path}", test),
                (f"learning-{kind}-search:model={path},depth={depth}", test.sample(sample, seed=0)),
            ):
                measured = evaluate_player(parse_player(player).make(), asked)
                found.append(
                    {
                        "player": player.partition(":")[0],
                        "seed": seed,
                        "move_processor_microseconds": round(1e6 * measured.processor_seconds, 1),
                        "quality": quality_object(measured.quality),
                    }
                )
    return {"positions": len(parts[0]), "epochs": epochs, "depth": depth, "learners": found}


def learners_table(part: Mapping[str, Any]) -> str:
    """The means over the seeds, in Markdown: best columns, results kept, and the time of a move."""
    rows = []
    for player in dict.fromkeys(each["player"] for each in part["learners"]):
        of_player = [each for each in part["learners"] if each["player"] == player]
        qualities = [each["quality"] for each in of_player]
        shares = [[quality[name] for quality in qualities] for name in SETS]
        missed = mean(quality["wins"]["missed"] for quality in qualities)
        time = mean(each["move_processor_microseconds"] for each in of_player)
        rows.append(
            [
                f"`{player}`",
                percent(_mean(shares[0], "strict")),
                *(percent(_mean(share, "outcome")) for share in shares),
                f"{missed:.1f}",
                f"{time:,.0f} us",
            ]
        )
    kept = ("result kept", "decisive", "quiet", "quiet and decisive")
    headings = ("player", "best column", *kept, "wins missed", "processor time a move")
    return table(headings, rows)


def _mean(shares: Sequence[Mapping[str, Any]], name: str) -> float | None:
    known = [share[name] for share in shares if share[name] is not None]
    return mean(known) if known else None
