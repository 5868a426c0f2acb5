"""The registry of players, which reads descriptions.

The decorator :func:`player` makes a class a player. The class is in a file in ``roster/``. All
files there are imported automatically, and so is the module of the players that use models.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, dataclass_transform

from c4core.players.errors import PlayerError
from c4core.players.parameters import parameters_of, resources_of
from c4core.players.player import Consent, PlayerKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.players.player import Player, PlayerSpec


class Level(NamedTuple):
    """A level: a simple name for a player."""

    player: str
    about: str


LEVELS: Final = {
    "beginner": Level("random", "Plays at random."),
    "easy": Level("set", "Completes and blocks fours; looks no further ahead."),
    "medium": Level("minimax-windows:depth=3", "Looks three moves ahead."),
    "hard": Level("mcts-uct:iterations=10000", "Simulates 10,000 games for each move."),
    "expert": Level("perfect:blunder=0.03", "Makes a mistake about once in 30 moves."),
}
"""The levels by name, in ``c4 play`` and on the page. Each is stronger than the one before, and the
player ``perfect`` is stronger than all of them. docs/players.md has the matches that show it.

The names easy, medium and hard are from Huang and Lu (2025). Their hard level,
``montecarlo-flat:simulations=500``, is not stronger than their medium one.
"""

_PlayerClass = TypeVar("_PlayerClass", bound="type[Player]")

_MODELS: Final = "c4core.models.players"
"""The module of the players that use models. It is not in the roster, because modules of models
import players to train and measure the models."""

_kinds: dict[str, PlayerKind] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True)
def player(name: str, *, source: str) -> Callable[[_PlayerClass], _PlayerClass]:
    """Make a class a player. Its fields become parameters, its docstring's first line the summary.

    Args:
        name: the player's name in descriptions.
        source: the first publication that describes the player.
    """

    def register(cls: _PlayerClass) -> _PlayerClass:
        dataclass(frozen=True, kw_only=True)(cls)
        _register(cls, name, source, None)
        return cls

    return register


@dataclass_transform(frozen_default=True)
def player_of_argument(
    name: str, argument: str, *, source: str
) -> Callable[[_PlayerClass], _PlayerClass]:
    """Make a class a player with an argument that is not parsed: its field ``argument``.

    Args:
        name: the player's name in descriptions.
        argument: the name of the argument in help texts.
        source: the first publication that describes the player.
    """

    def register(cls: _PlayerClass) -> _PlayerClass:
        dataclass(frozen=True)(cls)
        _register(cls, name, source, argument)
        return cls

    return register


def _register(cls: type[Player], name: str, source: str, argument: str | None) -> None:
    if name in _kinds or name in LEVELS:
        raise ValueError(f"two players are called {name}")
    kind = PlayerKind(
        name=name,
        source=source,
        summary=(inspect.getdoc(cls) or "").partition("\n")[0],
        argument=argument,
        parameters=parameters_of(cls) if argument is None else (),
        resources=resources_of(cls),
        cls=cls,
    )
    cls.kind = kind
    _kinds[name] = kind


def player_kinds() -> tuple[PlayerKind, ...]:
    """Return all registered players, sorted by name."""
    _load_roster()
    return tuple(_kinds[name] for name in sorted(_kinds))


def parse_player(text: str, *, checked: bool = True) -> PlayerSpec:
    """Read a player's description, or the name of a level (:data:`LEVELS`).

    For a level, the description of its player is returned.

    Args:
        text: the description.
        checked: whether to open the file of the program or model, to check that this machine has
            it. If False, only the text is read, for players that will not play here.

    Raises:
        PlayerError: the player or a parameter is unknown, or a value is not allowed.
    """
    _load_roster()
    name, colon, rest = text.strip().partition(":")
    if name.strip() in LEVELS:
        level, name = name.strip(), LEVELS[name.strip()].player
        if colon:
            raise PlayerError(
                f"{level} is a level and has no parameters; it stands for {name}", player=level
            )
        name, _, rest = name.partition(":")
    kind = _kinds.get(name.strip())
    if kind is None:
        raise PlayerError(_unknown(name.strip()), player=name.strip())
    return kind.read(rest, checked=checked)


def program_of(text: str) -> str | None:
    """Return the full description of a player that is a program; None for other players.

    The program need not exist on this machine.
    """
    try:
        spec = parse_player(text, checked=False)
    except PlayerError:
        return None
    return spec.full if spec.kind.cls.is_program else None


def check_consent(text: str, programs: Consent) -> None:
    """Check that a player with an untrusted description may play.

    Programs need consent. A description that cannot be read passes, because making the player
    reports the error.

    Args:
        text: the description.
        programs: the programs with consent.

    Raises:
        ProgramRefusedError: the player is a program and has no consent.
    """
    program = program_of(text)
    if program is not None:
        programs.check(program)


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(name, [*_kinds, *LEVELS], n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]}?" if close else ""
    there = ", ".join([*sorted(_kinds), *LEVELS])
    return f"no player is called {name!r}{hint} (there are: {there})"


@functools.cache
def _load_roster() -> None:
    roster = importlib.import_module("c4core.players.roster")
    for module in pkgutil.iter_modules(roster.__path__):
        importlib.import_module(f"{roster.__name__}.{module.name}")
    importlib.import_module(_MODELS)
