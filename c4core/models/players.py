"""Players that use trained models, and the included models.

The network of ``learning-cnn`` plays with PyTorch, which is imported for its first move. These
players are not in c4core/players/roster, because models are trained with games, so modules of
models import the players.
"""

import functools
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from c4core.dice import Dice
from c4core.errors import LearningMissingError, ModelError
from c4core.extras import LEARN, require
from c4core.models.files import FINGERPRINT_DIGITS, Model, read_model, read_unchanged
from c4core.models.residual import ResidualEngine, weight_shapes
from c4core.notation import BoardSize
from c4core.players.errors import (
    Failing,
    PlayerError,
    PlayerFailure,
    PlayerMissingError,
    is_exhaustion,
)
from c4core.players.parameters import Checksum, FileName, Value
from c4core.players.player import NO_LIMITS, GameStart, Limits, Player
from c4core.players.registry import player
from c4core.position import Position

SHIPPED: Final = "shipped"
"""The name of the included model, used instead of a file's name."""

_DIRECTORY: Final = Path(__file__).parents[1] / "data"

_KEPT: Final = 16


def shipped_file(kind: str) -> Path:
    """The file of the included model of a kind; it may not exist. The model plays on 7x6."""
    return _DIRECTORY / f"c4-7x6-{kind}.safetensors"


@functools.lru_cache
def named_file(name: str, kind: str) -> Path:
    """The file for a name: the included model of a kind for ``shipped``, otherwise a path."""
    return shipped_file(kind) if name == SHIPPED else Path(name)


@functools.lru_cache(maxsize=_KEPT)
def load_engine(path: str, fingerprint: str) -> ResidualEngine:
    """The engine of a file, which is read once. The weights must have the fingerprint."""
    return engine_of(read_unchanged(Path(path), fingerprint), Path(path))


def engine_of(model: Model, path: Path, *, kernel: str | None = None) -> ResidualEngine:
    """The engine of a residual network."""
    try:
        if model.kind != "residual":
            raise ValueError(f"a model of kind {model.kind} plays with PyTorch only")  # noqa: TRY301
        return _residual_engine(model, kernel=kernel)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ModelError(f"{path}: the engine cannot be made: {reason}") from None


def _residual_engine(model: Model, *, kernel: str | None) -> ResidualEngine:
    sizes = {name: model.architecture[name] for name in ("channels", "blocks", "hidden")}
    sizes["sides"] = model.architecture.get("sides", 1)
    for name, number in sizes.items():
        if type(number) is not int:
            raise TypeError(f"{name} cannot be {number!r:.80}")
    shapes = weight_shapes(model.board.height, **sizes)
    weights = {name: _inputs_first(model.weights[name]) for name in shapes}
    return ResidualEngine(board=model.board, weights=weights, kernel=kernel, **sizes)


def _inputs_first(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Reshape PyTorch's weights, (outputs, inputs, ...), to a matrix (inputs, outputs).

    The inputs are ordered by the last axis first. A vector of biases is returned unchanged.
    """
    return array.transpose().reshape(-1, array.shape[0]) if array.ndim > 1 else array


Loaded = TypeVar("Loaded")


@dataclass(frozen=True, kw_only=True)
class LearningPlayer(Player):
    """A player that is a model in a file.

    The description includes the fingerprint of the weights, so a stored game shows which model
    played it. After more training, the same file is a different player.
    """

    model: Annotated[str, FileName(), "the model's file, as c4 learn train writes it"] = ""
    weights: Annotated[
        str | None,
        Checksum(FINGERPRINT_DIGITS),
        "required fingerprint of the weights; none accepts any and records it",
    ] = None

    learned: ClassVar[str]
    with_pytorch: ClassVar[bool] = True
    reads_files = True

    def __post_init__(self) -> None:
        super().__post_init__()
        found = self._read().fingerprint
        if self.weights is None:
            object.__setattr__(self, "weights", found)  # the only change of a frozen player
        elif self.weights != found:
            raise self._error(f"{self.model} has the weights {found}", parameter="weights")

    @classmethod
    def is_shipped(cls, values: Mapping[str, Value]) -> bool:
        """Whether the model is included with c4."""
        return values.get("model") == SHIPPED and shipped_file(cls.learned).is_file()

    def check_board(self, board: BoardSize) -> None:
        """Check that the model plays on a board; this reads the file again."""
        known = self._read().board
        if board != known:
            raise self._error(self._elsewhere(known, board))

    def begin(self, game: GameStart) -> None:
        """Load the network, because loading may take longer than the time for a move."""
        self._choose_on(Position(board=game.board))

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        return self._choose_on(position)

    @abstractmethod
    def _choose_on(self, position: Position) -> int:
        """The column to play, after a check that the model plays on the board."""

    def _loaded(self, load: Callable[[str, str], Loaded]) -> Loaded:
        """Load the file with a function; raise PlayerFailure if it cannot be read."""
        try:
            return load(str(self._path), str(self.weights))
        except (ModelError, OSError) as error:
            if is_exhaustion(error):
                raise
            raise PlayerFailure(Failing.ERROR, str(error)) from None

    def _check_known(self, known: BoardSize, board: BoardSize) -> None:
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


_Shipped = Annotated[str, FileName(), "the model's file; shipped: the model included with c4"]


@player("learning-cnn", source="Brewer 2017")
class LearningCnn(LearningPlayer):
    """Plays the column after which the board looks to a network most like the end of a won game."""

    learned = "cnn"

    def _choose_on(self, position: Position) -> int:
        from c4core.models.torch.playing import choose_column, load_network  # noqa: PLC0415 (optional)

        network, board = self._loaded(load_network)
        self._check_known(board, position.board)
        return choose_column(network, position)


@player("learning-residual", source="this project, by exact labels")
class LearningResidual(LearningPlayer):
    """Plays the column that a network with threats as input rates best; runs without PyTorch."""

    model: _Shipped = SHIPPED
    learned = "residual"
    with_pytorch = False

    def _choose_on(self, position: Position) -> int:
        return self._engine(position.board).choose(position)

    def _engine(self, board: BoardSize) -> ResidualEngine:
        """The model's engine, after a check that it plays on the board."""
        engine = self._loaded(load_engine)
        self._check_known(engine.board, board)
        return engine
