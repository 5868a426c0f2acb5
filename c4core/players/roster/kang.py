"""``minimax-features`` and ``minimax-squares``: the two heuristics of one study."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated

from c4core.dice import Dice
from c4core.players.heuristics import FEATURES_LIMIT
from c4core.players.minimax import Found, minimax
from c4core.players.player import NO_LIMITS, Limits, Player, columns_from_centre
from c4core.players.registry import player
from c4core.players.stopping import Stop
from c4core.players.values import Digits, Whole
from c4core.position import Position

SOURCE = "Kang, Wang, Hu 2019"

SQUARES_WIN = 1_000_000
RANDOM_EVERY = 3
RANDOM_AMONG = 2


@dataclass(frozen=True, kw_only=True)
class _Studied(Player):
    """The common base of both players."""

    depth: Annotated[int, Whole(1, 12, is_shown=True), "plies looked ahead"] = 4
    random_move: Annotated[
        bool, "whether every third own move is drawn from the two best columns"
    ] = False

    @property
    def is_random(self) -> bool:
        """Whether its moves depend on the dice."""
        return self.random_move

    @abstractmethod
    def search(
        self, position: Position, *, all_scores: bool = False, stop: Stop | None = None
    ) -> Found:
        """The best column, its value, and the scores of all columns."""

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        own_move = position.ply // 2 + 1
        if not (self.random_move and own_move % RANDOM_EVERY == 0):
            return self.search(position, stop=limits.stop).column
        scores = self.search(position, all_scores=True, stop=limits.stop).scores or ()

        def value(column: int) -> int:
            return scores[column] or 0

        open_columns = [
            column for column in columns_from_centre(position.width) if position.is_legal(column)
        ]
        return dice.pick(sorted(open_columns, key=value, reverse=True)[:RANDOM_AMONG])


@player("minimax-features", source=SOURCE)
class MinimaxFeatures(_Studied):
    """Alpha-beta by connected fours, threes, twos and single stones."""

    features: Annotated[
        str, Digits("1234"), "what is looked at: 1 fours, 2 threes, 3 twos, 4 single stones"
    ] = "1234"

    def search(
        self, position: Position, *, all_scores: bool = False, stop: Stop | None = None
    ) -> Found:
        """The best column, its value, and the scores of all columns."""
        return minimax(
            position,
            heuristic="features",
            depth=self.depth,
            order=columns_from_centre(position.width),
            # Without the first feature a win counts only by the other features.
            win=FEATURES_LIMIT if "1" in self.features else 0,
            wins_at_once="1" in self.features,
            all_scores=all_scores,
            stop=stop,
            features=self.features,
        )


@player("minimax-squares", source=SOURCE)
class MinimaxSquares(_Studied):
    """Alpha-beta by the number of lines that run through the squares of all stones."""

    def search(
        self, position: Position, *, all_scores: bool = False, stop: Stop | None = None
    ) -> Found:
        """The best column, its value, and the scores of all columns."""
        return minimax(
            position,
            heuristic="squares",
            depth=self.depth,
            order=columns_from_centre(position.width),
            win=SQUARES_WIN,
            wins_at_once=True,
            all_scores=all_scores,
            stop=stop,
        )
