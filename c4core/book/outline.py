"""Won, drawn and lost positions of a book."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.book import Book


class Results(NamedTuple):
    """The numbers of a ply's positions that the first player wins, draws and loses.

    Two mirror images count as one.
    """

    won: int
    drawn: int
    lost: int


def results(book: Book) -> Iterator[Results]:
    """Iterate over the results of the plies; this reads the complete book."""
    for ply, (_keys, scores) in enumerate(book.levels()):
        signs = np.sign(scores) * (-1 if ply % 2 else 1)
        yield Results(*(int((signs == sign).sum()) for sign in (1, 0, -1)))
