"""Measure how good the columns of any player are, by exact scores.

A column is *strict* if it is one of the best columns: it wins as soon or loses as late as possible.
It *keeps the outcome* if it leads to the same result as the best columns. These two shares are
counted over all positions and over three kinds of positions:

================  ==============================================================================
decisive          the open columns differ in their results
quiet             the side to move has no win in one, and the opponent threatens none
quiet, decisive   both
================  ==============================================================================

A win in one is missed if the player has one and plays another column. A block is required if the
player has no win in one, the opponent threatens to win in exactly one column, and this column is
the only best one. A block is missed if the player plays another column.

``evaluate_player`` asks a player in every position, and measures its columns and its time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.arena.game import checked_column, game_seed
from c4core.dice import Dice
from c4core.models.planes import input_planes, words_of_planes
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from c4core.models.labels import Positions
    from c4core.players.player import Player

    Columns = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_PLAYABLE: Final = 2
_OWN_THREATS: Final = 3
_THREATS: Final = 4
"""The indices of these planes of :mod:`c4core.models.planes`."""

_BATCH: Final = 1 << 16
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Share:
    """The number of positions of a kind, and of the positions where the column is good."""

    positions: int
    strict: int
    """The number of positions where the column is a best one."""
    outcome: int
    """The number of positions where the column keeps the outcome."""


@dataclass(frozen=True, slots=True)
class Missed:
    """The number of positions that require certain columns, and the number of misses."""

    positions: int
    missed: int
    """The number of positions where another column is played."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The measures of a player's columns; the module's docstring defines them."""

    everywhere: Share
    decisive: Share
    quiet: Share
    quiet_decisive: Share
    plies: tuple[tuple[int, Share], ...]
    wins: Missed
    blocks: Missed

    @property
    def figures(self) -> dict[str, float]:
        """The shares that a model's history records; ``quiet_decisive`` is 0 without positions."""
        everywhere, hard = self.everywhere, self.quiet_decisive
        return {
            "best_share": everywhere.strict / everywhere.positions,
            "result_kept": everywhere.outcome / everywhere.positions,
            "quiet_decisive": hard.outcome / max(hard.positions, 1),
        }


@dataclass(frozen=True, slots=True)
class TimedQuality:
    """A player's measures, and its time for a move."""

    quality: Quality
    seconds: float
    """The mean wall-clock seconds for a move, after an untimed first move."""
    processor_seconds: float
    """The mean processor seconds of this process for a move."""


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """The kinds of n positions."""

    is_decisive: Mask
    """(n,): whether the open columns differ in their results."""
    is_quiet: Mask
    """(n,): whether neither side could win with its next stone."""
    wins: Mask
    """(n, width): the columns that win at once."""
    threats: Mask
    """(n, width): the columns in which the opponent threatens to win at once."""


def kinds_of(positions: Positions) -> Kinds:
    """Find the kinds of positions, from their planes and labels."""
    wins, threats = [], []
    own, mask = words_of_planes(positions.planes)
    for first in range(0, len(positions), _BATCH):
        part = slice(first, first + _BATCH)
        planes = input_planes(own[part], mask[part], positions.board)
        wins.append((planes[:, _OWN_THREATS] & planes[:, _PLAYABLE]).any(axis=1))
        threats.append((planes[:, _THREATS] & planes[:, _PLAYABLE]).any(axis=1))
    winning, threatened = np.concatenate(wins), np.concatenate(threats)
    is_quiet: Mask = np.logical_not((winning | threatened).any(axis=1))
    return Kinds(
        is_decisive=positions.is_decisive,
        is_quiet=is_quiet,
        wins=winning,
        threats=threatened,
    )


def quality_of(positions: Positions, columns: Columns) -> Quality:
    """Measure columns against exact scores.

    Args:
        positions: n positions with their labels.
        columns: (n,), the open column that is played in each position.
    """
    kinds, rows = kinds_of(positions), np.arange(len(positions))
    strict = positions.best[rows, columns] != 0
    outcome = np.sign(positions.column_scores[rows, columns]) == positions.value

    def share(where: Mask) -> Share:
        return Share(int(where.sum()), int(strict[where].sum()), int(outcome[where].sum()))

    def missed(where: Mask, called: Mask) -> Missed:
        return Missed(int(where.sum()), int((where & ~called).sum()))

    best = positions.best != 0
    has_win: Mask = np.logical_or.reduce(kinds.wins, axis=1)
    must_block: Mask = np.logical_and((kinds.threats & best).any(axis=1), np.logical_not(has_win))
    for called in (kinds.threats, best):
        must_block &= called.sum(axis=1) == 1
    return Quality(
        everywhere=share(np.ones(len(positions), dtype=np.bool_)),
        decisive=share(kinds.is_decisive),
        quiet=share(kinds.is_quiet),
        quiet_decisive=share(kinds.is_quiet & kinds.is_decisive),
        plies=tuple((int(ply), share(positions.ply == ply)) for ply in np.unique(positions.ply)),
        wins=missed(has_win, kinds.wins[rows, columns]),
        blocks=missed(must_block, kinds.threats[rows, columns]),
    )


def positions_of(positions: Positions) -> list[Position]:
    """Convert labelled positions to positions of the engine."""
    return [Position.from_key(int(key), board=positions.board) for key in positions.keys]


def evaluate_player(
    player: Player,
    positions: Positions,
    *,
    seed: int = 0,
    tell: Callable[[int], object] = lambda _done: None,
) -> TimedQuality:
    """Ask a player for a column in every position, and compare the columns with the labels.

    The dice of a position depend only on the seed and the position's number. So does the answer of
    a player without a time limit.

    Args:
        player: any player; no complete game is played.
        positions: positions with labels.
        seed: the seed of the player's random choices.
        tell: called with the number of finished moves.
    """
    player.check_board(positions.board)
    asked = positions_of(positions)
    player.choose(asked[0], Dice(seed))  # not timed: it may load a model or a library
    began, used = time.perf_counter(), time.process_time()
    columns = _answers(player, asked, seed, tell)
    seconds = (time.perf_counter() - began) / len(asked)
    processor_seconds = (time.process_time() - used) / len(asked)
    quality = quality_of(positions, columns)
    return TimedQuality(quality, seconds, processor_seconds)


def _answers(
    player: Player, asked: list[Position], seed: int, tell: Callable[[int], object]
) -> NDArray[np.int64]:
    """The player's legal column in every position."""
    columns = np.empty(len(asked), dtype=np.int64)
    for number, position in enumerate(asked):
        tell(number)
        answer = player.choose(position, Dice(game_seed(seed, number)))
        columns[number] = checked_column(answer, position)
    return columns


def quality_object(quality: Quality) -> dict[str, Any]:
    """A player's measures as JSON: numbers of positions, and shares from 0 to 1, or null."""
    return {
        "all": _share_object(quality.everywhere),
        "decisive": _share_object(quality.decisive),
        "quiet": _share_object(quality.quiet),
        "quiet_decisive": _share_object(quality.quiet_decisive),
        "wins": {"positions": quality.wins.positions, "missed": quality.wins.missed},
        "blocks": {"positions": quality.blocks.positions, "missed": quality.blocks.missed},
        "plies": [{"ply": ply, **_share_object(share)} for ply, share in quality.plies],
    }


def _share_object(share: Share) -> dict[str, Any]:
    return {
        "positions": share.positions,
        "strict": _ratio(share.strict, share.positions),
        "outcome": _ratio(share.outcome, share.positions),
    }


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, _DIGITS) if whole else None
