"""What a deep job leaves behind: a proof that can be followed in what is stored.

The job stores every position that it has decided: those that were searched, and those that follow
from them. So the root's score can be checked without trusting the job. The score is at least so
much because of one move, and at most so much because of all moves; the same holds for the positions
behind these moves, down to positions that were searched as a whole. Any of these can be searched
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from c4core.position import Position
from db import evaluations
from workers.deep.asking import ask
from workers.deep.ordering import ordered_columns
from workers.deep.tree import Bounds, canonical, first_bounds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from db.database import Database
    from workers.core.rationing import Searcher


class Lemma(NamedTuple):
    """A proven bound of a position's score, which the proof needs. People read of it as a claim."""

    key: int
    """Canonical."""
    beta: int
    is_reached: bool
    """True: the side to move scores at least ``beta``; false: it scores less."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a score."""

    derived: int
    """Lemmas that follow from others, by minimax."""
    searched: int
    """Lemmas that a search has found to be true."""
    nodes: int
    """Positions that were searched for those."""
    missing: tuple[Lemma, ...]
    """Lemmas that nothing stored supports; a whole proof has none."""


class _Archive:
    """What is known of positions of one board: by a look at them, and from storage."""

    def __init__(self, database: Database, start: Position) -> None:
        self.board = start.board
        self._database = database
        self._bounds: dict[int, Bounds] = {}
        self._nodes: dict[int, int] = {}

    def read(self, positions: Iterable[Position]) -> None:
        """Look positions up."""
        new = {
            position.canonical_key: position
            for position in positions
            if position.canonical_key not in self._bounds
        }
        with self._database.read() as session:
            stored = evaluations.lookup(session, self.board, list(new))
        for key, position in new.items():
            bounds = first_bounds(position)
            row = stored.get(key)
            if row is not None:
                bounds = Bounds(max(bounds.lower, row.lower), min(bounds.upper, row.upper))
                self._nodes[key] = row.nodes
            self._bounds[key] = bounds

    def bounds(self, position: Position) -> Bounds:
        """What is known of a position that was looked up."""
        return self._bounds[position.canonical_key]

    def nodes(self, key: int) -> int:
        """Positions that were searched for what is stored."""
        return self._nodes.get(key, 0)

    def position(self, key: int) -> Position:
        """The position of a key."""
        return Position.from_key(key, width=self.board.width, height=self.board.height)


def follow_proof(database: Database, start: Position, bounds: Bounds) -> Proof:
    """Follow the proof that a position's score is within bounds, ply by ply.

    Args:
        database: holds the evaluations.
        start: whose score it is.
        bounds: what is to be proven about it.

    Raises:
        StorageError: the database cannot be read.
    """
    archive = _Archive(database, start)
    limits = first_bounds(start)
    level = []
    if bounds.lower > limits.lower:
        level.append(Lemma(start.canonical_key, bounds.lower, is_reached=True))
    if bounds.upper < limits.upper:
        level.append(Lemma(start.canonical_key, bounds.upper + 1, is_reached=False))
    derived = searched = nodes = 0
    missing: list[Lemma] = []
    archive.read([start])
    while level:
        positions = {lemma.key: archive.position(lemma.key) for lemma in level}
        archive.read(_following(positions.values()))
        behind: dict[Lemma, None] = {}
        for lemma in level:
            reasons = _reasons(archive, positions[lemma.key], lemma)
            if reasons is not None:
                derived += 1
                behind |= dict.fromkeys(reasons)
            elif _holds(archive.bounds(positions[lemma.key]), lemma):
                searched += 1
                nodes += archive.nodes(lemma.key)
            else:
                missing.append(lemma)
        level = list(behind)
    return Proof(derived, searched, nodes, tuple(missing))


def proven_line(database: Database, start: Position, score: int) -> list[int]:
    """The beginning of best play, 0-based columns, as far as it is stored.

    Args:
        database: holds the evaluations.
        start: where it begins.
        score: its exact score.
    """
    archive = _Archive(database, start)
    line: list[int] = []
    position = start
    while not position.is_over:
        archive.read(_following([position]))
        for column in ordered_columns(position):
            # Neither side can do better than the score, so a move that is proven to reach it is
            # best play, and what follows has exactly the score that is then left.
            if -archive.bounds(position.play(column)).upper >= score:
                break
        else:
            break
        line.append(column)
        position, score = position.play(column), -score
    return line


def searched_line(start: Position, score: int, solver: Searcher, *, node_limit: int) -> list[int]:
    """Best play to the end, or as far as it is found by searching so many positions.

    Args:
        start: where it begins.
        score: its exact score.
        solver: searches.
        node_limit: for all of the line together.
    """
    line: list[int] = []
    position, left = start, node_limit
    while not position.is_over:
        for column in ordered_columns(position):
            child = canonical(position.play(column))
            bounds = first_bounds(child)
            if left > 0:
                finding = ask(child, 1 - score, solver, known=bounds, node_limit=left)
                left, bounds = left - finding.nodes, finding.bounds
            if -bounds.upper >= score:
                break
        else:
            break
        line.append(column)
        position, score = position.play(column), -score
    return line


def _following(positions: Iterable[Position]) -> list[Position]:
    return [position.play(column) for position in positions for column in position.legal_columns()]


def _reasons(archive: _Archive, position: Position, lemma: Lemma) -> list[Lemma] | None:
    """The lemmas about a position's children that a lemma follows from; None if it does not.

    A lemma that a look at the board supports needs none.
    """
    if _holds(first_bounds(position), lemma):
        return []
    beta = 1 - lemma.beta
    children = {child.canonical_key: archive.bounds(child) for child in _following([position])}
    if lemma.is_reached:
        for key, bounds in children.items():
            if bounds.upper < beta:
                return [Lemma(key, beta, is_reached=False)]
        return None
    if any(bounds.lower < beta for bounds in children.values()):
        return None
    return [Lemma(key, beta, is_reached=True) for key in children]


def _holds(bounds: Bounds, lemma: Lemma) -> bool:
    return bounds.lower >= lemma.beta if lemma.is_reached else bounds.upper < lemma.beta
