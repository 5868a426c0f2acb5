"""Check a book file: bytes, contents, minimax, and a sample that is solved again."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from c4core.book.build import best_of_known, derive
from c4core.book.layout import DIGEST_BYTES
from c4core.errors import BookDamagedError, C4Error
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from c4core.book.book import Book
    from c4core.book.writer import Level

SHOWN = 10
"""A message lists at most this many positions."""


@dataclass(frozen=True, slots=True)
class BookVerification:
    """The result of checking a book."""

    positions: int
    """Number of positions whose score was read and compared with the children's scores."""
    solved: int
    """Number of positions that were solved again."""
    problems: tuple[str, ...]
    """One sentence for each problem."""

    @property
    def is_sound(self) -> bool:
        """Whether no problem was found."""
        return not self.problems


def verify(
    book: Book,
    *,
    sample: int = 100,
    seed: int = 1,
    solver: Solver | None = None,
    progress: Callable[[int], None] | None = None,
) -> BookVerification:
    """Check a book thoroughly.

    Args:
        book: an open book.
        sample: the number of positions to solve again, each equally likely. A position of an early
            ply of a large board takes seconds.
        seed: the same seed chooses the same positions.
        solver: the solver for the sample; None for a new one.
        progress: called with the number of positions read so far.

    Returns:
        The problems found. A damaged file is a problem, not an exception.
    """
    problems: list[str] = []
    _check_digest(book, problems)
    wanted = _chosen(book, sample, seed)
    chosen: list[tuple[int, int]] = []
    positions = 0
    before: Level | None = None
    try:
        for ply, (keys, scores) in enumerate(book.levels()):
            picked = wanted[(wanted >= positions) & (wanted < positions + len(keys))] - positions
            chosen += zip(keys[picked].tolist(), scores[picked].tolist(), strict=True)
            positions += len(keys)
            _check_level(book, ply, (keys, scores), problems)
            if before is not None:
                _check_minimax(book, ply - 1, before, (keys, scores), problems)
            before = keys, scores
            if progress is not None:
                progress(positions)
        if before is not None:
            _check_wins(book, book.info.last_ply, before, problems)
    except BookDamagedError as error:
        problems.append(str(error))
    solved = _check_sample(book, chosen, solver or Solver(), problems)
    return BookVerification(positions, solved, tuple(problems))


def _chosen(book: Book, sample: int, seed: int) -> NDArray[np.int64]:
    """Return sorted random indices of positions, counted through all plies."""
    count = min(sample, len(book))
    return np.array(sorted(random.Random(seed).sample(range(len(book)), count)), dtype=np.int64)  # noqa: S311


def _check_digest(book: Book, problems: list[str]) -> None:
    """Check the SHA-256 at the end of the file."""
    digest = hashlib.sha256()
    left = book.info.file_bytes - DIGEST_BYTES
    with Path(book.path).open("rb") as file:
        while left and (piece := file.read(min(left, 1 << 20))):
            digest.update(piece)
            left -= len(piece)
        if digest.digest() != file.read():
            problems.append("the file does not match its checksum")


def _check_level(book: Book, ply: int, level: Level, problems: list[str]) -> None:
    """Check the number of positions. Opening the book has checked the range of scores."""
    keys, _ = level
    expected = book.info.plies[ply].positions
    if len(keys) != expected:
        problems.append(f"ply {ply} has {len(keys)} positions, but the header states {expected}")


def _check_minimax(
    book: Book, ply: int, parents: Level, children: Level, problems: list[str]
) -> None:
    """Check that a position's score is the best that its moves lead to."""
    board = book.info.board
    keys, scores = parents
    try:
        wrong = derive(keys, *children, board) != scores
    except C4Error as error:
        problems.append(str(error))
        return
    _name(problems, keys[wrong], f"of ply {ply} contradict their children's scores")


def _check_wins(book: Book, ply: int, level: Level, problems: list[str]) -> None:
    """Check the scores of the last ply that follow from the rules alone."""
    board = book.info.board
    keys, scores = level
    nothing = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int8)
    best, exact = best_of_known(keys, *nothing, board)
    _name(problems, keys[exact & (best != scores)], f"of ply {ply} contradict the rules")


def _check_sample(
    book: Book, chosen: list[tuple[int, int]], solver: Solver, problems: list[str]
) -> int:
    """Solve some positions again. Return the number of positions solved."""
    board = book.info.board
    keys = np.array([key for key, _ in chosen], dtype=np.uint64)
    scores = np.array([score for _, score in chosen], dtype=np.int8)
    found = solver.solve_many(keys, board=board)
    _name(
        problems,
        keys[found.exact & (found.lower != scores)],
        "have a different score when they are solved again",
    )
    return int(found.exact.sum())


def _name(problems: list[str], keys: NDArray[np.uint64], what: str) -> None:
    """Add a problem with the keys of the faulty positions, if there are any."""
    if len(keys):
        some = ", ".join(map(str, keys[:SHOWN].tolist()))
        more = ", ..." if len(keys) > SHOWN else ""
        problems.append(f"{len(keys)} positions {what}: {some}{more}")
