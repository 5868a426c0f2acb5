"""Asks a player for its columns in positions with labels, and takes the time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from c4core.arena.game import checked_column
from c4core.arena.seeds import game_seed
from c4core.dice import Dice
from c4core.position import Position
from c4core.training.quality import Quality, quality_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from c4core.inference.evaluator import Evaluator
    from c4core.players.player import Player
    from c4core.training.labels import Positions


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A player's measures, and how long it takes for a move."""

    quality: Quality
    """Its measures."""
    seconds: float
    """The mean of the wall-clock seconds for a move, without the very first one."""
    processor_seconds: float
    """The mean of the processor's seconds of this process for a move."""


def positions_of(positions: Positions) -> list[Position]:
    """Positions with labels as positions of the engine."""
    width, height = positions.board
    return [Position.from_key(int(key), width=width, height=height) for key in positions.keys]


def evaluate_player(
    player: Player,
    positions: Positions,
    *,
    seed: int = 0,
    mirrors: bool = True,
    tell: Callable[[int], object] = lambda _done: None,
) -> Evaluation:
    """Ask a player for a column in every position, and compare the columns with the labels.

    The dice of a position depend only on the seed and the position's number, and so does the
    answer of a player that is not timed.

    Args:
        player: any player; nobody plays a whole game.
        positions: positions with labels.
        seed: the seed of the player's random choices.
        mirrors: whether to ask in the mirrored positions, too. A player with random choices is
            never asked there, because its answers may differ by chance.
        tell: called with the number of moves that are done.

    Raises:
        PlayerError: the player does not play on this board.
        PlayerFailure: it cannot go on, or its answer is not legal.
    """
    player.check_board(positions.board)
    asked = positions_of(positions)
    player.choose(asked[0], Dice(seed))  # it may load a model or a library
    began, used = time.perf_counter(), time.process_time()
    columns = _answers(player, asked, seed, tell)
    seconds = (time.perf_counter() - began) / len(asked)
    processor_seconds = (time.process_time() - used) / len(asked)
    mirrored = None
    if mirrors and not player.is_random:
        turned = [position.mirrored() for position in asked]
        mirrored = _answers(player, turned, seed, lambda done: tell(len(asked) + done))
    quality = quality_of(positions, columns, mirrored=mirrored)
    return Evaluation(quality, seconds, processor_seconds)


def quality_of_engine(engine: Evaluator, positions: Positions, *, mirrors: bool = False) -> Quality:
    """Measure an engine's columns by the proof.

    Args:
        engine: an engine of the positions' board.
        positions: positions with labels.
        mirrors: whether to look at the mirrored positions, too.
    """
    asked = positions_of(positions)
    columns = np.array([engine.choose(position) for position in asked])
    if not mirrors:
        return quality_of(positions, columns)
    turned = np.array([engine.choose(position.mirrored()) for position in asked])
    return quality_of(positions, columns, mirrored=turned)


def _answers(
    player: Player, asked: list[Position], seed: int, tell: Callable[[int], object]
) -> NDArray[np.int64]:
    """The player's column in every position, checked."""
    columns = np.empty(len(asked), dtype=np.int64)
    for number, position in enumerate(asked):
        tell(number)
        answer = player.choose(position, Dice(game_seed(seed, number)))
        columns[number] = checked_column(answer, position)
    return columns
