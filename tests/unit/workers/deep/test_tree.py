"""The proof tree: its questions, the next wanted pieces, and pieces that become unnecessary."""

import threading

import pytest

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db.errors import ContradictionError
from tests.support.running.waiting import await_that
from workers.deep.job import ask
from workers.deep.task import MAX_SPLIT_PLIES, DeepTask, plies_to_split
from workers.deep.tree import (
    REFUTED,
    UNTRIED,
    Bounds,
    Fact,
    Piece,
    Tree,
    canonical,
    first_bounds,
    ordered_columns,
)

SMALL = BoardSize(5, 4)


def empty(board: BoardSize = SMALL) -> Position:
    return Position(width=board.width, height=board.height)


def child(position: Position, *columns: int) -> int:
    """The key of the position after a move, with columns counted from 1."""
    for column in columns:
        position = position.play(column - 1)
    return position.canonical_key


def at_least(beta: int) -> Bounds:
    return Bounds(beta, 8)


def less_than(beta: int) -> Bounds:
    return Bounds(-8, beta - 1)


def wanted_now(tree: Tree) -> list[Piece]:
    """The wanted pieces without the next questions, for trees with leaves at an odd depth."""
    return [piece for piece in tree.wanted(999) if piece.beta == 1 - tree.questions[0]]


class TestQuestions:
    def test_the_outcome_is_asked_first_then_the_next_scores(self) -> None:
        tree = Tree(empty(), split_plies=0)
        key = tree.root.key
        assert tree.questions == (1, 2, 0)
        assert tree.wanted(1) == [Piece(key, 1)]
        tree.learn(key, at_least(1))
        assert tree.wanted(1) == [Piece(key, 2)]
        tree.learn(key, at_least(2))
        assert tree.wanted(1) == [Piece(key, 3)]
        tree.learn(key, less_than(3))
        assert tree.is_decided
        assert tree.questions == ()
        assert tree.wanted(9) == []
        assert tree.root.bounds == (2, 2)

    def test_after_a_loss_lower_scores_are_asked(self) -> None:
        tree = Tree(empty(), split_plies=0)
        key = tree.root.key
        for beta in (1, 0, -1, -2):
            assert tree.wanted(1) == [Piece(key, beta)]
            tree.learn(key, less_than(beta))
        assert tree.root.upper == -3

    def test_idle_workers_get_the_next_questions(self) -> None:
        tree = Tree(empty(), split_plies=0)
        key = tree.root.key
        pieces = tree.wanted(9)
        assert pieces == [Piece(key, 1), Piece(key, 2), Piece(key, 0)]
        assert tree.needs(pieces) == set(pieces)
        tree.learn(key, at_least(1))
        assert tree.needs(pieces) == {Piece(key, 2)}
        assert tree.wanted(9) == [Piece(key, 2), Piece(key, 3)]
        tree.learn(key, less_than(3))
        assert tree.wanted(9) == [Piece(key, 2)]
        # A speculative question may be the answer.
        tree = Tree(empty(), split_plies=0)
        tree.learn(key, at_least(2))
        assert tree.needs(pieces) == set()
        assert tree.questions == (3, 4)

    def test_a_weak_tree_asks_only_for_the_sign(self) -> None:
        tree = Tree(empty(), split_plies=0, weak=True)
        assert tree.questions == (1, 0)
        tree.learn(tree.root.key, less_than(1))
        assert tree.questions == (0,)
        assert not tree.is_decided
        tree.learn(tree.root.key, less_than(0))
        assert tree.is_decided

    def test_questions_about_children_are_from_the_other_side(self) -> None:
        tree = Tree(empty(), split_plies=2)
        assert [piece.beta for piece in tree.wanted(2)] == [1, 1]
        assert {piece.beta for piece in tree.wanted(999)} == {1, 2, 0}
        tree = Tree(empty(), split_plies=3)
        assert [piece.beta for piece in tree.wanted(2)] == [0, 0]
        assert {piece.beta for piece in tree.wanted(999)} == {0, -1, 1}

    def test_an_immediate_win_is_decided(self) -> None:
        tree = Tree(Position("112233", width=5, height=4), split_plies=3)
        assert tree.is_decided
        assert tree.root.bounds == (7, 7)


class TestPieces:
    def test_the_eldest_comes_first_and_speculation_grows(self) -> None:
        start = empty()
        tree = Tree(start, split_plies=1)
        # Mirror images are searched once.
        children = [child(start, column) for column in (3, 2, 1)]
        assert [piece.key for piece in wanted_now(tree)] == children
        assert ordered_columns(Position()) == [3, 2, 4, 1, 5, 0, 6]
        assert 3 not in ordered_columns(Position("444444"))  # the current board counts

    def test_a_proving_move_makes_the_others_unnecessary(self) -> None:
        start = empty()
        tree = Tree(start, split_plies=1)
        pieces = wanted_now(tree)
        assert tree.needs(pieces) == set(pieces)
        tree.learn(child(start, 2), less_than(0))
        assert tree.root.lower == 1
        assert tree.needs(pieces) == set()

    def test_a_failing_move_leaves_the_others(self) -> None:
        start = empty()
        tree = Tree(start, split_plies=1)
        pieces = wanted_now(tree)
        tree.learn(child(start, 3), at_least(0))
        assert tree.needs(pieces) == set(pieces[1:]) == set(wanted_now(tree))
        tree.learn(child(start, 2), at_least(0))
        tree.learn(child(start, 1), at_least(0))
        assert (tree.root.upper, tree.questions) == (0, (0, -1))
        assert tree.needs(pieces) == set()  # the question has changed

    def test_after_a_failure_brothers_are_less_speculative(self) -> None:
        """The second grandchild behind a failed move comes before the second move's first."""
        assert REFUTED < UNTRIED
        start = empty()
        tree = Tree(start, split_plies=2)
        tree.wanted(1)
        eldest = tree.nodes[child(start, 3)]
        first, second, *_ = [node.key for node in tree.open_children(eldest, 0)]
        tree.learn(first, at_least(1))
        assert tree.wanted(2) == [Piece(second, 1), Piece(tree.open_children(eldest, 0)[1].key, 1)]

    def test_a_piece_that_is_too_hard_is_split(self) -> None:
        start = empty()
        tree = Tree(start, split_plies=0)
        tree.split(start.canonical_key)
        assert tree.wanted(1) == [Piece(child(start, 3), 0)]
        tree.split(child(start, 3))
        assert tree.wanted(1)[0].beta == 1

    def test_stored_positions_are_not_wanted(self) -> None:
        start = empty()
        asked: list[int] = []

        def known(keys: list[int]) -> dict[int, Fact]:
            asked.extend(keys)
            return {child(start, 3): Fact(at_least(0), 5)}

        tree = Tree(start, split_plies=1)
        pieces = tree.wanted(1, known=known)
        assert sorted(asked) == sorted(tree.root.children)
        assert pieces == [Piece(child(start, 2), 0)]
        assert Piece(child(start, 3), 0) not in tree.wanted(99, known=known)
        # They may decide everything.
        tree = Tree(start, split_plies=2, weak=True)
        decided = {child(start, 3): Fact(less_than(0), 5)}
        assert tree.wanted(9, known=lambda _keys: decided) == []
        assert (tree.root.lower, tree.root.nodes) == (1, 5)


class TestLearning:
    def test_bounds_that_cross_are_refused(self) -> None:
        tree = Tree(empty(), split_plies=0)
        tree.learn(1, Bounds(9, 9))  # of an unknown position
        assert list(tree.nodes) == [tree.root.key]
        tree.learn(tree.root.key, at_least(2))
        with pytest.raises(ContradictionError, match=r"of 5x4: the score is proven to be 2 to"):
            tree.learn(tree.root.key, less_than(2))

    def test_decided_split_nodes_are_reported_once(self) -> None:
        start = empty()
        tree = Tree(start, split_plies=2)
        tree.wanted(1)
        eldest = tree.nodes[child(start, 3)]
        tree.take_backed_up()
        for key in eldest.children:
            tree.learn(key, at_least(1), nodes=10)
        told = {node.key for node in tree.take_backed_up()}
        assert told == {eldest.key, tree.root.key}
        assert tree.root.lower == 1
        assert eldest.nodes == 10 * len(eldest.children)
        assert tree.take_backed_up() == []


class TestAsking:
    @pytest.mark.parametrize("beta", [-3, -1, 0, 1, 2, 5])
    def test_the_question_is_answered(self, beta: int) -> None:
        position = canonical(Position("33", width=5, height=5))
        score = Solver().solve(position).score
        assert score is not None
        finding = ask(position, beta, Solver(), known=first_bounds(position), node_limit=10_000_000)
        assert not finding.is_hard
        assert finding.bounds.decides(beta)
        assert (finding.bounds.lower >= beta) is (score >= beta)

    def test_known_positions_are_not_searched(self) -> None:
        position = Position(width=6, height=5)
        finding = ask(position, 1, Solver(), known=Bounds(1, 5), node_limit=1_000)
        assert (finding.nodes, finding.bounds, finding.is_hard) == (0, (1, 5), False)

    def test_too_many_nodes_are_hard(self) -> None:
        position = Position(width=7, height=6)
        finding = ask(position, 1, Solver(), known=first_bounds(position), node_limit=60_000)
        assert finding.is_hard
        assert 0.8 * 60_000 <= finding.nodes <= 60_000

    @pytest.mark.parametrize("meant_for_others", [False, True])
    def test_stopping_is_not_hard(self, *, meant_for_others: bool) -> None:
        """A stop that is meant for others is ignored."""
        size = 5 if meant_for_others else 8  # 8x8 cannot be decided during a test
        position = Position(width=size, height=size)
        solver, stopped = Solver(), threading.Event()

        def stop() -> None:
            await_that(lambda: solver.progress[0] > 1_000)
            if not meant_for_others:
                stopped.set()
            solver.stop()

        stopper = threading.Thread(target=stop)
        stopper.start()
        known = first_bounds(position)
        finding = ask(position, 1, solver, known=known, node_limit=10**9, is_stopped=stopped.is_set)
        stopper.join()
        assert finding.nodes > 0
        assert not finding.is_hard
        assert finding.bounds.decides(1) is meant_for_others


class TestTask:
    def test_parameters_round_trip(self) -> None:
        task = DeepTask(Position("33", width=5, height=4), "33", True, 4, 1_000)
        assert DeepTask.from_params(task.as_params(), task.board) == task

    def test_mirror_images_have_equal_tasks(self) -> None:
        left = DeepTask(Position("12"), "12", split_plies=3)
        right = DeepTask(Position("76"), "76", split_plies=5)
        assert left.asks_like(right)
        assert not left.asks_like(DeepTask(Position("12"), "12", weak=True))
        assert not left.asks_like(DeepTask(Position("13"), "13"))

    @pytest.mark.parametrize(("threads", "plies"), [(1, 1), (2, 3), (8, 3), (16, 4), (64, 6)])
    def test_more_threads_need_a_deeper_split(self, threads: int, plies: int) -> None:
        assert plies_to_split(threads) == plies
        assert plies_to_split(10**6) <= MAX_SPLIT_PLIES
