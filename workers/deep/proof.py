"""The proof of a score, from stored bounds alone: it can be checked without trusting the job.

A lower bound follows from one move, an upper bound from all moves. The same holds for the positions
after these moves, down to positions that one search has decided. Each of these can be searched
again.

The search stores only costly bounds. So the process that decides the score searches the cheap ones
that the proof needs once more, while they are in its table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.evaluation import final_score, score_limits
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.records.evaluations import COSTLY_NODES, StoredEvaluation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from c4core.solver import Solver
    from db.database import Database

CHEAP_NODES: Final = 1 << 17
"""Node limit for a bound that the proof lacks."""

ALWAYS_PLIES: Final = 2
"""Bounds this many plies below the start are always reduced to bounds after them."""

COMPLETE_SHARE: Final = 50
"""Bounds that the proof lacks get this part of the nodes of the search. Without them, its searched
parts are larger."""

COMPLETE_NODES: Final = 1_000_000, 20_000_000
"""The least and the most nodes for bounds that the proof lacks: 0.1 to 2 seconds."""

LINE_NODES: Final = 20_000_000
"""Node limit for best play: a second or two, if nothing is known about it."""

FIRST_TRY_NODES: Final = 1 << 12
"""Node limit of the first attempt at a move of best play."""

TRY_FACTOR: Final = 8
"""Growth of the node limit from one attempt to the next."""


class Bounds(NamedTuple):
    """Proven bounds of a score, for the side to move."""

    lower: int
    upper: int

    def decide(self, beta: int) -> bool:
        """Whether the bounds decide if the score is at least ``beta``."""
        return self.lower >= beta or self.upper < beta


class Lemma(NamedTuple):
    """A proven bound of a position's score that a proof needs; users see it as a "claim"."""

    key: int
    """Canonical key of the position."""
    beta: int
    is_reached: bool
    """Whether the side to move scores at least ``beta`` (true) or less (false)."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The size of a proof, and its gaps."""

    derived: int
    """Number of lemmas that follow from other lemmas by minimax."""
    searched: int
    """Number of lemmas that a search has proven."""
    missing: tuple[Lemma, ...]
    """Lemmas that no stored evaluation supports; empty for a complete proof."""


def first_bounds(position: Position) -> Bounds:
    """The bounds of a score that follow from the position itself, without a search."""
    if position.is_over:
        score = final_score(position)
        return Bounds(score, score)
    lower, upper = score_limits(position.ply, position.board)
    if any(map(position.is_winning, position.legal_columns())):
        return Bounds(upper, upper)
    # Without an immediate win, the earliest win is the side's next move after this one.
    return Bounds(lower, (position.board.cells - 1 - position.ply) // 2)


class _Archive:
    """Bounds of positions on one board: from the position itself, the database, or new searches."""

    def __init__(self, database: Database, start: Position) -> None:
        self.board = start.board
        self.new: dict[int, StoredEvaluation] = {}
        self.searched = 0
        self._database = database
        self._bounds: dict[int, Bounds] = {}
        self._nodes: dict[int, int] = {}

    def read(self, positions: Iterable[Position]) -> None:
        """Look up positions in the database."""
        new = {
            position.canonical_key: position
            for position in positions
            if position.canonical_key not in self._bounds
        }
        with self._database.read() as session:
            stored = evaluations.lookup(session, self.board, list(new))
        for key, position in new.items():
            self._bounds[key] = first_bounds(position)
            row = stored.get(key)
            if row is not None:
                self._nodes[key] = row.nodes
                self._narrow(key, row.lower, row.upper)

    def search(self, position: Position, beta: int, solver: Solver) -> None:
        """Search a position a little, and remember what is new."""
        key = position.canonical_key
        found = solver.test(position, beta, node_limit=CHEAP_NODES)
        self.searched += found.nodes
        self._narrow(key, found.lower, found.upper)
        nodes = self._nodes[key] = max(found.nodes, self.nodes(key))
        row = (key, *self.board, position.ply, *self._bounds[key], nodes)
        self.new[key] = StoredEvaluation(*row, ENGINE_VERSION)

    def bounds(self, position: Position) -> Bounds:
        """The bounds of a position that was looked up."""
        return self._bounds[position.canonical_key]

    def nodes(self, key: int) -> int:
        """Number of nodes in the stored search."""
        return self._nodes.get(key, 0)

    def position(self, key: int) -> Position:
        """The position with this key."""
        return Position.from_key(key, board=self.board)

    def _narrow(self, key: int, lower: int, upper: int) -> None:
        known = self._bounds[key]
        self._bounds[key] = Bounds(max(known.lower, lower), min(known.upper, upper))


def follow_proof(database: Database, start: Position, bounds: Bounds) -> Proof:
    """Follow the proof that a position's score is within bounds, ply by ply."""
    return _follow(_Archive(database, start), start, bounds, lambda *_: None)


def complete_proof(
    database: Database, start: Position, bounds: tuple[int, int], solver: Solver, nodes: int
) -> list[StoredEvaluation]:
    """Search the cheap bounds that a proof lacks; return them as new evaluations.

    ``nodes`` is the number of nodes that the score has taken.
    """
    archive = _Archive(database, start)
    least, most = COMPLETE_NODES
    most_nodes = min(max(least, nodes // COMPLETE_SHARE), most)

    def search(position: Position, lemma: Lemma) -> None:
        beta = 1 - lemma.beta
        is_near = position.ply < start.ply + ALWAYS_PLIES
        if not is_near and archive.nodes(lemma.key) < COSTLY_NODES:
            return
        for child in _following([position]):
            if not archive.bounds(child).decide(beta) and archive.searched < most_nodes:
                archive.search(child, beta, solver)
            if lemma.is_reached and archive.bounds(child).upper < beta:
                return  # one move is enough
            if not lemma.is_reached and archive.bounds(child).lower < beta:
                return  # all moves are needed, and this one is too hard

    _follow(archive, start, Bounds(*bounds), search)
    return list(archive.new.values())


def _follow(
    archive: _Archive,
    start: Position,
    bounds: Bounds,
    search: Callable[[Position, Lemma], object],
) -> Proof:
    """Follow a proof; ``search`` is called for every lemma that does not follow from others."""
    limits = first_bounds(start)
    level = []
    if bounds.lower > limits.lower:
        level.append(Lemma(start.canonical_key, bounds.lower, is_reached=True))
    if bounds.upper < limits.upper:
        level.append(Lemma(start.canonical_key, bounds.upper + 1, is_reached=False))
    derived = searched = 0
    missing: list[Lemma] = []
    archive.read([start])
    while level:
        positions = {lemma.key: archive.position(lemma.key) for lemma in level}
        archive.read(_following(positions.values()))
        behind: dict[Lemma, None] = {}
        for lemma in level:
            position = positions[lemma.key]
            reasons = _reasons(archive, position, lemma)
            if reasons is None:
                search(position, lemma)
                reasons = _reasons(archive, position, lemma)
            if reasons is not None:
                derived += 1
                behind |= dict.fromkeys(reasons)
            elif _holds(archive.bounds(position), lemma):
                searched += 1
            else:
                missing.append(lemma)
        level = list(behind)
    return Proof(derived, searched, tuple(missing))


def best_line(database: Database, start: Position, score: int, solver: Solver) -> list[int]:
    """Best play as 0-based columns, to the end of the game or as far as the node limit allows.

    The beginning comes from stored bounds. Any move that is proven to reach the score is best play,
    because neither side can exceed it.
    """
    archive = _Archive(database, start)
    line: list[int] = []
    position, left = start, LINE_NODES
    while not position.is_over:
        children = {column: position.play(column) for column in _columns(position)}
        archive.read(children.values())
        column, nodes = _best_move(archive, children, 1 - score, solver, node_limit=left)
        if column is None:
            break
        line.append(column)
        position, score, left = children[column], -score, max(0, left - nodes)
    return line


def _best_move(
    archive: _Archive, children: dict[int, Position], beta: int, solver: Solver, *, node_limit: int
) -> tuple[int | None, int]:
    """A column after which the score is proven to be less than ``beta``, and the searched nodes.

    To prove that another column falls short may take long, and is not needed. So all columns are
    tried with few nodes first, and then with more.
    """
    for column, child in children.items():
        if archive.bounds(child).upper < beta:
            return column, 0
    open_columns = [
        column for column, child in children.items() if archive.bounds(child).lower < beta
    ]
    nodes, limit = 0, FIRST_TRY_NODES
    while True:
        for column in open_columns:
            most = max(0, min(limit, node_limit - nodes))
            found = solver.test(children[column], beta, node_limit=most)
            nodes += found.nodes
            if found.upper < beta:
                return column, nodes
        if limit >= node_limit:
            return None, nodes
        limit *= TRY_FACTOR


def _columns(position: Position) -> list[int]:
    """The playable columns, from the centre outwards."""
    return sorted(position.legal_columns(), key=lambda column: abs(2 * column + 1 - position.width))


def _following(positions: Iterable[Position]) -> list[Position]:
    return [position.play(column) for position in positions for column in _columns(position)]


def _reasons(archive: _Archive, position: Position, lemma: Lemma) -> list[Lemma] | None:
    """The lemmas about the children from which this lemma follows; None if it does not follow.

    The list is empty if the lemma follows from the position itself.
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
