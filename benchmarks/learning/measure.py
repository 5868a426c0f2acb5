"""Measures models: training, comparison with labels, games."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any, Final

import torch

from c4core.arena.game import play_game
from c4core.arena.seeds import game_seed, match_seed
from c4core.dice import Dice
from c4core.models.files import read_model
from c4core.models.grids import labelled, play_finals
from c4core.models.labels import read_positions
from c4core.models.loop import Step, train
from c4core.models.torch.courses import ExactCourse, FinalGridCourse
from c4core.models.torch.networks import network_of, parameter_count
from c4core.models.torch.report import Confusion, confusion_object, share_of_best, shares_object
from c4core.models.torch.selfplay import SelfPlayCourse
from c4core.players.registry import parse_player
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from c4core.models.torch.courses import NetworkCourse
    from c4core.players import Player

MARKS: Final = {1: "w", 0: "d", -1: "l"}
"""The marks of games, by their results for player a."""


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
    """Train in one thread, or continue an interrupted training."""
    torch.set_num_threads(1)

    def tell(step: Step) -> None:
        if step.parts == 0:
            print(step.figures, flush=True)

    earlier = read_model(path) if path.exists() else None
    model = train(course, path, epochs=epochs, resume=earlier, tell=tell)
    return {
        "weights": model.fingerprint,
        "parameters": parameter_count(course.network),
        "settings": model.settings,
        "architecture": model.architecture,
        "history": model.history,
    }


def drawn_games(player: str, opponent: str, *, games: int, seed: int) -> str:
    """The results of games for a player, one character each. The first player is drawn at random.

    Args:
        player: the player's description.
        opponent: the opponent's description.
        games: the number of games.
        seed: the seed of all random choices.
    """
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

    Args:
        player: the player's description.
        opponent: the opponent's description.
        games: the number of games, if one of the players plays at random.
        seed: the seed of all random choices.
    """
    seed = match_seed(seed, player.partition(":")[0], opponent.partition(":")[0])
    began = time.perf_counter()
    with parse_player(player).make() as a, parse_player(opponent).make() as b:
        by_chance = a.is_random or b.is_random
        plan = _by_seed(games, seed) if by_chance else _by_opening()
        marks = "".join(mark_of_game(a, b, **each) for each in plan)
    return {
        "a": player.partition(":")[0],
        "b": opponent.partition(":")[0],
        "wins": marks.count("w"),
        "losses": marks.count("l"),
        "draws": marks.count("d"),
        "openings": not by_chance,
        "seconds": round(time.perf_counter() - began, 1),
    }


def _by_seed(games: int, seed: int) -> Iterator[dict[str, Any]]:
    for number in range(games):
        yield {"a_begins": number % 2 == 0, "seed": game_seed(seed, number)}


def _by_opening() -> Iterator[dict[str, Any]]:
    for columns in itertools.product(range(7), repeat=2):
        start = Position.from_columns(columns)
        for a_begins in (True, False):
            yield {"a_begins": a_begins, "seed": 0, "start": start}


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
