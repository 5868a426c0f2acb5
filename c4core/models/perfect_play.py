"""Games of a player against perfect play, and the positions in which the player moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from c4core.evaluation import NO_SCORE
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.solver import Solver

    Scores = NDArray[np.int8]
    Choose = Callable[[Sequence[Position]], Sequence[int]]
    """Returns the column that a player plays in each position."""


@dataclass(frozen=True, slots=True)
class Played:
    """Games of a player against perfect play."""

    results: tuple[int, ...]
    """1, 0 or -1 for each game: the player wins, draws or loses."""
    lengths: tuple[int, ...]
    """The number of stones at the end of each game."""
    seen: frozenset[int]
    """The canonical keys of the positions in which the player moved."""
    wrong: frozenset[int]
    """The keys of the positions in which the player's column did not keep the result."""


class PerfectPlay:
    """Perfect play, which remembers all scores; it chooses among equal columns at random."""

    def __init__(self, board: BoardSize, solver: Solver) -> None:
        self.start = Position(board=board)
        self.scores: dict[int, Scores] = {}
        """The scores of all columns, by canonical key, in the canonical orientation."""
        self._solver = solver

    def play(
        self,
        choose: Choose,
        *,
        games: int,
        moves_first: bool,
        random: np.random.Generator,
        explore: float = 0.0,
    ) -> Played:
        """Play games, all at the same time, so that every position is asked for once.

        Args:
            choose: the player.
            games: the number of games.
            moves_first: whether the player moves first.
            random: chooses among equal columns, and explores.
            explore: the share of the player's moves that are replaced by any column that keeps the
                result. If it is above 0, a game ends at the player's first error.
        """
        alive = dict.fromkeys(range(games), self.start)
        ended: dict[int, tuple[int, int]] = {}
        seen, wrong = set[int](), set[int]()
        while alive:
            self._learn({position.canonical_key for position in alive.values()})
            is_player = (next(iter(alive.values())).ply % 2 == 0) == moves_first
            chosen: dict[int, int] = {}
            if is_player:
                asked = {position.key: position for position in alive.values()}
                chosen = dict(zip(asked, choose(list(asked.values())), strict=True))
            after: dict[int, Position] = {}
            for game, position in alive.items():
                scores = self._of(position)
                best = int(scores.max())
                if is_player:
                    column = chosen[position.key]
                    seen.add(position.canonical_key)
                    keeping = np.flatnonzero(
                        (scores != NO_SCORE) & (np.sign(scores) == np.sign(best))
                    )
                    if column not in keeping:
                        wrong.add(position.canonical_key)
                        if explore:
                            ended[game] = (int(np.sign(scores[column])), position.ply)
                            continue
                    if explore and random.random() < explore:
                        column = int(random.choice(keeping))
                else:
                    column = int(random.choice(np.flatnonzero(scores == best)))
                position = position.play(column)  # noqa: PLW2901
                if position.is_over:
                    won = 1 if is_player else -1
                    ended[game] = (0 if position.winner is None else won, position.ply)
                else:
                    after[game] = position
            alive = after
        results, lengths = zip(*(ended[game] for game in range(games)), strict=True)
        return Played(results, lengths, frozenset(seen), frozenset(wrong))

    def scores_of(self, keys: NDArray[np.uint64]) -> Scores:
        """(n, width): the scores of positions of the games, given by their canonical keys."""
        return np.array([self.scores[key] for key in keys.tolist()])

    def _learn(self, keys: set[int]) -> None:
        new = np.array(sorted(keys - self.scores.keys()), dtype=np.uint64)
        if len(new):
            found = self._solver.analyze_many(new, board=self.start.board)
            self.scores.update(zip(new.tolist(), found.scores, strict=True))

    def _of(self, position: Position) -> Scores:
        """The scores of a position's columns."""
        scores = self.scores[position.canonical_key]
        return scores if position.key == position.canonical_key else scores[::-1]
