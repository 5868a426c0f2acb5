"""The order for a data set: its description."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from c4core.dataset.card import LICENSE
from c4core.dataset.draw import keep_all
from c4core.dataset.records import are_quiet

if TYPE_CHECKING:
    from c4core.dataset.draw import Keep
    from c4core.dataset.lots import Neighbours, Shares
    from c4core.notation import BoardSize

SOURCES: Final = ("plies", "play", "strong", "games", "book", "file")

BLUNDER: Final = 0.1
"""The share of moves of strong play that are errors, unless the order says another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The description of a data set that is to be made."""

    source: str
    """One of :data:`SOURCES`."""
    board: BoardSize
    first_ply: int
    """Fewest stones of a position."""
    last_ply: int
    """Most stones."""
    matches: tuple[int, ...]
    """With ``games``: the numbers of the matches; empty for all finished ones."""
    book: str | None
    """A book's file as it was named; None for the book that comes with c4."""
    count: int
    """How many positions."""
    seed: int
    shares: Shares
    formats: tuple[str, ...]
    representations: tuple[str, ...]
    file: str | None = None
    """With ``file``: the path of a file of positions with scores."""
    blunder: float = BLUNDER
    """With ``strong``: the share of moves that are errors, 0 to 1."""
    quiet: bool = False
    """Whether to take only quiet positions."""
    decisive: bool = False
    """Whether to keep only decisive positions."""
    neighbours: Neighbours = "keep"
    """What happens to positions of different parts that are a single move apart."""
    license: str = LICENSE
    """The identifier of the license under which the data set is given to others."""

    @property
    def label(self) -> str:
        """The label of its job."""
        return f"data set {self.board} from {self.source}, seed {self.seed}"

    @property
    def keep(self) -> Keep:
        """Which positions may be taken."""
        return partial(are_quiet, board=self.board) if self.quiet else keep_all

    def command(self) -> str:
        """The command that makes the same files again, without their directory."""
        book = "" if self.book is None else Path(self.book).name
        file = "" if self.file is None else Path(self.file).name
        words = [
            *("c4", "dataset", "build", "--from", self.source),
            *(("--input", file) if self.source == "file" else ()),
            *(("--blunder", str(self.blunder)) if self.source == "strong" else ()),
            *("--plies", f"{self.first_ply}..{self.last_ply}"),
            *("--count", str(self.count), "--board", str(self.board), "--seed", str(self.seed)),
            *(word for match in self.matches for word in ("--corpus", str(match))),
            *(("--book", book) if self.source == "book" and book else ()),
            *(("--only", "quiet") if self.quiet else ()),
            *(("--only", "decisive") if self.decisive else ()),
            *("--split", str(self.shares)),
            *(("--neighbours", self.neighbours) if self.neighbours != "keep" else ()),
            *(word for name in self.formats for word in ("--format", name)),
            *(word for name in self.representations for word in ("--representation", name)),
            *(("--license", self.license) if self.license != LICENSE else ()),
        ]
        return shlex.join(words)
