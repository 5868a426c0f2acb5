"""``Player`` chooses a column in a position; ``PlayerKind`` and ``PlayerSpec`` describe a player.

A player is immutable: its class defines how it plays, and its fields are its parameters. It keeps
no state between moves, so the same object can play both sides and many games at once. For each move
it gets the dice for its random choices. Players with a process of their own are the exception:
``begin`` and ``end`` announce each game to them, and they must be closed.

A description is ``NAME`` or ``NAME:parameter=value,parameter=value``. Instead of parameters, some
players take an argument that is not parsed (``exec:COMMAND``).

A caller provides ``Resources`` for players, such as exact scores. One of them is ``Consent``, which
decides which programs may be started.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, Self

from c4core.players.errors import PlayerError, ProgramRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from c4core.dice import Dice
    from c4core.evaluation import Analysis
    from c4core.notation import BoardSize
    from c4core.players.parameters import Parameter, Value
    from c4core.players.stopping import Stop
    from c4core.position import Position, Side


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a move."""

    seconds: float | None = None
    """Wall-clock seconds; None for no limit."""
    grace: float = 0.0
    """Seconds by which a move may exceed its limit, because messages to a process take time."""
    stop: Stop | None = field(default=None, compare=False, repr=False)
    """The stop signal, which is set when the move is no longer needed; None without a signal."""

    def at_most(self, seconds: float | None) -> float | None:
        """Return the smaller of this limit and another one in seconds; None means no limit."""
        if self.seconds is None or seconds is None:
            return self.seconds if seconds is None else seconds
        return min(self.seconds, seconds)


NO_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class GameStart:
    """The information that a player gets before the first move."""

    board: BoardSize
    """The board's size."""
    side: Side
    """The player's side."""
    seed: int
    """The seed of the player's random choices."""
    stop: Stop | None = field(default=None, compare=False, repr=False)
    """The stop signal, set when the player is no longer needed; None without a signal."""


class Player(ABC):
    """Chooses a column in any position, for either side."""

    kind: ClassVar[PlayerKind]
    """The player's entry in the registry."""
    reads_files: ClassVar[bool] = False
    """Whether players of this kind read files; see :meth:`is_shipped`."""
    is_program: ClassVar[bool] = False
    """Whether this player starts a program, which needs consent."""

    @classmethod
    def is_shipped(cls, values: Mapping[str, Value]) -> bool:  # noqa: ARG003
        """Whether the files in a description are included in c4.

        Args:
            values: the values of the parameters by name, or of ``argument``.
        """
        return False

    def __post_init__(self) -> None:
        """Check the parameters.

        Raises:
            PlayerError: a value is not allowed.
        """
        self.kind.check(self)

    @abstractmethod
    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """Return the 0-based column to play.

        Args:
            position: a position that is not over; the player plays the side to move.
            dice: the source of all random choices: the same draws give the same move.
            limits: the limits of this move. A player that may take longer than a tenth of a second
                regularly checks whether ``limits.stop`` is set.

        Raises:
            PlayerFailure: the player cannot continue this game.
            StopPlaying: the stop signal was set before the player had a move.
        """

    @property
    def is_random(self) -> bool:
        """Whether the player's moves depend on the dice."""
        return False

    def check_board(self, board: BoardSize) -> None:  # noqa: B027  (most play on all boards)
        """Check that the player plays on a board, before a game is planned.

        Raises:
            PlayerError: the player does not play on this board.
        """

    def begin(self, game: GameStart) -> None:  # noqa: B027  (most players do nothing)
        """Prepare for a new game.

        Raises:
            PlayerFailure: the player cannot take part.
            StopPlaying: the game's stop signal was set before the player was ready.
        """

    def end(self, result: str) -> None:  # noqa: B027
        """End a game. The result is ``"win"``, ``"loss"`` or ``"draw"`` for this player."""

    def abandon(self) -> None:  # noqa: B027
        """Stop the player's work at once, without waiting; :meth:`close` follows."""

    def close(self) -> None:  # noqa: B027
        """Release the player's resources. A later game may use the player again."""

    def __enter__(self) -> Self:
        """Use the player in a ``with`` statement, which closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        """Return the player's description, for :func:`c4core.players.parse_player`."""
        return self.kind.spec_of(self).text


def columns_from_centre(width: int) -> tuple[int, ...]:
    """Return all columns by distance from the middle, left before right: 3, 2, 4, 1, 5, 0, 6."""
    return tuple(sorted(range(width), key=lambda column: (abs(2 * column - (width - 1)), column)))


def nearest_to_centre(columns: Iterable[int], width: int) -> list[int]:
    """Return the one or two of these columns that are nearest to the middle."""
    distances = {column: abs(2 * column - (width - 1)) for column in columns}
    return [column for column in distances if distances[column] == min(distances.values())]


def sides_of(position: Position) -> tuple[Side, Side]:
    """Return the side to move and its opponent."""
    return ("x", "o") if position.turn == "x" else ("o", "x")


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A player of the registry."""

    name: str
    """The player's name in descriptions."""
    source: str
    """The first publication that describes the player."""
    summary: str
    """One line on how the player plays."""
    argument: str | None
    """The name of the argument, if the player takes one instead of parameters."""
    parameters: tuple[Parameter, ...]
    """The player's parameters, in order."""
    resources: tuple[str, ...] = field(repr=False)
    """The fields that are filled from the caller's resources."""
    cls: type[Player] = field(repr=False)
    """The player's class."""

    @property
    def usage(self) -> str:
        """A description with every parameter and its default."""
        if self.argument is not None:
            return f"{self.name}:{self.argument}"
        defaults = (
            item.name.upper() if item.is_required else item.format(item.default)
            for item in self.parameters
        )
        return self._text(
            [f"{item.name}={text}" for item, text in zip(self.parameters, defaults, strict=True)]
        )

    @property
    def stands_alone(self) -> bool:
        """Whether the name alone is a complete description."""
        return self.argument is None and not any(item.is_required for item in self.parameters)

    def check(self, player: Player) -> None:
        """Check the values of a player's parameters.

        Raises:
            PlayerError: a value is not allowed.
        """
        for parameter in self.parameters:
            value = getattr(player, parameter.name)
            if not parameter.holds(value):
                raise self._value_error(parameter, repr(value))

    def read(self, text: str, *, checked: bool = True) -> PlayerSpec:
        """Read the part of a description after the name and the colon.

        Args:
            text: the part after the colon; empty if there is no colon.
            checked: as in :func:`c4core.players.parse_player`.

        Raises:
            PlayerError: a parameter is unknown, missing or wrong.
        """
        if self.argument is not None:
            return self._read_argument(text, checked=checked)
        values: dict[str, Value] = {item.name: item.default for item in self.parameters}
        given: set[str] = set()
        for part in text.split(",") if text else ():
            name, equals, value = (piece.strip() for piece in part.partition("="))
            parameter = self._find(name if equals else part.strip())
            if name in given:
                raise PlayerError(
                    f"player {self.name}: parameter {name} is given twice",
                    player=self.name,
                    parameter=name,
                )
            given.add(name)
            try:
                values[name] = parameter.parse(value)
            except ValueError:
                raise self._value_error(parameter, repr(value)) from None
        for parameter in self.parameters:
            if parameter.is_required and parameter.name not in given:
                raise PlayerError(
                    f"player {self.name} needs {parameter.name}: {self.usage}",
                    player=self.name,
                    parameter=parameter.name,
                )
        spec = PlayerSpec(self, tuple(values.values()))
        # The class checks the combination of parameters, and may fill some in.
        return self.spec_of(spec.make()) if checked else spec

    def spec_of(self, player: Player) -> PlayerSpec:
        """Return the description of a player."""
        if self.argument is not None:
            return PlayerSpec(self, (str(vars(player)["argument"]),))
        return PlayerSpec(self, tuple(getattr(player, item.name) for item in self.parameters))

    def _read_argument(self, text: str, *, checked: bool) -> PlayerSpec:
        if not text.strip():
            raise PlayerError(
                f"player {self.name} needs an argument: {self.usage}", player=self.name
            )
        spec = PlayerSpec(self, (text.strip(),))
        if checked:
            spec.make()
        return spec

    def _text(self, parts: list[str]) -> str:
        return f"{self.name}:{','.join(parts)}" if parts else self.name

    def _find(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(item.name for item in self.parameters) or "none"
        raise PlayerError(
            f"player {self.name} has no parameter {name!r} (it has: {known})",
            player=self.name,
            parameter=name,
        )

    def _value_error(self, parameter: Parameter, value: str) -> PlayerError:
        return PlayerError(
            f"player {self.name}: parameter {parameter.name} cannot be {value}: "
            f"it is {parameter.allowed}",
            player=self.name,
            parameter=parameter.name,
        )


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player's description: its kind and the value of every parameter."""

    kind: PlayerKind
    """The kind of player."""
    values: tuple[Value, ...]
    """The values in the order of the kind's parameters, or the argument."""

    @property
    def text(self) -> str:
        """The shortest description.

        Parameters with default values are left out, except a few that are always shown, such as a
        depth.
        """
        return self._written(everything=False)

    @property
    def full(self) -> str:
        """The description with every parameter. It stays valid when a default changes."""
        return self._written(everything=True)

    @property
    def needs_files(self) -> bool:
        """Whether the player needs files that are not included in c4."""
        return self.kind.cls.reads_files and not self.kind.cls.is_shipped(self._by_name)

    @property
    def _by_name(self) -> dict[str, Value]:
        if self.kind.argument is not None:
            return {"argument": self.values[0]}
        names = (parameter.name for parameter in self.kind.parameters)
        return dict(zip(names, self.values, strict=True))

    def make(self, resources: Resources | None = None) -> Player:
        """Make the player.

        Args:
            resources: a solver, stored games and consent to start programs, for the players that
                need them. A player that is a program can be made without consent, but cannot play.
        """
        given: dict[str, Any] = {}
        if resources is not None:
            given = {name: getattr(resources, name) for name in self.kind.resources}
        if self.kind.argument is not None:
            return self.kind.cls(*self.values, **given)
        return self.kind.cls(**self._by_name, **given)

    def _written(self, *, everything: bool) -> str:
        if self.kind.argument is not None:
            return f"{self.kind.name}:{self.values[0]}"
        return self.kind._text(  # noqa: SLF001  (its own module)
            [
                f"{parameter.name}={parameter.format(value)}"
                for parameter, value in zip(self.kind.parameters, self.values, strict=True)
                if everything
                or value != parameter.default
                or (parameter.values.is_shown and value is not None)
            ]
        )

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Consent:
    """The set of programs that have consent to play; it is empty by default.

    A player's description is data. An untrusted person may have written the file, the database or
    the message that contains it, and ``exec:``, ``kaggle:`` and ``python:`` name programs. Consent
    is therefore a value of its own. The caller passes it on, in :class:`Resources`, to the player
    that starts the process. No setting in a file or a message can give consent.
    """

    everything: bool = False
    """Whether all programs may be started: the user trusts the authors of all descriptions."""
    descriptions: frozenset[str] = frozenset()
    """The full descriptions of players that may be started."""

    @classmethod
    def to(cls, descriptions: Iterable[str]) -> Self:
        """Return consent to these players only, by their full descriptions."""
        return cls(descriptions=frozenset(descriptions))

    def covers(self, description: str) -> bool:
        """Whether a player with this full description may be started."""
        return self.everything or description in self.descriptions

    def check(self, description: str) -> None:
        """Check that a player may be started.

        Raises:
            ProgramRefusedError: the player may not be started.
        """
        if not self.covers(description):
            raise ProgramRefusedError(
                f"{description} is a program, and started only with --allow-programs",
                player=description.partition(":")[0],
            )


NO_PROGRAM: Final = Consent()
"""The default: no program may be started."""

ANY_PROGRAM: Final = Consent(everything=True)
"""Every program may be started."""


class Analyst(Protocol):
    """A source of the exact scores of all columns, such as a ``Solver``."""

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """Score every column."""


class FinalGames(Protocol):
    """Finished games that are known only by their final grids."""

    def tally(self, position: Position) -> Sequence[tuple[int, int, int] | None]:
        """Count, for each column, the games whose final grid has all stones after that move.

        Args:
            position: a position that is not over.

        Returns:
            For every column ``(games, wins of the side to move, draws)``; None for a full column.
        """


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources for the players that need them."""

    analyst: Analyst | None = None
    """The source of exact scores. Without it, the players that need scores share a solver, which
    uses the included book."""
    final_games: FinalGames | None = None
    """Finished games to look up."""
    programs: Consent = NO_PROGRAM
    """The programs that may be started as players."""
