"""Self-play: a network with an output for every column learns from scratch.

It plays many games side by side, as arrays of bitboards (layout in engine/board.pxd), so that the
network evaluates positions in batches. Some of its moves are random, fewer in later epochs; the
other moves are the open column with the largest output. After the games it learns the worth (the
Q-value) of each played column, by Watkins's Q(lambda) for two sides that take turns:

- a winning move has worth 1, and a move that fills the board has worth 0;
- the worth of any other move is minus ``DISCOUNT`` times a weighted mean of two numbers: the worth
  of the next move of the game, with the weight ``TRACE``, and the network's largest output for that
  move's position. If the next move was random and its worth is not above that output, only the
  output counts.

The network learns from its own games only, without any rule for immediate wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import torch
from torch.nn import functional

from c4core.arena.game import game_seed
from c4core.dice import Dice
from c4core.models.evaluator import input_planes
from c4core.models.torch.courses import NetworkCourse
from c4core.models.torch.playing import choose_column
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.players.registry import parse_player
from c4core.position import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import nn

    from c4core.models.loop import Figures, Tell

SIDE_BY_SIDE: Final = 256
"""The number of games that are played at once."""
TEST_GAMES: Final = 100
"""The number of games against each opponent after every epoch."""

TRACE: Final = 0.7
DISCOUNT: Final = 0.98
RANDOM_AT_FIRST: Final = 0.5
RANDOM_AT_LAST: Final = 0.1
RANDOM_DECAY: Final = 0.93

OPPONENTS: Final = ("random", "set")
"""The opponents in test games; the network does not learn from these games."""


class Games:
    """n games on one board with the same number of stones. Finished games are removed.

    Attributes:
        own: (n,), the stones of the side to move.
        mask: (n,), all stones.
    """

    def __init__(self, board: BoardSize, n: int) -> None:
        self.own = np.zeros(n, dtype=np.uint64)
        self.mask = np.zeros(n, dtype=np.uint64)
        self._board = board
        stride = board.height + 1
        shifts = np.arange(board.width) * stride
        self._bottom = np.uint64(1) << shifts.astype(np.uint64)
        self._top = self._bottom << np.uint64(board.height - 1)
        self._full = np.uint64(sum(((1 << board.height) - 1) << int(shift) for shift in shifts))
        self._steps = [np.uint64(step) for step in (1, stride - 1, stride, stride + 1)]

    def __len__(self) -> int:
        """The number of games that are not over."""
        return len(self.own)

    @property
    def planes(self) -> NDArray[np.uint8]:
        """(n, 2, height, width): the planes for the side to move."""
        width, height = self._board
        return input_planes(self.own, self.mask, width=width, height=height, planes=2)

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """(n, width): whether each column is not full."""
        open_: NDArray[np.bool_] = (self.mask[:, np.newaxis] & self._top) == 0
        return open_

    def play(self, columns: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Play an open column, (n,), in each game, and remove finished games.

        Returns:
            Two arrays (n,): whether the side that moved has won, and whether the game is over.
        """
        squares = (self.mask + self._bottom[columns]) & ~self.mask
        moved = self.own | squares
        self.own ^= self.mask
        self.mask |= squares
        won = self._has_four(moved)
        over = won | (self.mask == self._full)
        self.own, self.mask = self.own[~over], self.mask[~over]
        return won, over

    def _has_four(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        found = np.zeros(len(words), dtype=np.uint64)
        for step in self._steps:
            pairs = words & (words >> step)
            found |= pairs & (pairs >> (step * np.uint64(2)))
        four: NDArray[np.bool_] = found != 0
        return four


@dataclass(slots=True, eq=False)
class _Moves:
    """The moves of one ply, one for each game that was not over."""

    planes: NDArray[np.uint8]
    """(n, 2, height, width): the planes before the move."""
    columns: NDArray[np.int64]
    """(n,): the columns that were played."""
    best: NDArray[np.float32]
    """(n,): the network's largest output over open columns."""
    is_best: NDArray[np.bool_]
    """(n,): whether the column with this output was played."""
    won: NDArray[np.bool_]
    """(n,): whether the move won."""
    over: NDArray[np.bool_]
    """(n,): whether the move ended the game."""


class SelfPlayCourse(NetworkCourse):
    """The training of a network on its own games.

    :class:`c4core.models.torch.networks.ColumnNetwork` describes the sizes.

    Args:
        games: the number of games in an epoch.
        batch: the number of moves in a step.
        rate: Adam's learning rate.
    """

    kind: ClassVar[str] = "selfplay"

    def __init__(
        self,
        *,
        board: BoardSize = DEFAULT_BOARD,
        channels: int = 64,
        layers: int = 1,
        hidden: int = 128,
        games: int = 2048,
        batch: int = 512,
        rate: float = 0.001,
        seed: int = 0,
    ) -> None:
        settings = {"seed": seed, "games": games, "batch": batch, "rate": rate}
        architecture = {"channels": channels, "layers": layers, "hidden": hidden}
        super().__init__(board, architecture, settings)

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Play games, learn from them, and test the network against the opponents."""
        random = max(RANDOM_AT_LAST, RANDOM_AT_FIRST * RANDOM_DECAY ** (number - 1))
        chance = np.random.default_rng(self.seed_of(number))
        games, moves, loss = self.settings["games"], 0, 0.0
        for done in range(0, games, SIDE_BY_SIDE):
            tell(done, games)
            played = self._play(min(SIDE_BY_SIDE, games - done), random, chance)
            moves += sum(len(each.columns) for each in played)
            loss += self._learn_from(played, chance)
        figures = {"random_moves": random, "moves": moves / games, "loss": loss / moves}
        for opponent in OPPONENTS:
            share = win_share(
                self.network,
                self.kind,
                opponent,
                games=TEST_GAMES,
                seed=self.seed_of(number),
                board=self.board,
            )
            figures[f"won_{opponent}"] = share
        return figures

    def _play(self, n: int, random: float, chance: np.random.Generator) -> list[_Moves]:
        """Play n games, and return their moves ply by ply."""
        games = Games(self.board, n)
        played = []
        self.network.eval()
        while len(games):
            planes, is_open = games.planes, games.is_open
            with torch.inference_mode():
                worth = self.network(torch.from_numpy(planes).float()).numpy()
            worth = np.where(is_open, worth, -np.inf)
            best = worth.argmax(axis=1)
            drawn = np.where(is_open, chance.random(is_open.shape), -1.0).argmax(axis=1)
            columns = np.where(chance.random(len(best)) < random, drawn, best)
            won, over = games.play(columns)
            rows = np.arange(len(best))
            played.append(_Moves(planes, columns, worth[rows, best], columns == best, won, over))
        return played

    def _learn_from(self, played: list[_Moves], chance: np.random.Generator) -> float:
        """Learn the worth of the played columns, and return the sum of squared errors."""
        targets = worth_of_moves(played)
        planes = torch.from_numpy(np.concatenate([moves.planes for moves in played]))
        columns = torch.from_numpy(np.concatenate([moves.columns for moves in played]))
        worth = torch.from_numpy(np.concatenate(targets))
        order = torch.from_numpy(chance.permutation(len(columns)))
        self.network.train()
        total = 0.0
        for batch in torch.split(order, self.settings["batch"]):
            seen, at = planes[batch].float(), columns[batch]
            if chance.random() < 0.5:  # noqa: PLR2004 (mirror about half of the steps)
                seen, at = seen.flip(-1), self.board.width - 1 - at
            outputs = self.network(seen).gather(1, at.unsqueeze(1)).squeeze(1)
            loss = functional.mse_loss(outputs, worth[batch])
            self.learn(loss)
            total += loss.item() * len(batch)
        return total


def worth_of_moves(played: list[_Moves]) -> list[NDArray[np.float32]]:
    """The worth of every move for the side that made it, by the rule in the module's docstring.

    The moves are in the order of :meth:`SelfPlayCourse._play`: ply by ply, and in each ply in the
    order of the games that are not over.
    """
    found: list[NDArray[np.float32]] = []
    later: NDArray[np.float32] = np.empty(0, dtype=np.float32)
    for index in reversed(range(len(played))):
        moves = played[index]
        worth = moves.won.astype(np.float32)
        if index + 1 < len(played):
            after = played[index + 1]
            trace = np.where(after.is_best | (later > after.best), np.float32(TRACE), 0)
            worth[~moves.over] = -DISCOUNT * (trace * later + (1 - trace) * after.best)
        found.append(worth)
        later = worth
    return found[::-1]


def win_share(
    network: nn.Module, kind: str, opponent: str, *, games: int, seed: int, board: BoardSize
) -> float:
    """The share of games that a network of this kind wins; ``opponent`` is a description.

    The network moves first in every other game.
    """
    network.eval()
    won = 0
    with parse_player(opponent).make() as other:
        for number in range(games):
            side = "xo"[number % 2]
            dice = Dice(game_seed(seed, number))
            position = Position(width=board.width, height=board.height)
            while not position.is_over:
                own = position.turn == side
                position = position.play(
                    choose_column(network, kind, position) if own else other.choose(position, dice)
                )
            won += position.winner == side
    return won / games
