"""Experiments and their findings; small samples of games and positions, without a database."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core import Position
from c4core.arena.game import play_game
from c4core.arena.seeds import game_seed
from c4core.arena.statistics import Tally
from c4core.dice import Dice
from c4core.players import parse_player
from cli.shell import signals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.players import Player


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of an experiment: a table, and a summary."""

    headings: str
    """Separated by ``|``. The first column holds words, the others numbers."""
    rows: list[str]
    """Rows of cells, separated by ``|``."""
    found: str
    """The summary, in sentences."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that a source describes."""

    name: str
    """The name on the command line."""
    title: str
    source: str
    """The claim of the source, in sentences."""
    sample: int
    """The number of games, or positions, for each row of the table."""
    run: Callable[[int, int], Finding]
    """Runs the experiment with the size of the sample and a seed."""


@dataclass(frozen=True, slots=True)
class Games:
    """Games of two players, from the view of one of them."""

    results: Tally
    different: int
    """Different final positions."""
    moves: int
    """Moves of both sides in all games."""
    won_moves: int
    """Moves in the games that the player won."""
    lost_moves: int
    """Moves in the games that the player lost."""
    seconds: float
    """Processor time."""

    @property
    def score(self) -> float:
        """Points a game, with half a point for a draw."""
        return self.results.score or 0.0

    @property
    def text(self) -> str:
        """Won, lost and drawn games."""
        return f"{self.results.wins}-{self.results.losses}-{self.results.draws}"

    def __add__(self, other: Games) -> Games:
        """Both together; a final position of both counts twice."""
        return Games(
            self.results + other.results,
            self.different + other.different,
            self.moves + other.moves,
            self.won_moves + other.won_moves,
            self.lost_moves + other.lost_moves,
            self.seconds + other.seconds,
        )

    def reversed(self) -> Games:
        """The same games, from the view of the other player."""
        return Games(
            self.results.reversed(),
            self.different,
            self.moves,
            self.lost_moves,
            self.won_moves,
            self.seconds,
        )


def play(a: Player, b: Player, games: int, seed: int, *, starts: Sequence[Position] = ()) -> Games:
    """Games in which A moves first, from the starts in turn; none: from the empty board."""
    began = time.process_time()
    records = []
    for number in range(games):
        signals.check()
        start = starts[number % len(starts)] if starts else None
        records.append(play_game(a, b, seed=game_seed(seed, number), start=start))
    seconds = time.process_time() - began
    won = [record.length for record in records if record.winner == "x"]
    lost = [record.length for record in records if record.winner == "o"]
    return Games(
        Tally(len(won), len(lost), games - len(won) - len(lost)),
        len({record.final().key for record in records}),
        sum(record.length for record in records),
        sum(won),
        sum(lost),
        seconds,
    )


def play_both(
    a: Player, b: Player, games: int, seed: int, *, starts: Sequence[Position] = ()
) -> Games:
    """Games of which half begin with B, from the view of A."""
    first = play(a, b, games - games // 2, seed, starts=starts)
    return first + play(b, a, games // 2, seed + 1, starts=starts).reversed()


def made(description: str) -> Player:
    """The player of a description."""
    return parse_player(description).make()


def random_positions(count: int, *, plies: range, seed: int) -> list[Position]:
    """Positions of random games that are not over, with these numbers of stones in turn."""
    dice = Dice(seed)
    positions: list[Position] = []
    while len(positions) < count:
        position = Position()
        for _ in range(plies[len(positions) % len(plies)]):
            if not position.is_over:
                position = position.play(dice.pick(position.legal_columns()))
        if not position.is_over:
            positions.append(position)
    return positions
