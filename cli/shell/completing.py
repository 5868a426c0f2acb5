"""Values offered by shell completion: players, files, boards, lanes.

The metavar of an option or argument names the kind of value. Heavy modules are imported only when
values are requested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


VARIABLE: Final = "_C4_COMPLETE"
"""The environment variable that a shell sets to request completion."""


class Offered(click.types.StringParamType):
    """A text type with known values, which completion offers."""

    def __init__(
        self,
        words: Callable[[], Iterable[tuple[str, str]]] = lambda: (),
        *,
        kind: str | None = None,
    ) -> None:
        self._words = words
        self._kind = kind

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's signature)
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem[Any]]:
        """The known values that begin with the incomplete text."""
        found = [
            CompletionItem(word, help=about or None)
            for word, about in self._words()
            if word.startswith(incomplete)
        ]
        if self._kind is not None:
            found.append(CompletionItem(incomplete, type=self._kind))
        return found


def _players() -> Iterable[tuple[str, str]]:
    from c4core.players import player_kinds
    from c4core.players.registry import LEVELS

    for name, level in LEVELS.items():
        yield name, level.player
    for kind in player_kinds():
        yield kind.name if kind.stands_alone else f"{kind.name}:", kind.summary


def _seats() -> Iterable[tuple[str, str]]:
    yield "human", "you"
    yield from _players()


def _lanes() -> Iterable[tuple[str, str]]:
    from workers.core.kinds import Lane

    return [(str(lane), "") for lane in Lane]


def _boards() -> Iterable[tuple[str, str]]:
    return [(name, "") for name in ("7x6", "4x4", "5x4", "5x5", "6x5", "6x6", "7x7", "8x7", "9x6")]


def _brokers() -> Iterable[tuple[str, str]]:
    yield "none", "threads of this process do the work"
    yield from ((f"{scheme}://", "") for scheme in ("redis", "rediss", "amqp", "amqps"))


FILE: Final = Offered(kind="file")
BROKER: Final = Offered(_brokers)
PLAYER: Final = Offered(_players)

BY_METAVAR: Final = {
    "A": PLAYER,
    "B": PLAYER,
    "DIR": Offered(kind="dir"),
    "FILE": FILE,
    "NAMES": Offered(_lanes),
    "PLAYER": PLAYER,
    "PLAYER...": PLAYER,
    "WHO": Offered(_seats),
    "WxH": Offered(_boards),
}
"""Completion types for plain texts, by metavar."""


def offer(parameters: Iterable[click.Parameter]) -> None:
    """Add completion to plain text parameters."""
    for parameter in parameters:
        if parameter.type is click.STRING and parameter.metavar in BY_METAVAR:
            parameter.type = BY_METAVAR[parameter.metavar]
