"""What can be set in an engine: ``setoption name hash value 256``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from c4core.adapters.mover import Mover
from c4core.adapters.ugi.reading import LineError, quoted, whole
from c4core.errors import C4Error
from c4core.notation import DEFAULT_BOARD, BoardSize, parse_board

if TYPE_CHECKING:
    from collections.abc import Sequence

NONE: Final = "<empty>"
"""How UCI writes an empty text."""
MOST_MB: Final = 1 << 20
MOST_THREADS: Final = 1024


@dataclass(frozen=True, slots=True)
class Options:
    """What an engine plays with."""

    hash: int = 64
    """Size of the transposition table in MB."""
    threads: int = 1
    """Threads that search."""
    board: BoardSize = DEFAULT_BOARD
    """The board of ``position startpos``."""
    player: str | None = None
    """The description of the player that chooses the moves; None for exact scores."""

    def lines(self) -> tuple[str, ...]:
        """What there is to set, as UGI lists it."""
        return (
            f"option name hash type spin default {self.hash} min 1 max {MOST_MB}",
            f"option name threads type spin default {self.threads} min 1 max {MOST_THREADS}",
            f"option name board type string default {self.board}",
            f"option name player type string default {self.player or NONE}",
        )

    def changed(self, words: Sequence[str]) -> Options:
        """These with one changed.

        Args:
            words: what follows ``setoption``; names are read without regard to case.

        Raises:
            LineError: there is no such option, or no such value of it.
        """
        if words[:1] != ["name"] or "value" not in words:
            raise LineError("setoption: name, an option, value, and its value")
        split = words.index("value")
        name, value = " ".join(words[1:split]).lower(), " ".join(words[split + 1 :])
        if name == "hash":
            return replace(self, hash=_between(value, name, MOST_MB))
        if name == "threads":
            return replace(self, threads=_between(value, name, MOST_THREADS))
        try:
            if name == "board":
                return replace(self, board=parse_board(value))
            if name == "player":
                return replace(self, player=_known_player(value))
        except C4Error as error:
            raise LineError(f"setoption {name}: {error}") from None
        raise LineError(f"setoption: {quoted(name)} is none of hash, threads, board, player")


def _known_player(value: str) -> str | None:
    """A player's description. Whoever sends lines has not been allowed to start programs."""
    if value in ("", NONE):
        return None
    Mover(value)
    return value


def _between(text: str, name: str, most: int) -> int:
    number = whole(text, f"setoption {name}")
    if not 1 <= number <= most:
        raise LineError(f"setoption {name}: from 1 to {most}, not {number}")
    return number
