"""The progress of a deep job, its answer, and the proof of the answer from stored evaluations.

The job stores every position that it has decided, by a search or from other positions. So the
root's score can be checked without trusting the job. A lower bound follows from one move, an upper
bound from all moves. The same holds for the positions after these moves, down to positions that
were searched. Each of these can be searched again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.notation import format_moves
from c4core.position import Position
from db import evaluations
from db.records.jobs import UnitState
from workers.core.follow import read_job
from workers.deep.job import Memory, ask
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds, canonical, first_bounds, ordered_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from c4core.solver import Solver
    from db.database import Database, Session
    from db.records.jobs import JobInfo
    from workers.deep.sharing import BoundsListener
    from workers.deep.tree import Piece


@dataclass(frozen=True, slots=True)
class AtWork:
    """A piece that a worker is searching."""

    columns: tuple[int, ...] | None
    """The 0-based columns from the start to the piece; None if the tree no longer has a path."""
    beta: int
    """The question is whether the side to move scores at least this."""


@dataclass(frozen=True, slots=True)
class DeepProgress:
    """A snapshot of a deep job. Scores are for the side to move at the start."""

    lower: int
    """Proven lower bound of the score."""
    upper: int
    """Proven upper bound of the score."""
    asked: int | None
    """The current question is whether the score is at least this; None when all is proven."""
    moves: tuple[Bounds | None, ...]
    """Proven bounds of the score of each column, None if it cannot be played."""
    limits: Bounds
    """The limits that the board sets for a column that neither wins nor loses at once."""
    decided: int
    split: int
    """Number of pieces that were split because they were too hard for one worker."""
    cut: int
    """Number of pieces that became unnecessary, before or during their search."""
    queued: int
    failed: int
    at_work: tuple[AtWork, ...]


def tree_object(progress: DeepProgress) -> dict[str, object]:
    """The tree as a JSON object. Scores are for the side to move at the start."""
    return {
        "lower": progress.lower,
        "upper": progress.upper,
        "asked": progress.asked,
        "moves": [
            None if bounds is None else {"lower": bounds.lower, "upper": bounds.upper}
            for bounds in progress.moves
        ],
        "decided": progress.decided,
        "split": progress.split,
        "cut": progress.cut,
        "queued": progress.queued,
        "failed": progress.failed,
        "at_work": [
            {
                "moves": None if piece.columns is None else format_moves(piece.columns),
                "beta": piece.beta,
            }
            for piece in progress.at_work
        ],
    }


class Observer:
    """Reads the progress of a deep job repeatedly."""

    def __init__(self, job: JobInfo) -> None:
        self._task = DeepTask.from_params(job.params, job.board)
        self._memory = Memory(job.id, self._task)

    def look(self, session: Session) -> DeepProgress:
        """Read the current progress."""
        memory = self._memory
        memory.read(session)
        tree = memory.tree
        running = memory.pieces(UnitState.LEASED)
        # Split the nodes that the job's planners have split, so that a path leads to every piece.
        memory.wanted(session, len(memory.open) + 1, memory.pieces(*UnitState))
        tree.expand(tree.root, memory.known(session))
        return DeepProgress(
            lower=tree.root.lower,
            upper=tree.root.upper,
            asked=None if tree.is_decided else tree.questions[0],
            moves=self._moves(),
            limits=self._limits(),
            decided=memory.decided,
            split=memory.hard,
            cut=memory.cut,
            queued=len(memory.pieces(UnitState.QUEUED)),
            failed=len(memory.pieces(UnitState.FAILED)),
            at_work=tuple(AtWork(self._way(piece), piece.beta) for piece in sorted(running)),
        )

    def _moves(self) -> tuple[Bounds | None, ...]:
        start, nodes = self._task.start, self._memory.tree.nodes
        moves: list[Bounds | None] = [None] * start.width
        for column in start.legal_columns():
            child = nodes[start.play(column).canonical_key]
            moves[column] = Bounds(-child.upper, -child.lower)
        return tuple(moves)

    def _limits(self) -> Bounds:
        left = self._task.board.cells - self._task.start.ply - 1
        return Bounds(-((left - 1) // 2), left // 2)

    def _way(self, piece: Piece) -> tuple[int, ...] | None:
        tree = self._memory.tree
        if piece.key not in tree.nodes:
            return None
        position, columns = self._task.start, []
        for key in tree.way_to(piece.key)[1:]:
            column = next(
                column
                for column in position.legal_columns()
                if position.play(column).canonical_key == key
            )
            columns.append(column)
            position = position.play(column)
        return tuple(columns)


FIRST_TRY_NODES: Final = 1 << 12
"""Node limit of the first attempt at a move of best play."""

TRY_FACTOR: Final = 8
"""Growth of the node limit from one attempt to the next."""


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
    nodes: int
    missing: tuple[Lemma, ...]
    """Lemmas that no stored evaluation supports; empty for a complete proof."""


class _Archive:
    """Bounds of positions on one board, from the position itself or from the database."""

    def __init__(self, database: Database, start: Position) -> None:
        self.board = start.board
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
        """Number of nodes in the stored search."""
        return self._nodes.get(key, 0)

    def position(self, key: int) -> Position:
        """The position with this key."""
        return Position.from_key(key, width=self.board.width, height=self.board.height)


def follow_proof(database: Database, start: Position, bounds: Bounds) -> Proof:
    """Follow the proof that a position's score is within bounds, ply by ply."""
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
    """The stored beginning of best play, as 0-based columns."""
    archive = _Archive(database, start)
    line: list[int] = []
    position = start
    while not position.is_over:
        archive.read(_following([position]))
        for column in ordered_columns(position):
            # Neither side can exceed the score. So a move proven to reach it is best play, and the
            # position after it has exactly the negated score for the other side.
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
    solver: Solver,
    *,
    known: Callable[[Position], Bounds],
    node_limit: int,
) -> list[int]:
    """Best play to the end, or as far as the node limit allows."""
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
    solver: Solver,
    *,
    known: Callable[[Position], Bounds],
    node_limit: int,
) -> tuple[int | None, int]:
    """The first column that is proven to reach a score, and the number of searched nodes.

    To prove that another column falls short may take long, and is not needed. So all columns are
    tried with few nodes first, and then with more.
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


LINE_NODES: Final = 20_000_000
"""Node limit for the end of best play: a second or two, if nothing is known about it."""


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    """The result of a deep job."""

    job: JobInfo
    position: Position
    moves: str
    """The moves to the position, as 1-based columns."""
    progress: DeepProgress
    proof: Proof
    line: tuple[int, ...]
    """Best play, as 0-based columns; empty if the score is not exact."""
    line_is_complete: bool
    """Whether best play is known to the end of the game."""

    @property
    def best(self) -> list[int]:
        """The 0-based columns proven to reach the score; empty until the score is exact."""
        progress = self.progress
        if progress.asked is not None:
            return []
        return [
            column
            for column, bounds in enumerate(progress.moves)
            if bounds is not None and bounds.lower >= progress.lower
        ]


def read_answer(
    database: Database,
    job_id: int,
    solver: Solver,
    *,
    listener: BoundsListener | None = None,
) -> DeepAnswer:
    """Read the answer of a job, and search the end of best play with the solver.

    The bounds that the solver received from the job (:func:`workers.deep.sharing.listening`)
    shorten the search.
    """
    job = read_job(database, job_id)
    task = DeepTask.from_params(job.params, job.board)
    with database.read() as session:
        progress = Observer(job).look(session)
    bounds = Bounds(progress.lower, progress.upper)
    line: list[int] = []
    end = task.start
    if bounds.lower == bounds.upper:
        line = proven_line(database, task.start, bounds.lower)
        for column in line:
            end = end.play(column)
        score = -bounds.lower if len(line) % 2 else bounds.lower
        known = first_bounds if listener is None else listener.bounds
        rest = searched_line(end, score, solver, known=known, node_limit=LINE_NODES)
        for column in rest:
            end = end.play(column)
        line += rest
    return DeepAnswer(
        job,
        task.start,
        task.moves,
        progress,
        follow_proof(database, task.start, bounds),
        tuple(line),
        end.is_over,
    )
