"""Final grids of games to learn from: played here, or read from a file or from the database.

In Brewer 2017 the first player is drawn, so that either kind of stone may have moved first. Here
the first player always has ``x``, and the kind of its stones is drawn when the grids are made.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from c4core.arena.file_formats import read_csv_games
from c4core.arena.game import game_seed, play_game
from c4core.errors import DatasetError
from c4core.lines import BadLine
from c4core.models.evaluator import grids_of_planes, input_planes
from c4core.notation import DEFAULT_BOARD
from c4core.players import NO_PROGRAM, FinalGrids, Resources, parse_player
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.players import Consent

TOLD_GAMES = 500
"""``tell`` is called after every this many games."""


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Final grids and their labels."""

    grids: NDArray[np.int8]
    """(n, 1, height, width); see :mod:`c4core.models.evaluator`. Player 1's stones are 1."""
    won: NDArray[np.bool_]
    """(n,): whether player 1 has won; if not, it has lost, or the game was drawn."""
    board: BoardSize
    """The size of all grids."""

    def __len__(self) -> int:
        """Games."""
        return len(self.won)

    @property
    def fingerprint(self) -> str:
        """A checksum of all grids and labels."""
        digest = hashlib.sha256(self.grids.tobytes())
        digest.update(self.won.tobytes())
        return digest.hexdigest()[:16]


def play_finals(
    games: int,
    *,
    player: str = "set",
    opponent: str = "set",
    seed: int = 0,
    board: BoardSize = DEFAULT_BOARD,
    tell: Callable[[int], object] = lambda _games: None,
    programs: Consent = NO_PROGRAM,
) -> FinalGrids:
    """Play games and keep their final grids.

    Args:
        games: the number of games.
        player: the description of the first player.
        opponent: the description of the second player.
        seed: the seed of all games.
        board: the board's size.
        tell: called now and then with the number of games so far.
        programs: the programs that may be started as players.

    Raises:
        PlayerError: a description cannot be read.
        ProgramRefusedError: a player is a program that may not be started.
        DatasetError: a player failed, so that a game was not played to the end.
    """
    start = Position(width=board.width, height=board.height)
    finals = []
    resources = Resources(programs=programs)
    with (
        parse_player(player).make(resources) as first,
        parse_player(opponent).make(resources) as second,
    ):
        for number in range(games):
            record = play_game(first, second, seed=game_seed(seed, number), start=start)
            if record.is_forfeit:
                raise DatasetError(f"game {number}: {record.detail}", path=f"{player} - {opponent}")
            finals.append(record.final())
            if number % TOLD_GAMES == 0:
                tell(number)
    tell(games)
    return FinalGrids.from_positions(finals)


def read_finals(stream: BinaryIO, *, name: str, board: BoardSize = DEFAULT_BOARD) -> FinalGrids:
    """Read a file of final grids in the format of Brewer 2017.

    Args:
        stream: the binary file.
        name: the name of the file, for messages.
        board: the board of all games.

    Raises:
        DatasetError: a line is not a finished game, or the file has no games.
    """
    finals = []
    for entry in read_csv_games(stream, board=board):
        if isinstance(entry, BadLine):
            raise DatasetError(f"{name}, line {entry.line}: {entry.error}", path=name)
        finals.append(entry.final)
    if not finals:
        raise DatasetError(f"{name} has no games", path=name)
    return FinalGrids.from_positions(finals)


def labelled(finals: FinalGrids, *, seed: int) -> Labelled:
    """Label final grids: draw which player is player 1, and leave out repeated grids.

    Args:
        finals: the last positions of finished games.
        seed: the seed of the draws.
    """
    first, second, winner = finals.words()
    is_second = np.random.default_rng(seed).integers(0, 2, len(finals), dtype=np.int8).astype(bool)
    own, other = np.where(is_second, second, first), np.where(is_second, first, second)
    won = np.where(is_second, -winner, winner) == 1
    # Two words determine the grid, and the grid determines the winner.
    pairs = np.stack([own, other], axis=1)
    _, chosen = np.unique(pairs, axis=0, return_index=True)
    chosen.sort()
    width, height = finals.board
    own, other = own[chosen], other[chosen]
    planes = input_planes(own, np.bitwise_or(own, other), width=width, height=height, planes=2)
    return Labelled(grids_of_planes(planes), won[chosen], finals.board)
