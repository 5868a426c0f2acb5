"""The tree reaches the true score for any order of the workers' results."""

import random
from collections.abc import Iterable

from hypothesis import example, given, settings, strategies as st

from c4core import Position
from tests.support.boards.reference import ReferenceSolver, columns_of
from workers.deep.tree import Bounds, Fact, Piece, Tree

ORACLES = {height: ReferenceSolver(height) for height in (4, 5)}


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """A position that is not over, with few enough empty squares for the oracle."""
    width, height = draw(st.sampled_from([(4, 4), (4, 5), (5, 4)]))
    empty = draw(st.integers(4, 9))
    position = Position(width=width, height=height)
    for choice in draw(st.binary(min_size=24, max_size=24)):
        if position.ply >= position.board.cells - empty:
            break
        columns = [c for c in position.legal_columns() if not position.play(c).is_over]
        if not columns:
            break
        position = position.play(columns[choice % len(columns)])
    return position


def score(position: Position) -> int:
    return ORACLES[position.height].score(columns_of(position))


class Farm:
    """Workers that take wanted pieces, finish in any order, give up, and are killed.

    ``stored`` stands for the database: all bounds proven so far.
    """

    def __init__(self, chance: random.Random, tree: Tree) -> None:
        self.chance = chance
        self.tree = tree
        self.running: set[Piece] = set()
        self.stored: dict[int, Bounds] = {}
        self.hard: set[int] = set()

    def known(self, keys: Iterable[int]) -> dict[int, Fact]:
        return {key: Fact(self.stored[key], 1) for key in keys if key in self.stored}

    def hire(self, number: int) -> None:
        wanted = self.tree.wanted(number, running=self.running, known=self.known)
        assert len(wanted) <= number
        assert len(set(wanted)) == len(wanted)
        assert not self.running & set(wanted)
        # Every wanted or running piece is needed. If nothing is running, some piece is wanted.
        assert self.tree.needs(wanted) == set(wanted)
        assert wanted or self.running or self.tree.is_decided
        self.running.update(wanted)

    def finish_one(self) -> None:
        piece = self.chance.choice(sorted(self.running))
        self.running.remove(piece)
        position = self.tree.position(self.tree.nodes[piece.key])
        event = self.chance.random()
        if event < 0.1:
            return  # killed: another worker takes the piece
        if event < 0.3 and piece.key not in self.hard:
            self.hard.add(piece.key)
            self.tree.split(piece.key)
        else:
            exact = score(position)
            slack = self.chance.choice([0, 0, 1])
            bounds = Bounds(exact, exact + slack) if exact >= piece.beta else None
            bounds = bounds or Bounds(exact - slack, exact)
            self.tree.learn(piece.key, bounds, nodes=1)
            self.stored[piece.key] = self.tree.nodes[piece.key].bounds
        self.running = self.tree.needs(self.running)


@settings(max_examples=60)
@given(
    positions(),
    st.integers(0, 3),
    st.sampled_from(["weak", "exact"]),
    st.integers(1, 5),
    st.integers(0, 10**9),
)
def test_the_true_score_is_proven(
    start: Position, split_plies: int, question: str, workers: int, seed: int
) -> None:
    weak = question == "weak"
    tree = Tree(start, split_plies=split_plies, weak=weak)
    farm = Farm(random.Random(seed), tree)
    exact = score(start)
    rounds = 0
    while not tree.is_decided:
        farm.hire(workers)
        if farm.running:
            farm.finish_one()
        assert tree.root.lower <= exact <= tree.root.upper
        rounds += 1
        assert rounds < 10_000
    assert not farm.tree.needs(farm.running)
    if weak and exact:
        assert (tree.root.lower > 0) is (exact > 0)
    else:
        assert tree.root.bounds == (exact, exact)
    for node in tree.nodes.values():
        assert node.lower <= score(tree.position(node)) <= node.upper


@settings(max_examples=30)
@given(positions(), st.integers(0, 3), st.integers(1, 30), st.integers(0, 10**9))
@example(Position("31424511132", width=5, height=4), 3, 10, 1)
@example(Position("1311242422344343", width=4, height=5), 2, 1, 681224235)
def test_a_rebuilt_tree_wants_the_same_pieces(
    start: Position, split_plies: int, steps: int, seed: int
) -> None:
    """Any process finds needed pieces from the stored bounds and the pieces that were split.

    After it has split the same positions, it wants the same pieces.
    """
    tree = Tree(start, split_plies=split_plies)
    farm = Farm(random.Random(seed), tree)
    for _ in range(steps):
        farm.hire(2)
        if farm.running:
            farm.finish_one()
        for node in tree.take_backed_up():
            farm.stored[node.key] = node.bounds
    anew = Tree(start, split_plies=split_plies)
    anew.learn(anew.root.key, farm.stored.get(anew.root.key, Bounds(-99, 99)))
    for key in farm.hard:
        anew.split(key)
    wanted, found = (each.wanted(5, known=farm.known) for each in (tree, anew))
    assert anew.root.bounds == tree.root.bounds
    assert tree.needs(found) == set(found)
    shared: set[tuple[int, int]] = set()
    while shared != (split := splits(tree) | splits(anew)):
        shared = split
        for each in (tree, anew):
            for _, key in sorted(shared):
                each.expand(each.nodes[key], farm.known)
        wanted, found = (each.wanted(5, known=farm.known) for each in (tree, anew))
    assert found == wanted


def splits(tree: Tree) -> set[tuple[int, int]]:
    """The plies and keys of the nodes that are split."""
    return {(node.ply, node.key) for node in tree.nodes.values() if node.children}
