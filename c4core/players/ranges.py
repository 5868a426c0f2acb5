"""Several players in one description: ``blog-v6:depth=0..6``, ``pvs:depth=2/4/8``.

The value of a parameter may be a list of numbers and ranges, separated by ``/``. The description
then stands for several players, one for each number. With several lists it stands for every
combination, and the last parameter changes fastest.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from c4core.players.errors import PlayerError
from c4core.players.registry import parse_player, player_kinds
from c4core.players.values import FileName

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from c4core.players.player import PlayerSpec

MOST: Final = 1000
"""The largest number of players that a description may stand for."""

_RANGE: Final = re.compile(r"(\d{1,9})\.\.(\d{1,9})")


def parse_players(text: str) -> list[PlayerSpec]:
    """Read a description that may stand for several players.

    Raises:
        PlayerError: as in :func:`c4core.players.parse_player`; or a range is empty, or there are
            too many players.
    """
    name, colon, rest = text.strip().partition(":")
    kinds = {kind.name: kind for kind in player_kinds()}
    kind = kinds.get(name.strip())
    if kind is None or kind.argument is not None or not rest:
        return [parse_player(text)]
    files = {item.name for item in kind.parameters if isinstance(item.values, FileName)}
    choices = [_choices(part, name, files) for part in rest.split(",")]
    number = 1
    for values in choices:
        number *= len(values)
    if number > MOST:
        raise PlayerError(f"{text} stands for {number:,} players, more than {MOST:,}", player=name)
    return [
        parse_player(f"{name}{colon}{','.join(parts)}") for parts in itertools.product(*choices)
    ]


def _choices(part: str, player: str, files: Collection[str]) -> Sequence[str]:
    """The ``parameter=value`` texts that a part stands for; the name of a file is not a list."""
    name, equals, values = part.partition("=")
    if name.strip() in files or not (".." in values or "/" in values):
        return (part,)
    found = [number for piece in values.split("/") for number in _numbers(piece, part, player)]
    return [f"{name}{equals}{number}" for number in found]


def _numbers(piece: str, part: str, player: str) -> Sequence[int | str]:
    match = _RANGE.fullmatch(piece.strip())
    if match is None:
        return (piece,)
    first, last = int(match[1]), int(match[2])
    if first > last or last - first >= MOST:
        problem = f"{first} is more than {last}" if first > last else f"more than {MOST:,} values"
        raise PlayerError(
            f"player {player}: {part}: {problem}", player=player, parameter=part.partition("=")[0]
        )
    return range(first, last + 1)
