"""The proof of a deep job's answer, as it follows from stored evaluations.

The job stores every position that it has decided: searched ones, and those that follow from them.
So the root's score can be checked without trusting the job. A lower bound follows from one move, an
upper bound from all moves; the same holds for the positions after these moves, down to positions
that were searched. Any of these can be searched again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.position import Position
from db import evaluations
from workers.deep.asking import ask
from workers.deep.ordering import ordered_columns
from workers.deep.tree import Bounds, canonical, first_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from db.database import Database
    from workers.core.searching import Searcher


FIRST_TRY_NODES: Final = 1 << 12
TRY_FACTOR: Final = 8
"""Nodes for the first try of a move of best play, and how many times as many the next one gets."""


class Lemma(NamedTuple):
    """A proven bound of a position's score, which the proof needs; called a claim for people."""

    key: int
    """Canonical."""
    beta: int
    is_reached: bool
    """True: the side to move scores at least ``beta``; false: it scores less."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The size of a proof, and its gaps."""

    derived: int
    """The number of lemmas that follow from others, by minimax."""
    searched: int
    """The number of lemmas that a search has proven."""
    nodes: int
    """Nodes of these searches."""
    missing: tuple[Lemma, ...]
    """Lemmas that no stored evaluation supports; a whole proof has none."""


class _Archive:
    """Bounds of positions of one board: from the position itself, and from the database."""

    def __init__(self, database: Database, start: Position) -> None:
        self.board = start.board
        self._database = database
        self._bounds: dict[int, Bounds] = {}
        self._nodes: dict[int, int] = {}

    def read(self, positions: Iterable[Position]) -> None:
        """Look positions up in the database."""
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
        """The bounds of a position that was looked up."""
        return self._bounds[position.canonical_key]

    def nodes(self, key: int) -> int:
        """Nodes of the stored search."""
        return self._nodes.get(key, 0)

    def position(self, key: int) -> Position:
        """The position of a key."""
        return Position.from_key(key, width=self.board.width, height=self.board.height)


def follow_proof(database: Database, start: Position, bounds: Bounds) -> Proof:
    """Follow the proof that a position's score is within bounds, ply by ply.

    Args:
        database: holds the evaluations.
        start: the position.
        bounds: the bounds to prove.

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
            # Neither side can do better than the score. So a move that is proven to reach it is
            # best play, and the position after it has exactly this score, seen by the other side.
            if -archive.bounds(position.play(column)).upper >= score:
                break
        else:
            break
        line.append(column)
        position, score = position.play(column), -score
    return line


def searched_line(
    start: Position,
    score: int,
    solver: Searcher,
    *,
    known: Callable[[Position], Bounds],
    node_limit: int,
) -> list[int]:
    """Best play to the end, or as far as the limit of nodes allows.

    Args:
        start: where it begins.
        score: its exact score.
        solver: searches.
        known: gives proven bounds of a position.
        node_limit: for the whole line.
    """
    line: list[int] = []
    position, left = start, node_limit
    while not position.is_over:
        column, nodes = _best_move(position, score, solver, known=known, node_limit=left)
        if column is None:
            break
        line.append(column)
        position, score, left = position.play(column), -score, max(0, left - nodes)
    return line


def _best_move(
    position: Position,
    score: int,
    solver: Searcher,
    *,
    known: Callable[[Position], Bounds],
    node_limit: int,
) -> tuple[int | None, int]:
    """The column that is the soonest proven to reach a score, and the nodes that were searched.

    That another column falls short may take long to prove, and need not be known. So all of them
    are tried with few nodes, and then with more.
    """
    beta, nodes, limit = 1 - score, 0, FIRST_TRY_NODES
    children = {column: canonical(position.play(column)) for column in ordered_columns(position)}
    bounds = {column: known(child) for column, child in children.items()}
    for column, (_, upper) in bounds.items():
        if upper < beta:
            return column, 0
    while True:
        for column, child in children.items():
            finding = ask(
                child,
                beta,
                solver,
                known=bounds[column],
                node_limit=max(0, min(limit, node_limit - nodes)),
            )
            nodes += finding.nodes
            bounds[column] = finding.bounds
            if finding.bounds.upper < beta:
                return column, nodes
        if limit >= node_limit:
            return None, nodes
        limit *= TRY_FACTOR


def _following(positions: Iterable[Position]) -> list[Position]:
    return [position.play(column) for position in positions for column in position.legal_columns()]


def _reasons(archive: _Archive, position: Position, lemma: Lemma) -> list[Lemma] | None:
    """The lemmas about a position's children from which a lemma follows; None if it does not.

    A lemma that follows from the position itself needs none.
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
