"""Players that search a few plies ahead by minimax, each with the heuristic of its source.

``greedy``, ``alphabeta``, ``pvs`` and ``minimax-windows`` value lines with two or three stones.
``minimax-runs`` values runs that can still become four, and ``minimax-threats`` odd and even
threats. ``minimax-features`` and ``minimax-squares`` have the two heuristics of one study.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from c4core.dice import Dice
from c4core.players.errors import PlayerError
from c4core.players.heuristics import FEATURES_LIMIT
from c4core.players.minimax import Found, minimax
from c4core.players.parameters import Digits, Whole
from c4core.players.player import NO_LIMITS, Limits, Player, columns_from_centre, nearest_to_centre
from c4core.players.registry import player
from c4core.players.stopping import Stop
from c4core.position import Position

QIU: Final = "Qiu, Wang, Xu 2022"
KANG: Final = "Kang, Wang, Hu 2019"

WIN: Final = 1_000_000
"""The value of a won game. It exceeds every value of the heuristics other than ``features``."""

THREATS_WIN: Final = 10_000
"""The value of a won game for ``minimax-threats``."""

RANDOM_EVERY: Final = 3
"""The interval of random moves with ``random_move``, in the player's own moves."""

RANDOM_AMONG: Final = 2
"""The number of best columns from which a random move is drawn."""


@player("greedy", source=QIU)
class Greedy(Player):
    """Plays the best position after one move, near the middle; ignores the replies."""

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        found = minimax(
            position,
            heuristic="windows",
            depth=1,
            order=columns_from_centre(position.width),
            win=WIN,
            all_scores=True,
        )
        best = (column for column, score in enumerate(found.scores or ()) if score == found.value)
        return dice.pick(nearest_to_centre(best, position.width))


@dataclass(frozen=True, kw_only=True)
class _Windowed(Player):
    """Base class of ``alphabeta`` and ``pvs``."""

    depth: Annotated[int, Whole(1, 20, is_shown=True), "plies looked ahead"] = 4

    pvs: ClassVar[bool]

    def search(self, position: Position, stop: Stop | None = None) -> Found:
        """Search for the best column."""
        return minimax(
            position,
            heuristic="windows",
            depth=self.depth,
            order=columns_from_centre(position.width),
            win=WIN,
            pvs=self.pvs,
            wins_at_once=True,
            stop=stop,
        )

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        return self.search(position, limits.stop).column


@player("alphabeta", source=QIU)
class AlphaBeta(_Windowed):
    """Alpha-beta by lines with two or three stones, middle columns first."""

    pvs = False


@player("pvs", source=QIU)
class Pvs(_Windowed):
    """Like alphabeta, but with null windows after the first move."""

    pvs = True


@player("minimax-windows", source="Huang, Lu 2025")
class MinimaxWindows(Player):
    """Alpha-beta by lines with two or three stones; ties are broken at random."""

    depth: Annotated[int, Whole(1, 20, is_shown=True), "plies looked ahead"] = 3
    randomize_order: Annotated[
        bool, "whether columns are tried in random order; otherwise from left to right"
    ] = True

    @property
    def is_random(self) -> bool:
        return self.randomize_order

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        columns = range(position.width)
        return minimax(
            position,
            heuristic="windows",
            depth=self.depth,
            # Below the root, the order changes no value, so the order with most cutoffs is used.
            order=columns_from_centre(position.width),
            root_order=dice.shuffled(columns) if self.randomize_order else columns,
            win=WIN,
            wins_at_once=True,
            stop=limits.stop,
        ).column


@player("minimax-runs", source="Ivison 2019")
class MinimaxRuns(Player):
    """Alpha-beta with iterative deepening, by the length of runs that can still become four."""

    time_ms: Annotated[int | None, Whole(1, 3_600_000), "milliseconds for a move"] = 950
    max_depth: Annotated[int, Whole(1, 64, is_shown=True), "maximum plies looked ahead"] = 20
    alpha_beta: Annotated[bool, "whether branches are cut off; the values stay the same"] = True
    order: Annotated[Literal["center", "left"], "which columns are tried first and win ties"] = (
        "center"
    )

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        width = position.width
        return minimax(
            position,
            heuristic="runs",
            depth=self.max_depth,
            order=columns_from_centre(width) if self.order == "center" else range(width),
            win=WIN,
            prunes=self.alpha_beta,
            deepens=True,
            seconds=limits.at_most(None if self.time_ms is None else self.time_ms / 1000),
            stop=limits.stop,
        ).column


@player("minimax-threats", source="Friedman, Bhamidipati 2016")
class MinimaxThreats(Player):
    """Alpha-beta with iterative deepening, by lines in one colour and odd and even threats."""

    time_ms: Annotated[int | None, Whole(1, 3_600_000), "milliseconds for a move"] = 500
    max_depth: Annotated[int | None, Whole(1, 64, is_shown=True), "maximum plies looked ahead"] = (
        None
    )
    eval: Annotated[
        Literal["groups", "threats", "both"],
        "heuristic for positions where the search ends",
    ] = "both"
    ordering: Annotated[
        Literal["both", "static", "killer", "none"],
        "which moves are tried first: near the middle (static), the ply's last best one (killer)",
    ] = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.time_ms is None and self.max_depth is None:
            raise PlayerError(
                "player minimax-threats: set time_ms or max_depth, or both",
                player=self.kind.name,
                parameter="max_depth",
            )

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        killer_moves = self.ordering in ("both", "killer")
        return minimax(
            position,
            heuristic=self.eval,
            depth=self.max_depth or position.board.cells,
            order=columns_from_centre(position.width)
            if self.ordering in ("both", "static")
            else range(position.width),
            win=THREATS_WIN,
            killer_moves=killer_moves,
            deepens=True,
            keep_answer_if_lost=True,
            # With killer moves, the answer is tried first at each depth, so a win stays the answer.
            stop_when_decided=killer_moves,
            seconds=limits.at_most(None if self.time_ms is None else self.time_ms / 1000),
            stop=limits.stop,
        ).column


@dataclass(frozen=True, kw_only=True)
class _Studied(Player):
    """Base class of ``minimax-features`` and ``minimax-squares``."""

    depth: Annotated[int, Whole(1, 12, is_shown=True), "plies looked ahead"] = 4
    random_move: Annotated[
        bool, "whether every third own move is drawn from the two best columns"
    ] = False

    @property
    def is_random(self) -> bool:
        return self.random_move

    @abstractmethod
    def search(
        self, position: Position, *, all_scores: bool = False, stop: Stop | None = None
    ) -> Found:
        """Search for the best column; with ``all_scores``, also score all columns."""

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
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


@player("minimax-features", source=KANG)
class MinimaxFeatures(_Studied):
    """Alpha-beta by connected fours, threes, twos and single stones."""

    features: Annotated[
        str, Digits("1234"), "features that count: 1 fours, 2 threes, 3 twos, 4 single stones"
    ] = "1234"

    def search(
        self, position: Position, *, all_scores: bool = False, stop: Stop | None = None
    ) -> Found:
        """Search for the best column; with ``all_scores``, also score all columns."""
        return minimax(
            position,
            heuristic="features",
            depth=self.depth,
            order=columns_from_centre(position.width),
            # Without the first feature, a win counts only by the other features.
            win=FEATURES_LIMIT if "1" in self.features else 0,
            wins_at_once="1" in self.features,
            all_scores=all_scores,
            stop=stop,
            features=self.features,
        )


@player("minimax-squares", source=KANG)
class MinimaxSquares(_Studied):
    """Alpha-beta by the number of lines through the squares of all stones."""

    def search(
        self, position: Position, *, all_scores: bool = False, stop: Stop | None = None
    ) -> Found:
        """Search for the best column; with ``all_scores``, also score all columns."""
        return minimax(
            position,
            heuristic="squares",
            depth=self.depth,
            order=columns_from_centre(position.width),
            win=WIN,
            wins_at_once=True,
            all_scores=all_scores,
            stop=stop,
        )
