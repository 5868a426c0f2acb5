"""The players that are trained models: networks of PyTorch, and engines.

The first move of a network imports PyTorch. An engine plays without it. The players are here and
not in c4core/players/roster because models are trained by games, so they import the players.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar

from c4core.dice import Dice
from c4core.extras import LEARN, require
from c4core.models.engines import SHIPPED, load_engine, named_file, shipped_file
from c4core.models.evaluator import Evaluator, search_column
from c4core.models.files import FINGERPRINT_DIGITS, Model, read_model
from c4core.models.kinds import LearningMissingError, ModelError
from c4core.notation import BoardSize
from c4core.players.costs import Cost
from c4core.players.errors import (
    Failing,
    PlayerError,
    PlayerFailure,
    PlayerMissingError,
    is_exhaustion,
)
from c4core.players.parameters import Checksum, FileName, Value, Whole
from c4core.players.player import NO_LIMITS, GameStart, Limits, Player
from c4core.players.registry import player
from c4core.position import Position

Loaded = TypeVar("Loaded")


@dataclass(frozen=True, kw_only=True)
class LearningPlayer(Player):
    """A player that is a model in a file.

    The description includes the fingerprint of the weights. So a stored game tells which model
    played it, and after more training the same file is another player.
    """

    model: Annotated[str, FileName(), "the model's file, as c4 learn train writes it"] = ""
    weights: Annotated[
        str | None,
        Checksum(FINGERPRINT_DIGITS),
        "the weights it must have; none: any, and says which",
    ] = None

    learned: ClassVar[str]
    """The kind of its model."""
    with_pytorch: ClassVar[bool] = True
    """Whether PyTorch is needed to play."""
    reads_files = True

    def __post_init__(self) -> None:
        """Check the file.

        Raises:
            PlayerMissingError: the packages that learning needs are not installed.
            PlayerError: the file is not a model of this kind, or has other weights.
        """
        super().__post_init__()
        found = self._read().fingerprint
        if self.weights is None:
            object.__setattr__(self, "weights", found)  # the only change of a frozen player
        elif self.weights != found:
            raise self._error(f"{self.model} has the weights {found}", parameter="weights")

    @classmethod
    def is_shipped(cls, values: Mapping[str, Value]) -> bool:
        """Whether the model comes with c4."""
        return values.get("model") == SHIPPED and shipped_file(cls.learned).is_file()

    def check_board(self, board: BoardSize) -> None:
        """Check the file again.

        Raises:
            PlayerError: its network plays on another board, or the file can no longer be read.
        """
        known = self._read().board
        if board != known:
            raise self._error(self._elsewhere(known, board))

    def begin(self, game: GameStart) -> None:
        """Load the network, which may take longer than a move is allowed to.

        Raises:
            PlayerFailure: the file can no longer be read, or the network plays on another board.
        """
        self._choose_on(Position(width=game.board.width, height=game.board.height))

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play.

        Raises:
            PlayerFailure: the file can no longer be read, or the network plays on another board.
        """
        return self._choose_on(position)

    def _choose_on(self, position: Position) -> int:
        from c4core.models.torch.playing import choose_column, load_network  # noqa: PLC0415 (optional)

        network, board = self._loaded(load_network)
        self._check_known(board, position.board)
        return choose_column(network, self.learned, position)

    def _loaded(self, load: Callable[[str, str], Loaded]) -> Loaded:
        """What a function makes of the file."""
        try:
            return load(str(self._path), str(self.weights))
        except (ModelError, OSError) as error:
            if is_exhaustion(error):
                raise
            raise PlayerFailure(Failing.ERROR, str(error)) from None

    def _check_known(self, known: BoardSize, board: BoardSize) -> None:
        """Check that the model plays on a board."""
        if board != known:
            raise PlayerFailure(Failing.ERROR, self._elsewhere(known, board))

    def _elsewhere(self, known: BoardSize, board: BoardSize) -> str:
        return f"{self.model} plays on {known}, not on {board}"

    @property
    def _path(self) -> Path:
        return named_file(self.model, self.learned)

    def _read(self) -> Model:
        """The content of the file."""
        try:
            if self.with_pytorch:
                require(LEARN, LearningMissingError)
            found = read_model(self._path)
        except LearningMissingError as error:
            raise PlayerMissingError(
                f"player {self.kind.name}: {error}", player=self.kind.name
            ) from None
        except OSError as error:
            raise self._error(f"{self.model}: {error.strerror}") from None
        except ModelError as error:
            raise self._error(str(error)) from None
        if found.kind != self.learned:
            raise self._error(f"{self.model} is a model of kind {found.kind}, not {self.learned}")
        return found

    def _error(self, message: str, *, parameter: str = "model") -> PlayerError:
        return PlayerError(
            f"player {self.kind.name}: {message}", player=self.kind.name, parameter=parameter
        )


@dataclass(frozen=True, kw_only=True)
class EnginePlayer(LearningPlayer):
    """A player whose model an engine plays, without PyTorch."""

    with_pytorch = False

    def begin(self, game: GameStart) -> None:
        """Read the file, which may take longer than a move is allowed to.

        Raises:
            PlayerFailure: the file can no longer be read, or the model plays on another board.
        """
        self._engine(game.board)

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play.

        Raises:
            PlayerFailure: the file can no longer be read, or the model plays on another board.
        """
        return self._engine(position.board).choose(position)

    def _engine(self, board: BoardSize) -> Evaluator:
        """The engine of its model, for a board."""
        engine = self._loaded(load_engine)
        self._check_known(engine.board, board)
        return engine


@dataclass(frozen=True, kw_only=True)
class SearchingPlayer(EnginePlayer):
    """A player that searches some plies and asks its model where the search ends."""

    depth: Annotated[
        int,
        Whole(1, 12, is_shown=True),
        Cost(seconds=3e-4, growth=3),
        "plies looked ahead",
    ] = 4

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play.

        Raises:
            PlayerFailure: the file can no longer be read, or the model plays on another board.
            StopPlaying: the stop was set before the end of the search.
        """
        engine = self._engine(position.board)
        return search_column(engine, position, depth=self.depth, stop=limits.stop)[0]


_Shipped = Annotated[str, FileName(), "the model's file; shipped: the one that comes with c4"]


@player("learning-cnn", source="Brewer 2017")
class LearningCnn(LearningPlayer):
    """Plays what looks most like the end of a game that it has won, to a network."""

    learned = "cnn"


@player("learning-exact", source="this project, by exact labels")
class LearningExact(LearningPlayer):
    """Plays the column that a network trained on exact scores takes for best."""

    learned = "exact"


@player("learning-selfplay", source="Brewer 2017, as future work")
class LearningSelfplay(LearningPlayer):
    """Plays the column that a network trained by its own games values most."""

    learned = "selfplay"


@player("learning-residual", source="this project, by exact labels")
class LearningResidual(EnginePlayer):
    """Plays the column that a network which sees threats takes for best; needs no PyTorch."""

    model: _Shipped = SHIPPED
    learned = "residual"


@player("learning-tuples", source="Thill, Koch, Konen 2012")
class LearningTuples(EnginePlayer):
    """Plays by sums of table entries for tuples of squares, trained on exact scores; no PyTorch."""

    learned = "tuples"


@player("learning-residual-search", source="this project, by exact labels")
class LearningResidualSearch(SearchingPlayer):
    """Alpha-beta, some plies deep, by the values of the network of learning-residual."""

    model: _Shipped = SHIPPED
    learned = "residual"


@player("learning-tuples-search", source="Thill, Koch, Konen 2012")
class LearningTuplesSearch(SearchingPlayer):
    """Alpha-beta, some plies deep, by the values of the tables of learning-tuples."""

    learned = "tuples"
