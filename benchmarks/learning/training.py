"""Trains models, compares them with labels, and lets them play."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch

from benchmarks.learning.pages import quality_cells
from c4core.arena.game import play_game
from c4core.arena.seeds import game_seed, match_seed
from c4core.book import Book
from c4core.dice import Dice
from c4core.models.files import Model, read_model
from c4core.models.grids import labelled, play_finals
from c4core.models.labels import read_joined, read_positions
from c4core.models.loop import Step, train
from c4core.models.quality import evaluate_player, quality_object
from c4core.models.torch.courses import ExactCourse, FinalGridCourse, ResidualCourse
from c4core.models.torch.networks import network_of, parameter_count
from c4core.models.torch.report import Confusion, confusion_object, share_of_best, shares_object
from c4core.models.torch.selfplay import SelfPlayCourse
from c4core.models.tuple_course import TupleCourse
from c4core.players.player import Resources
from c4core.players.registry import parse_player
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from c4core.models.labels import Positions
    from c4core.models.loop import Course
    from c4core.models.quality import TimedQuality
    from c4core.models.torch.courses import NetworkCourse
    from c4core.players import Player

    Data = tuple[Positions, Positions]

MARKS: Final = {1: "w", 0: "d", -1: "l"}
"""The marks of games, by their results for player a."""

OPPONENTS: Final = (
    "stupid",
    "random",
    "greedy",
    "set",
    "blog-v1",
    "blog-v2",
    "blog-v3",
    "blog-v4",
    "blog-v5",
    "blog-v6",
    "alphabeta",
    "pvs",
    "minimax-features",
    "minimax-squares",
    "minimax-runs:time_ms=50",
    "minimax-threats:time_ms=50",
    "minimax-windows",
    "montecarlo-flat",
    "montecarlo-timed:time_ms=20",
    "mcts-uct",
    "learning-cnn:model={cnn}",
    "learning-exact:model={exact}",
    "learning-selfplay:model={selfplay}",
    "learning-tuples:model={tuples}",
    "perfect",
)
"""Every player that plays from any position, apart from programs and stored games."""

TABLE_MB: Final = 256
"""The table of the solver for perfect play."""

STONES: Final = 4
"""The stones of the openings for two players without random choices."""

LATER: Final = 8
"""The test positions with at least this many stones are also measured apart. A test set has
most of the positions with fewer stones, or is a move away: nothing like them is learned from."""


def train_cnn(path: Path, *, games: int, epochs: int, seed: int) -> dict[str, Any]:
    """Train Brewer's network on games of set against set, from an existing file if there is one."""
    began = time.perf_counter()
    found = labelled(play_finals(games, seed=seed), seed=seed)
    played = time.perf_counter() - began
    course = FinalGridCourse(found, seed=seed)
    part = _trained(course, path, epochs)
    confusion = Confusion.of(course.network, *course.test)
    return {
        "games": games,
        "different": len(found),
        "playing_seconds": round(played, 1),
        **part,
        "confusion": confusion_object(confusion),
    }


def train_exact(path: Path, data: Path, *, epochs: int, seed: int) -> dict[str, Any]:
    """Train the network with policy and value on a data set, and test it on the test positions."""
    train_positions, validation = (read_positions(data, split) for split in ("train", "validation"))
    course = ExactCourse(train_positions, validation, seed=seed)
    part = _trained(course, path, epochs)
    test = read_positions(data, "test")
    return {
        "positions": len(train_positions),
        **part,
        "test": shares_object(share_of_best(course.network, course.kind, test)),
    }


def train_selfplay(path: Path, *, epochs: int, seed: int) -> dict[str, Any]:
    """Train the network that learns from its own games."""
    course = SelfPlayCourse(seed=seed)
    return {"games_per_epoch": course.settings["games"], **_trained(course, path, epochs)}


def shares_of(path: Path, data: Path) -> dict[str, Any]:
    """How often a model chooses a best column in the test positions of a data set."""
    model = read_model(path)
    shares = share_of_best(network_of(model, path), model.kind, read_positions(data, "test"))
    return shares_object(shares)


def _trained(course: NetworkCourse, path: Path, epochs: int) -> dict[str, Any]:
    model = _train(course, path, epochs)
    return {
        "weights": model.fingerprint,
        "parameters": parameter_count(course.network),
        "settings": model.settings,
        "architecture": model.architecture,
        "history": model.history,
    }


def _train(course: Course, path: Path, epochs: int) -> Model:
    """Train in one thread, or continue an interrupted training."""
    torch.set_num_threads(1)

    def report(step: Step) -> None:
        if step.parts == 0:
            print(path.stem, step.figures, flush=True)

    earlier = read_model(path) if path.exists() else None
    return train(course, path, epochs=epochs, resume=earlier, tell=report)


@dataclass(frozen=True, slots=True)
class Learner:
    """How a kind of learner is trained here, apart from the seed and the data."""

    course: Callable[..., Course]
    """The class of the course."""
    epochs: int
    settings: Mapping[str, Any]
    """Arguments of the course other than the defaults."""


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
"""Numbers of positions, and sizes of networks other than the defaults."""


def train_learner(
    path: Path, kind: str, data: Data, *, seed: int, epochs: int | None = None, **sizes: int
) -> Model:
    """Train a learner, or continue an interrupted training."""
    learner = LEARNERS[kind]
    course = learner.course(*data, seed=seed, **learner.settings, **sizes)
    return _train(course, path, epochs or learner.epochs)


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
    """Train every learner with every seed, and measure it on the test part."""
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
                        **_measured(model, measured),
                    }
                )
                print(path.stem, player.partition(":")[0], quality_cells(found[-1:]), flush=True)
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
                **_measured(model, measured),
            }
        )
        print(path.stem, quality_cells(found[-1:]), flush=True)
    return {**plan.about(), "seed": seed, "trainings": found}


def _measured(model: Model, measured: TimedQuality) -> dict[str, Any]:
    """The figures of a trained model, without the many numbers by ply."""
    quality = quality_object(measured.quality)
    return {
        "training_seconds": round(sum(each["seconds"] for each in model.history), 1),
        "move_processor_microseconds": round(1e6 * measured.processor_seconds, 1),
        "quality": {name: each for name, each in quality.items() if name != "plies"},
    }


def drawn_games(player: str, opponent: str, *, games: int, seed: int) -> str:
    """The results of games for a player, as marks. The first player is drawn at random."""
    dice = Dice(seed)
    with parse_player(player).make() as a, parse_player(opponent).make() as b:
        return "".join(
            mark_of_game(a, b, a_begins=dice.below(2) == 0, seed=game_seed(seed, number))
            for number in range(games)
        )


def match(player: str, opponent: str, *, games: int, seed: int) -> dict[str, Any]:
    """A match in which the players take turns to move first.

    Two deterministic players would play the same two games again and again. So each of them begins
    once from every position with two stones.
    """
    a, b = player.partition(":")[0], opponent.partition(":")[0]
    starts = map(Position.from_columns, itertools.product(range(7), repeat=2))
    seed = match_seed(seed, a, b)
    found = _play(player, opponent, starts, games=games, seed=seed, resources=Resources())
    marks = found.pop("marks")
    wins, losses, draws = (marks.count(mark) for mark in "wld")
    return {"a": a, "b": b, "wins": wins, "losses": losses, "draws": draws, **found}


def play_opponent(player: str, opponent: str, *, games: int, seed: int) -> dict[str, Any]:
    """A match in which the players take turns to move first.

    If neither has random choices, each begins once from every one of games / 2 openings.
    """
    name = opponent.partition(":model")[0]
    seed = match_seed(seed, player.partition(":")[0], name)
    resources = Resources(Solver(table_mb=TABLE_MB, book=Book.shipped()))
    starts = openings(games // 2, seed)
    found = _play(player, opponent, starts, games=games, seed=seed, resources=resources)
    return {"opponent": name, **found}


def _play(
    player: str,
    opponent: str,
    starts: Iterable[Position],
    *,
    games: int,
    seed: int,
    resources: Resources,
) -> dict[str, Any]:
    """Play from the empty board, or twice from each start if neither player has random choices."""
    began = time.perf_counter()
    with parse_player(player).make() as a, parse_player(opponent).make(resources) as b:
        by_chance = a.is_random or b.is_random
        plan: Iterable[dict[str, Any]] = (
            ({"a_begins": n % 2 == 0, "seed": game_seed(seed, n)} for n in range(games))
            if by_chance
            else (
                {"a_begins": a_begins, "seed": 0, "start": start}
                for start in starts
                for a_begins in (True, False)
            )
        )
        marks = "".join(mark_of_game(a, b, **each) for each in plan)
    seconds = round(time.perf_counter() - began, 1)
    return {"marks": marks, "openings": not by_chance, "seconds": seconds}


def openings(count: int, seed: int) -> list[Position]:
    """Different positions with :data:`STONES` stones that are not over, drawn at random."""
    dice, found = Dice(seed), dict[str, Position]()
    while len(found) < count:
        position = Position()
        for _ in range(STONES):
            position = position.play(dice.pick(position.legal_columns()))
        found.setdefault(str(position.key), position)
    return list(found.values())


def mark_of_game(
    a: Player, b: Player, *, a_begins: bool, seed: int, start: Position | None = None
) -> str:
    """Play a game. Returns the mark of its result for player a."""
    record = play_game(*((a, b) if a_begins else (b, a)), seed=seed, start=start)
    if record.is_forfeit:
        raise RuntimeError(f"{a} - {b}: {record.detail}")
    if record.winner is None:
        return MARKS[0]
    return MARKS[1 if (record.winner == "x") == a_begins else -1]
