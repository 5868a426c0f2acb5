"""The proof of a position's value: its tree of sub-positions, and what to search of it next.

A node is a canonical position with the bounds that are proven for its side to move. Whether the
root scores at least ``beta`` (a null window) is asked of its children as ``1 - beta``, of their
children as ``beta`` again: the root does if one child does not. So a question to the root asks one
of every node, and a node is *open* while its bounds leave that undecided and some chain of open
nodes leads from it to the root. The leaves that are open are the *pieces*: what workers can search,
each on its own::

    root, beta 1          open
    +- 1st move, beta 0   decided: at least 0, so the root needs another move
    +- 2nd move, beta 0   open
    |  +- ..      beta 1  a piece: no guess is needed to see that it has to be searched
    |  +- ..      beta 1  a piece of some speculation: its elder brother may decide their parent
    +- 3rd move, beta 0   a piece of more speculation

Brothers wait for the eldest (young brothers wait), but as long as there are workers without a
piece, they take the least speculative one that is left: strict waiting left 55 to 87 % of the
workers idle in simulation. The question that would be asked of the root next is such a speculation
as well: with many workers it is the better one, for a score takes two proofs in any case, that it
is at least so much and that it is no more, which have little in common.

Nothing here knows of databases, clocks or processes. The same bounds make the same tree, whatever
order they come in, so any process can make it anew from what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.evaluation import score_limits
from c4core.position import Position
from db.errors import ContradictionError
from workers.deep.ordering import ordered_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    Known = Callable[[Sequence[int]], Mapping[int, "Fact"]]
    """What is proven already about some canonical positions, by key; unknown ones are left out."""

UNTRIED: Final = 2.0
"""Speculation of searching a node's next move while none of its moves is decided: mostly the first
one decides the node."""

REFUTED: Final = 0.5
"""Likewise when one of its moves has failed to decide it: then the others probably fail too, and
all of them have to be searched."""

AHEAD: Final = 3.0
"""Speculation of searching for the next question to the root, which depends on the answer to the
present one."""


class Bounds(NamedTuple):
    """What is proven about a score, for the side to move."""

    lower: int
    upper: int

    def decides(self, beta: int) -> bool:
        """Whether they say if the score is at least ``beta``."""
        return self.lower >= beta or self.upper < beta


class Fact(NamedTuple):
    """What was proven before about a position."""

    bounds: Bounds
    nodes: int
    """Positions that were searched for it."""


class Piece(NamedTuple):
    """Something to search: whether a position scores at least ``beta``."""

    key: int
    """The position's canonical key."""
    beta: int


@dataclass(slots=True)
class Node:
    """A position of the tree."""

    key: int
    """Canonical."""
    ply: int
    """Stones on the board."""
    lower: int
    """The score of the side to move is proven to be at least this."""
    upper: int
    """The score of the side to move is proven to be at most this."""
    children: tuple[int, ...] = ()
    """Keys of the positions that follow, each once, the most promising one first; empty while the
    node is not split."""
    parents: list[int] = field(default_factory=list)
    """Keys of the positions that it follows, of those that are split."""
    nodes: int = 0
    """Positions searched for it; of a split node, those of its children."""

    @property
    def bounds(self) -> Bounds:
        """What is proven."""
        return Bounds(self.lower, self.upper)


class Tree:
    """The tree of one position.

    Args:
        root: what is to be proven; a game that goes on.
        split_plies: nodes of fewer plies below the root are split without being tried; deeper ones
            when they have turned out to be hard.
        weak: win, draw or loss is enough.

    Attributes:
        nodes: all nodes by key.
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
        """The node of the position that is to be proven."""
        return self._root

    @property
    def is_decided(self) -> bool:
        """Whether what was asked is proven."""
        root = self._root
        return root.lower >= root.upper or (self._weak and (root.lower > 0 or root.upper < 0))

    @property
    def questions(self) -> tuple[int, ...]:
        """What is asked of the root: whether it scores at least so much; empty when all is decided.

        First what is asked now: win, draw or loss, then away from there one by one, as the search
        itself does. Behind it what will be asked next, depending on the answer.
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
        """The children of a split node that are not decided, the most promising one first.

        Most promising is the one that is proven to be worst for whoever moves there; the order of
        moves decides between equals.

        Args:
            node: the node.
            beta: what is asked of it.
        """
        children = [self.nodes[key] for key in node.children]
        return sorted(
            (child for child in children if not child.bounds.decides(1 - beta)),
            key=lambda child: child.upper,
        )

    def learn(self, key: int, bounds: Bounds, nodes: int = 0) -> None:
        """Take proven bounds into account, also for all that follows from them.

        Args:
            key: of a position; one that is in no tree yet changes nothing.
            bounds: what is proven about it.
            nodes: positions that were searched for that.

        Raises:
            ContradictionError: the bounds cannot be true together with those that are known.
        """
        node = self.nodes.get(key)
        if node is None:
            return
        node.nodes += nodes
        if self._tighten(node, bounds):
            self._back_up(node)

    def split(self, key: int) -> None:
        """Note that a position is too hard for one worker: its children are searched instead.

        Args:
            key: of a position, whether it is in the tree already or not.
        """
        self._hard.add(key)

    def wanted(
        self, number: int, *, running: Collection[Piece] = (), known: Known = lambda _keys: {}
    ) -> list[Piece]:
        """The pieces to search next, the least speculative one first.

        Splits what has to be split on the way.

        Args:
            number: most pieces.
            running: pieces that are being searched; they are left out.
            known: asked, for every node that is split, what is proven about its children.
        """
        while not self.is_decided:
            pieces = self._wanted(number, running, known)
            if pieces is not None:
                return pieces
        return []

    def needs(self, pieces: Iterable[Piece]) -> set[Piece]:
        """Those of some pieces that still have to be searched, if nothing else is found out.

        Of one that is not in the tree (any more, or not yet) nothing can be said: it stays.
        """
        if self.is_decided:
            return set()
        questions = self.questions
        seen: dict[Piece, bool] = {}
        return {piece for piece in pieces if self._needs(piece, questions, seen)}

    def take_backed_up(self) -> list[Node]:
        """Split nodes of which something new is known since this was called last.

        Only those of which their children have decided what is asked, and the root.
        """
        nodes = list(self._backed_up.values())
        self._backed_up.clear()
        return nodes

    def way_to(self, key: int) -> list[int]:
        """The keys of the nodes on a way from the root to a node, both included."""
        way = [key]
        while way[-1] != self._root.key:
            way.append(self.nodes[way[-1]].parents[0])
        return way[::-1]

    def expand(self, node: Node, known: Known) -> None:
        """Make the nodes that follow a node, if it is not split and its game goes on."""
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
        # A child that was there before may say something, too.
        if self._join(node):
            self._back_up(node)

    def position(self, node: Node) -> Position:
        """The position of a node."""
        return Position.from_key(node.key, width=self.board.width, height=self.board.height)

    def _wanted(self, number: int, running: Collection[Piece], known: Known) -> list[Piece] | None:
        """The pieces; None if a node that was split says something new about those above it."""
        pieces: list[Piece] = []
        passed: set[Piece] = set()
        # By speculation; among equals the leftmost way down. A node may be reached on several ways,
        # the least speculative of which comes first.
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
        """What is proven about the positions before a node's, of the root about itself."""
        return [self.nodes[key].bounds for key in node.parents or (node.key,)]

    def _needs(self, piece: Piece, questions: Collection[int], seen: dict[Piece, bool]) -> bool:
        node = self.nodes.get(piece.key)
        return node is None or (
            not node.children
            and self._asked_of_root(node, piece.beta) in questions
            and self._is_open(piece, seen)
        )

    def _asked_of_root(self, node: Node, beta: int) -> int:
        """What was asked of the root where ``beta`` is asked of a node; or the other way round."""
        return 1 - beta if (node.ply - self._root.ply) % 2 else beta

    def _is_open(self, piece: Piece, seen: dict[Piece, bool]) -> bool:
        """Whether a question is undecided, and so is what leads to it from the root on some way."""
        if piece not in seen:
            node = self.nodes[piece.key]
            seen[piece] = not node.bounds.decides(piece.beta) and (
                node is self._root
                or any(self._is_open(Piece(key, 1 - piece.beta), seen) for key in node.parents)
            )
        return seen[piece]

    def _node(self, position: Position) -> Node:
        """The node of a canonical position, made if it is new."""
        node = self.nodes.get(position.key)
        if node is None:
            node = Node(position.key, position.ply, *first_bounds(position))
            self.nodes[node.key] = node
        return node

    def _tighten(self, node: Node, bounds: Bounds) -> bool:
        """Whether bounds say more than was known of a node; then it is known."""
        lower, upper = max(node.lower, bounds.lower), min(node.upper, bounds.upper)
        if lower > upper:
            raise ContradictionError(
                f"contradiction at position {node.key} of {self.board}: proven is a score of "
                f"{node.lower} to {node.upper}, and one of {bounds.lower} to {bounds.upper}",
                key=node.key,
                width=self.board.width,
                height=self.board.height,
            )
        if (lower, upper) == node.bounds:
            return False
        node.lower, node.upper = lower, upper
        return True

    def _join(self, node: Node) -> bool:
        """Whether a split node's children say more about it than was known; then it is known."""
        children = [self.nodes[key] for key in node.children]
        return self._tighten(
            node,
            Bounds(
                max(-child.upper for child in children), max(-child.lower for child in children)
            ),
        )

    def _back_up(self, node: Node) -> None:
        """Carry a node's new bounds up to all nodes that they say something about."""
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
    """The one of a position and its mirror image that stands for both."""
    return position if position.key == position.canonical_key else position.mirrored()


def first_bounds(position: Position) -> Bounds:
    """What a look at the board says about a score."""
    width, height = position.board
    if position.is_over:
        # Won by the last stone, when one stone fewer was on the board; or full.
        won = (position.board.cells + 2 - position.ply) // 2
        score = -won if position.winner else 0
        return Bounds(score, score)
    lower, upper = score_limits(position.ply, width, height)
    if any(map(position.is_winning, position.legal_columns())):
        return Bounds(upper, upper)
    # Without a win at once, the earliest one is made with the move after the next.
    return Bounds(lower, (position.board.cells - 1 - position.ply) // 2)
