"""The registry of players.

A class becomes a player by the decorator :func:`player`, in a file of its own in ``roster/``; the
files there are found by themselves.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, dataclass_transform

from c4core.players.errors import PlayerError
from c4core.players.kinds import PlayerKind
from c4core.players.parameters import parameters_of, resources_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.players.base import Player
    from c4core.players.kinds import PlayerSpec

_PlayerClass = TypeVar("_PlayerClass", bound="type[Player]")

_kinds: dict[str, PlayerKind] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True)
def player(name: str, *, source: str) -> Callable[[_PlayerClass], _PlayerClass]:
    """Make a class a player: its fields become parameters, its docstring's first line the summary.

    Args:
        name: what it is called in descriptions.
        source: where it was described first.
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
    """Make a class a player that takes one argument as it stands: its field ``argument``.

    Args:
        name: what it is called in descriptions.
        argument: what the argument is called.
        source: where it was described first.
    """

    def register(cls: _PlayerClass) -> _PlayerClass:
        dataclass(frozen=True)(cls)
        _register(cls, name, source, argument)
        return cls

    return register


def _register(cls: type[Player], name: str, source: str, argument: str | None) -> None:
    if name in _kinds:
        raise ValueError(f"two players are called {name}")
    kind = PlayerKind(
        name=name,
        source=source,
        summary=(inspect.getdoc(cls) or "").partition("\n")[0],
        argument=argument,
        parameters=parameters_of(cls) if argument is None else (),
        resources=resources_of(cls) if argument is None else (),
        cls=cls,
    )
    cls.kind = kind
    _kinds[name] = kind


def player_kinds() -> tuple[PlayerKind, ...]:
    """Every player of the registry, by name."""
    _load_roster()
    return tuple(_kinds[name] for name in sorted(_kinds))


def parse_player(text: str) -> PlayerSpec:
    """Read a player's description.

    Raises:
        PlayerError: no such player or parameter, or a value that is not allowed.
    """
    _load_roster()
    name, _, rest = text.strip().partition(":")
    kind = _kinds.get(name.strip())
    if kind is None:
        raise PlayerError(_unknown(name.strip()), player=name.strip())
    return kind.read(rest)


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(name, _kinds, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"no player is called {name!r}{hint} (there are: {', '.join(sorted(_kinds))})"


@functools.cache
def _load_roster() -> None:
    roster = importlib.import_module("c4core.players.roster")
    for module in pkgutil.iter_modules(roster.__path__):
        importlib.import_module(f"{roster.__name__}.{module.name}")
