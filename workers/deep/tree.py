"""The tree of a position whose value is to be proven, and the choice of the next pieces to search.

A node is a canonical position with proven bounds for its side to move. The question whether the
root scores at least ``beta`` (a null window) becomes the question ``1 - beta`` for its children,
and ``beta`` again for their children: the root scores at least ``beta`` if one child scores less
than ``1 - beta``. So a question to the root is a question to every node. A node is *open* if its
bounds do not decide this question, and a chain of open nodes leads to it from the root. The open
leaves are the *pieces*, which workers can search independently::

    root, beta 1            open
    +- 1st move, beta 0     decided: at least 0, so the root needs another move
    +- 2nd move, beta 0     open
    |  +- 1st reply, beta 1 a piece: it certainly has to be searched
    |  +- 2nd reply, beta 1 a speculative piece: the 1st reply may decide their parent
    +- 3rd move, beta 0     a more speculative piece

As in a young brothers wait search, the first child is searched first. But idle workers take the
least speculative of the remaining pieces: strict waiting left 55 to 87 % of the workers idle in
simulation. The next question to the root is a speculation, too. With many workers it is the better
one: an exact score needs two proofs in any case, of its lower and of its upper bound, and these
have little in common.

This module does not use databases, clocks or processes. Any process can rebuild the tree from
stored evaluations, and the pieces that it then wants are also needed in the first tree. Their order
can differ until the same nodes are split, because splitting reveals bounds that were not stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.evaluation import final_score, score_limits
from c4core.position import Position
from db.errors import ContradictionError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from c4core.notation import BoardSize

    Known = Callable[[Sequence[int]], Mapping[int, "Fact"]]
    """Looks up proven bounds of canonical positions, by key; unknown positions are left out."""

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps in (column, row) along the four directions of lines."""

LINE_POINTS = 2
"""Points for each line through a square."""

CENTRE_POINTS = 3
"""Points for each column between a square and the nearer edge. The resulting order of moves is
similar to that of the search."""


def ordered_columns(position: Position) -> list[int]:
    """The playable columns, the most promising first."""
    lines = _lines_through(position.board)
    heights = position.heights

    def points(column: int) -> int:
        from_edge = min(column, position.width - 1 - column)
        return LINE_POINTS * lines[column][heights[column]] + CENTRE_POINTS * from_edge

    return sorted(position.legal_columns(), key=lambda column: (-points(column), column))


@cache
def _lines_through(board: BoardSize) -> tuple[tuple[int, ...], ...]:
    """The number of lines of four through each square, by column and row."""
    count = [[0] * board.height for _ in range(board.width)]
    for column in range(board.width):
        for row in range(board.height):
            for across, up in DIRECTIONS:
                line = [(column + i * across, row + i * up) for i in range(4)]
                if all(0 <= c < board.width and 0 <= r < board.height for c, r in line):
                    for c, r in line:
                        count[c][r] += 1
    return tuple(map(tuple, count))


UNTRIED: Final = 2.0
"""The speculation of searching a node's next move while none of its moves is decided: usually the
first move decides the node."""

REFUTED: Final = 0.5
"""The speculation if one of its moves has failed to decide the node: then the others will probably
fail, too, and all of them have to be searched."""

AHEAD: Final = 3.0
"""The speculation of searching for the next question to the root, which depends on the answer to
the current one."""


class Bounds(NamedTuple):
    """Proven bounds of a score, for the side to move."""

    lower: int
    upper: int

    def decides(self, beta: int) -> bool:
        """Whether the bounds decide if the score is at least ``beta``."""
        return self.lower >= beta or self.upper < beta


class Fact(NamedTuple):
    """The known bounds of a position."""

    bounds: Bounds
    nodes: int
    """Number of positions that were searched for the bounds."""


class Piece(NamedTuple):
    """A question to search: whether a canonical position scores at least ``beta``."""

    key: int
    beta: int


@dataclass(slots=True)
class Node:
    """A canonical position of the tree, with the proven bounds for its side to move."""

    key: int
    ply: int
    lower: int
    upper: int
    children: tuple[int, ...] = ()
    """Unique keys of the child positions, the most promising first; empty until the node is
    split."""
    parents: list[int] = field(default_factory=list)
    """Keys of the split positions that have this child."""
    nodes: int = 0
    """Number of nodes searched for this position; for a split node, the sum over its children."""

    @property
    def bounds(self) -> Bounds:
        """The proven bounds."""
        return Bounds(self.lower, self.upper)


class Tree:
    """The tree of one position, whose game is open.

    Nodes fewer than ``split_plies`` plies below the root are split without a search; deeper nodes
    are split after a search has shown that they are hard.
    """

    def __init__(self, root: Position, *, split_plies: int, weak: bool = False) -> None:
        self.board = root.board
        self.nodes: dict[int, Node] = {}
        self._split_plies = split_plies
        self._weak = weak
        self._hard: set[int] = set()
        self._backed_up: dict[int, Node] = {}
        self._root = self._node(canonical(root))

    @property
    def root(self) -> Node:
        """The node of the root."""
        return self._root

    @property
    def is_decided(self) -> bool:
        """Whether the question about the root is decided."""
        root = self._root
        return root.lower >= root.upper or (self._weak and (root.lower > 0 or root.upper < 0))

    @property
    def questions(self) -> tuple[int, ...]:
        """The questions to the root, as values of beta; empty when all is decided.

        The first is the current question: win, draw or loss, and then one score at a time away from
        it, as in the search. The possible next questions follow, depending on the answer.
        """
        if self.is_decided:
            return ()
        lower, upper = self._root.bounds
        if lower <= 0 < upper:
            now = 1
        elif lower < 0 <= upper:
            now = 0
        else:
            now = lower + 1 if lower > 0 else upper
        if self._weak:
            lower, upper = max(lower, -1), min(upper, 1)
        return now, *(beta for beta in (now + 1, now - 1) if lower < beta <= upper)

    def open_children(self, node: Node, beta: int) -> list[Node]:
        """The undecided children of a split node, the most promising first.

        The most promising child has the worst proven upper bound for its side to move. Ties are
        broken by the order of moves.
        """
        children = [self.nodes[key] for key in node.children]
        return sorted(
            (child for child in children if not child.bounds.decides(1 - beta)),
            key=lambda child: child.upper,
        )

    def learn(self, key: int, bounds: Bounds, nodes: int = 0) -> None:
        """Add proven bounds and all their consequences; ignore positions outside the tree.

        Raises:
            ContradictionError: the bounds contradict the known ones.
        """
        node = self.nodes.get(key)
        if node is None:
            return
        node.nodes += nodes
        if self._tighten(node, bounds):
            self._back_up(node)

    def split(self, key: int) -> None:
        """Mark a position as too hard for one worker, so that its children are searched instead.

        The position need not be in the tree yet.
        """
        self._hard.add(key)

    def wanted(
        self, number: int, *, running: Collection[Piece] = (), known: Known = lambda _keys: {}
    ) -> list[Piece]:
        """The pieces to search next, the least speculative first, without ``running`` ones.

        Splits nodes as needed; ``known`` looks up the proven bounds of their children.
        """
        while not self.is_decided:
            pieces = self._wanted(number, running, known)
            if pieces is not None:
                return pieces
        return []

    def needs(self, pieces: Iterable[Piece]) -> set[Piece]:
        """The pieces that still have to be searched, as far as is known now.

        A piece that is not in the tree (any more, or not yet) is kept.
        """
        if self.is_decided:
            return set()
        questions = self.questions
        seen: dict[Piece, bool] = {}
        return {piece for piece in pieces if self._needs(piece, questions, seen)}

    def take_backed_up(self) -> list[Node]:
        """Return the split nodes with new bounds since the last call.

        These are only nodes whose children have decided the question, and the root.
        """
        nodes = list(self._backed_up.values())
        self._backed_up.clear()
        return nodes

    def way_to(self, key: int) -> list[int]:
        """The keys of the nodes on a path from the root to a node, inclusive."""
        way = [key]
        while way[-1] != self._root.key:
            way.append(self.nodes[way[-1]].parents[0])
        return way[::-1]

    def expand(self, node: Node, known: Known) -> None:
        """Create the children of a node, unless it is split or its game is over."""
        if node.children:
            return
        position = self.position(node)
        following = [canonical(position.play(column)) for column in ordered_columns(position)]
        node.children = tuple(dict.fromkeys(child.key for child in following))
        new = [child.key for child in following if child.key not in self.nodes]
        for child in following:
            made = self._node(child)
            if node.key not in made.parents:
                made.parents.append(node.key)
        for key, fact in known(list(dict.fromkeys(new))).items():
            self.nodes[key].nodes = fact.nodes
            self._tighten(self.nodes[key], fact.bounds)
        # A child that was already in the tree may have relevant bounds.
        if self._join(node):
            self._back_up(node)

    def position(self, node: Node) -> Position:
        """The position of a node."""
        return Position.from_key(node.key, width=self.board.width, height=self.board.height)

    def _wanted(self, number: int, running: Collection[Piece], known: Known) -> list[Piece] | None:
        """The pieces; None if splitting a node gave new bounds to nodes above it."""
        pieces: list[Piece] = []
        passed: set[Piece] = set()
        # Ordered by speculation; ties go to the leftmost path. If several paths lead to a node,
        # the least speculative comes first.
        heap: list[tuple[float, tuple[int, ...], Piece]] = [
            (AHEAD if rank else 0.0, (rank,), Piece(self._root.key, beta))
            for rank, beta in enumerate(self.questions)
        ]
        while heap and len(pieces) < number:
            speculation, way, piece = heappop(heap)
            if piece in passed:
                continue
            passed.add(piece)
            node, beta = self.nodes[piece.key], piece.beta
            if not node.children and self._is_to_be_split(node):
                before = self._bounds_above(node)
                self.expand(node, known)
                if self._bounds_above(node) != before:
                    return None
                if node.bounds.decides(beta):
                    continue
            if not node.children:
                if piece not in running:
                    pieces.append(piece)
                continue
            children = self.open_children(node, beta)
            step = UNTRIED if len(children) == len(node.children) else REFUTED
            for rank, child in enumerate(children):
                heappush(
                    heap, (speculation + rank * step, (*way, rank), Piece(child.key, 1 - beta))
                )
        return pieces

    def _is_to_be_split(self, node: Node) -> bool:
        return node.key in self._hard or node.ply - self._root.ply < self._split_plies

    def _bounds_above(self, node: Node) -> list[Bounds]:
        """The bounds of a node's parents; for the root, its own bounds."""
        return [self.nodes[key].bounds for key in node.parents or (node.key,)]

    def _needs(self, piece: Piece, questions: Collection[int], seen: dict[Piece, bool]) -> bool:
        node = self.nodes.get(piece.key)
        return node is None or (
            not node.children
            and self._asked_of_root(node, piece.beta) in questions
            and self._is_open(piece, seen)
        )

    def _asked_of_root(self, node: Node, beta: int) -> int:
        """The question to the root that leads to ``beta`` at a node, or the reverse."""
        return 1 - beta if (node.ply - self._root.ply) % 2 else beta

    def _is_open(self, piece: Piece, seen: dict[Piece, bool]) -> bool:
        """Whether a question and all questions on some path from the root to it are undecided."""
        if piece not in seen:
            node = self.nodes[piece.key]
            seen[piece] = not node.bounds.decides(piece.beta) and (
                node is self._root
                or any(self._is_open(Piece(key, 1 - piece.beta), seen) for key in node.parents)
            )
        return seen[piece]

    def _node(self, position: Position) -> Node:
        node = self.nodes.get(position.key)
        if node is None:
            node = Node(position.key, position.ply, *first_bounds(position))
            self.nodes[node.key] = node
        return node

    def _tighten(self, node: Node, bounds: Bounds) -> bool:
        """Narrow a node's bounds; return whether they changed."""
        lower, upper = max(node.lower, bounds.lower), min(node.upper, bounds.upper)
        if lower > upper:
            raise ContradictionError(
                f"contradiction at position {node.key} of {self.board}: the score is proven to be "
                f"{node.lower} to {node.upper}, but also {bounds.lower} to {bounds.upper}",
                key=node.key,
                width=self.board.width,
                height=self.board.height,
            )
        if (lower, upper) == node.bounds:
            return False
        node.lower, node.upper = lower, upper
        return True

    def _join(self, node: Node) -> bool:
        """Narrow a split node's bounds by its children's; return whether they changed."""
        children = [self.nodes[key] for key in node.children]
        return self._tighten(
            node,
            Bounds(
                max(-child.upper for child in children), max(-child.lower for child in children)
            ),
        )

    def _back_up(self, node: Node) -> None:
        """Propagate a node's new bounds to all nodes above that they change."""
        changed, asked = [node], self.questions
        while changed:
            node = changed.pop()
            if node.children and (
                node is self._root
                or any(node.bounds.decides(self._asked_of_root(node, beta)) for beta in asked)
            ):
                node.nodes = sum(self.nodes[key].nodes for key in node.children)
                self._backed_up[node.key] = node
            for key in node.parents:
                parent = self.nodes[key]
                if self._join(parent):
                    changed.append(parent)


def canonical(position: Position) -> Position:
    """The canonical image of a position: the position or its mirror image."""
    return position if position.key == position.canonical_key else position.mirrored()


def first_bounds(position: Position) -> Bounds:
    """The bounds of a score that follow from the position itself, without a search."""
    width, height = position.board
    if position.is_over:
        score = final_score(position)
        return Bounds(score, score)
    lower, upper = score_limits(position.ply, width, height)
    if any(map(position.is_winning, position.legal_columns())):
        return Bounds(upper, upper)
    # Without an immediate win, the earliest win is the side's next move after this one.
    return Bounds(lower, (position.board.cells - 1 - position.ply) // 2)
