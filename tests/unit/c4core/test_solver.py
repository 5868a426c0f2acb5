"""The solver's calls: results, limits and errors."""

import _thread
import math
import pickle
import subprocess
import sys
import threading
import time
from itertools import islice
from typing import Any, cast

import numpy as np
import pytest

from c4core import MoveError, Position, solver as solver_module
from c4core.arrays import open_plies, wins_now
from c4core.errors import BoardError, KeyValueError
from c4core.evaluation import NO_SCORE, exact_scores, score_limits
from c4core.notation import DEFAULT_BOARD
from c4core.solver import Solver
from tests.support.running.interrupts import interrupted_when
from tests.support.running.waiting import HANG_SECONDS, await_that

# Positions with known scores: from the opening to the last move, won, lost and drawn.
KNOWN = [
    ("45461667", 11), ("32164625", 11), ("22144426444", 15), ("265756512", -12),
    ("52753311433677442422121", 8), ("271713432331713132", -11), ("274552224131661", 0),
    ("5455174361263362", -1), ("2252576253462244111563365343671351441", -1),
    ("3135151421347443544172316522225776773566", 0),
]  # fmt: skip


HARD = Position("")
LARGE = Position("44445")
"""Has several hundred thousand nodes: more than a call visits before it starts threads."""
ENDLESS = Position("", board="8x7")
"""Takes hours."""


@pytest.fixture
def solver() -> Solver:
    return Solver(table_mb=1)


def searches(solver: Solver) -> bool:
    """Whether a search of a new solver has started."""
    return solver.progress[0] > 0


@pytest.mark.parametrize(("moves", "score"), KNOWN)
def test_known_scores(solver: Solver, moves: str, score: int) -> None:
    position = Position(moves)
    evaluation = solver.solve(position)
    assert evaluation.score == score
    assert evaluation.nodes > 0
    assert evaluation.seconds >= 0
    assert pickle.loads(pickle.dumps(evaluation)) == evaluation  # noqa: S301
    for column in solver.principal_variation(position):
        position = position.play(column)
        score = -score
        assert solver.solve(position).score == score
    assert position.is_over


def test_one_null_window_takes_fewer_nodes_than_a_search(solver: Solver) -> None:
    assert 0 < solver.test("4453", 1).nodes < Solver(table_mb=1).solve("4453").nodes


def test_finished_positions(solver: Solver) -> None:
    won = Position("1212121")
    assert solver.solve(won).score == solver.analyze(won).score == -18
    assert solver.analyze(won).best == solver.principal_variation(won) == ()
    assert solver.solve(Position("12", board="2x1")).score == 0


@pytest.mark.parametrize("limit", [{"node_limit": 1000}, {"time_limit": 0.02}, {"node_limit": 0}])
@pytest.mark.parametrize("threads", [1, 2])
def test_limits_leave_correct_bounds(threads: int, limit: dict[str, Any]) -> None:
    solver = Solver(table_mb=1, threads=threads)
    for found in (solver.solve(HARD, **limit), solver.test(HARD, 1, **limit)):
        assert found.score is None
        assert found.lower <= 1 <= found.upper
        assert found.nodes <= limit.get("node_limit", found.nodes)
    analysis = solver.analyze(HARD, **limit)
    assert (analysis.score, analysis.best) == (None, ())
    assert analysis.lower <= 1 <= analysis.upper


@pytest.mark.parametrize("threads", [1, 3])
def test_a_limited_analysis_has_bounds_of_every_column(threads: int) -> None:
    for moves, width, height in (
        ("44", 8, 8), ("", 10, 7), ("445", 9, 7), ("4444", 7, 6), ("1122", 5, 5),
    ):  # fmt: skip
        position = Position(moves, board=(width, height))
        for node_limit in (0, 20_000, 400_000):
            solver = Solver(table_mb=1, threads=threads)
            found = solver.analyze(position, node_limit=node_limit)
            known = [pair for pair in found.bounds if pair is not None]
            assert len(known) == len(position.legal_columns())
            assert found.lower >= max(lower for lower, _ in known)
            assert found.upper <= max(upper for _, upper in known)
            assert found.upper >= max(upper for _, upper in known)
            assert found.scores == exact_scores(found.bounds)
            for column in position.legal_columns():
                child = Solver(table_mb=1).solve(position.play(column), node_limit=50_000)
                lower, upper = found.bounds[column] or (1, 0)
                assert lower <= upper
                # Both searches have proven their bounds.
                assert max(lower, -child.upper) <= min(upper, -child.lower)


@pytest.mark.parametrize(("width", "height"), [(8, 7), (8, 8), (9, 7), (10, 7)])
def test_an_open_three_is_found_at_once(width: int, height: int) -> None:
    position = Position("4455", board=(width, height))
    win = score_limits(6, position.board)[1]  # with the seventh stone
    found = Solver().analyze(position, node_limit=40_000)
    assert found.score == win
    assert found.best == (2, 5)


def test_analyses_in_turns_give_the_same_scores(solver: Solver) -> None:
    for moves in ("2252576253462244", "44455554221", "445566112211"):
        expected = Solver().analyze(moves)
        found = solver.analyze(moves, node_limit=10**9)
        assert (found.scores, found.score) == (expected.scores, expected.score)
        batch = solver.analyze_many([moves], node_limit=10**9)
        assert batch.column_lower.tolist() == batch.column_upper.tolist()
        assert batch.scores.tolist() == batch.column_lower.tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_limits_are_respected(threads: int) -> None:
    began = time.monotonic()
    assert Solver(table_mb=1, threads=threads).solve(ENDLESS, time_limit=0.3).score is None
    assert time.monotonic() - began >= 0.3
    assert Solver(threads=threads).solve(HARD, node_limit=200_000).nodes <= 200_000


def test_stop_ends_every_running_call_and_no_later_one(solver: Solver) -> None:
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(solver.solve(ENDLESS))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    await_that(lambda: searches(solver), seconds=HANG_SECONDS)
    # Repeat, in case one of them starts late.
    while any(thread.is_alive() for thread in threads):
        solver.stop()
        threads[0].join(0.05)
        threads[1].join(0.05)
    assert [result.score for result in results] == [None, None]
    assert solver.solve(Position("45461667")).score == 11


def test_batch_of_texts_positions_and_keys(solver: Solver) -> None:
    texts = [moves for moves, _ in KNOWN]
    scores = [score for _, score in KNOWN]
    keys = np.array([Position(moves).key for moves in texts], dtype=np.uint64)
    for batch in (texts, [Position(moves) for moves in texts], keys):
        result = solver.solve_many(batch)
        assert len(result) == len(scores)
        assert result.exact.all()
        assert result.scores.tolist() == scores
        assert result.nodes.dtype == np.uint64
        assert result.seconds > 0
    assert len(solver.solve_many([])) == 0
    assert solver.analyze_many([], board="5x4").scores.shape == (0, 5)


def test_related_positions_take_fewer_nodes() -> None:
    start = Position("327515712344")  # twelve stones
    *_, relatives = islice(open_plies(start), 3)
    relatives = relatives[~wins_now(relatives, DEFAULT_BOARD)]
    usual, related = (Solver().solve_many(relatives, related=related) for related in (False, True))
    assert (usual.scores == related.scores).all()
    assert related.nodes.sum() < 0.95 * usual.nodes.sum()


@pytest.mark.parametrize("threads", [1, 5])
def test_batch_does_not_depend_on_threads(threads: int) -> None:
    positions = [Position(moves[:length]) for moves, _ in KNOWN for length in range(20, len(moves))]
    scores = [Solver(table_mb=1).solve(position).score for position in positions]
    assert Solver(table_mb=1).solve_many(positions, threads=threads).scores.tolist() == scores
    analysis = Solver(table_mb=1, threads=threads).analyze_many(positions)
    assert analysis.lower.tolist() == scores
    assert (
        np.where(analysis.scores == NO_SCORE, -99, analysis.scores).max(axis=1).tolist() == scores
    )


def test_limited_batch(solver: Solver) -> None:
    result = solver.solve_many([HARD, Position("45461667")], node_limit=5000)
    assert result.exact.tolist() == [False, True]
    assert result.scores.mask.tolist() == [True, False]
    stopped = solver.solve_many([ENDLESS] * 40, time_limit=0.02)
    assert not stopped.exact.any()
    assert (stopped.lower <= 1).all()
    assert (stopped.upper >= 1).all()


def test_batch_refuses_bad_positions(solver: Solver) -> None:
    with pytest.raises(MoveError, match=r"positions\[1\]: move 7: column 4") as caught:
        solver.solve_many(["44", "4444444"])
    assert (caught.value.kind, caught.value.column, caught.value.index) == ("full", 3, 6)
    with pytest.raises(TypeError, match=r"positions\[2\]: moves must be text"):
        solver.solve_many(cast("list[str]", ["44", HARD, 3]))
    with pytest.raises(KeyValueError, match=r"positions\[1\]: 0 is not a key"):
        solver.solve_many(np.array([HARD.key, 0], dtype=np.uint64))
    assert solver.solve_many(list(np.array(["45461667"]))).scores.tolist() == [11]
    with pytest.raises(BoardError):
        solver.solve_many([Position(), Position(board="6x6")])
    with pytest.raises(BoardError):
        solver.solve_many([], board="99x6")
    with pytest.raises(TypeError):
        solver.solve_many("4453")
    with pytest.raises(TypeError):
        solver.solve_many(np.array([1.5]))  # type: ignore[arg-type]


def test_bad_settings_and_limits_are_refused(solver: Solver) -> None:
    for limit in (-1.0, math.nan):
        with pytest.raises(ValueError, match="time_limit"):
            solver.solve(HARD, time_limit=limit)
    with pytest.raises(ValueError, match="node_limit"):
        solver.solve(HARD, node_limit=-1)
    with pytest.raises(ValueError, match="table_mb"):
        Solver(table_mb=0)
    with pytest.raises(ValueError, match="threads"):
        Solver(threads=0)
    with pytest.raises(ValueError, match="table_mb must be between 1 and"):
        Solver(table_mb=10**20)
    wrong: tuple[Any, ...] = (1.5, "2")
    for number in wrong:
        for call in (
            lambda threads: Solver(threads=threads),
            lambda table_mb: Solver(table_mb=table_mb),
            lambda limit: solver.solve(HARD, node_limit=limit),
            lambda beta: solver.test(HARD, beta),
            lambda threads: solver.solve_many([], threads=threads),
            lambda width: solver.solve_many([], board=(width, 6)),
        ):
            with pytest.raises(TypeError, match="integer"):
                call(number)
    assert solver.test(Position("45461667"), 10**30).nodes == 0  # no score is that high
    assert solver.solve_many(["44"], threads=np.int64(2), node_limit=np.uint8(9)).nodes[0] <= 9


# Positions that take one thread at least some 200,000 nodes, with an immediate win threatened.
THREATENED = ("33563536", "3761413", "4122621374", "4434651", "61155412")


@pytest.mark.parametrize("moves", THREATENED)
def test_several_threads_find_the_same_as_one(moves: str) -> None:
    position = Position(moves)
    one, several = Solver().analyze(position), Solver(threads=3).analyze(position)
    assert (several.scores, several.score, several.best) == (one.scores, one.score, one.best)
    line = Solver(threads=3).principal_variation(position)
    assert line == Solver().principal_variation(position)
    assert line[0] in one.best


# Positions that take one thread 60,000 to 500,000 nodes, on narrow and wide boards.
HARDER = [
    (6, 6, "34", -1),
    (6, 7, "22263324511", -2),
    (9, 4, "9237119155", 0),
    (5, 12, "521115242213235253354211", 4),
    (5, 13, "344232133414244123135214", -10),
    (8, 8, "325484282257438818838482553641", 0),
]


@pytest.mark.parametrize("threads", [2, 4, 8])
@pytest.mark.parametrize(("width", "height", "moves", "score"), HARDER)
def test_threads_share_a_position(
    width: int, height: int, moves: str, score: int, threads: int
) -> None:
    position = Position(moves, board=(width, height))
    assert Solver(threads=1).solve(position).score == score
    assert Solver(threads=threads).solve(position).score == score
    # A table that is too small for the search loses bounds of split positions.
    assert Solver(table_mb=1, threads=threads).solve(position).score == score
    value = Solver(threads=threads).solve(position, weak=True)
    assert (value.lower > 0, value.upper < 0) == (score > 0, score < 0)
    solver = Solver(threads=threads)
    assert solver.test(position, score).lower >= score
    assert solver.test(position, score + 1).upper <= score
    assert solver.progress[1] in (None, *range(-30, score + 1))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", ["solve", "test", "analyze", "principal_variation", "solve_many"])
def test_a_signal_ends_a_call(call: str, threads: int) -> None:
    solver = Solver(threads=threads)
    arguments = {"solve_many": ([ENDLESS] * 20,), "test": (ENDLESS, 1)}.get(call, (ENDLESS,))
    with pytest.raises(KeyboardInterrupt):
        interrupted_when(lambda: searches(solver), getattr(solver, call), *arguments)
    assert solver.solve(Position("45461667")).score == 11


def test_a_signal_ends_a_batch_that_only_helpers_work_on() -> None:
    # The first sixteen are solved at once; then the calling thread waits for its helper.
    batch = [Position("1212121", board="8x7")] * 16 + [ENDLESS] * 4
    solver = Solver(table_mb=1, threads=2)
    before = _thread._count()
    with pytest.raises(KeyboardInterrupt):
        interrupted_when(lambda: searches(solver), solver.solve_many, batch)
    await_that(lambda: _thread._count() <= before, seconds=HANG_SECONDS)  # no thread continues
    assert solver.solve_many(["45461667"] * 40).scores.tolist() == [11] * 40


def test_a_signal_during_a_principal_variation_is_raised(solver: Solver) -> None:
    position = Position("44532514")
    line = solver.principal_variation(position)
    total = solver.progress[0]
    for share in (0.1, 0.5, 0.9):
        solver.clear()
        begun = solver.progress[0]
        with pytest.raises(KeyboardInterrupt):
            interrupted_when(
                lambda least=begun + share * total: solver.progress[0] > least,
                solver.principal_variation,
                position,
            )
        assert solver.principal_variation(position) == line


@pytest.mark.parametrize("started", [0, 1])
def test_a_search_works_without_threads_that_the_system_refuses(
    monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    start, calls = solver_module.start_new_thread, []

    def refuse(*arguments: object) -> int:
        calls.append(arguments)
        if len(calls) > started:
            raise RuntimeError("can't start new thread")
        return start(*arguments)

    monkeypatch.setattr(solver_module, "start_new_thread", refuse)
    solver = Solver(table_mb=1, threads=8)
    assert solver.solve_many(["45461667"] * 400).scores.tolist() == [11] * 400
    calls.clear()
    assert solver.solve("33651363").score == Solver(table_mb=1).solve("33651363").score
    assert calls


FORKED = """
import os, signal, sys, threading
from c4core import Position, Solver

def work():
    if os.fork() == 0:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            Solver().solve(Position())
        except ZeroDivisionError:
            os._exit(7)
        os._exit(1)

signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
thread = threading.Thread(target=work)
thread.start()
thread.join()
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_process_forked_by_a_thread_handles_signals() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED])  # noqa: PLW1510
    assert done.returncode == 7


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_reported_during_a_search(threads: int) -> None:
    solver = Solver(table_mb=1, threads=threads)
    assert solver.progress == (0, None, None)
    nodes = [0]
    search = threading.Thread(target=solver.solve, args=[ENDLESS])

    def has_grown() -> bool:
        nodes.append(solver.progress[0])
        return len(set(nodes)) > 3

    search.start()
    await_that(has_grown, seconds=HANG_SECONDS)
    solver.stop()
    search.join()
    assert nodes == sorted(nodes)


def test_final_progress_agrees_with_the_answer(solver: Solver) -> None:
    evaluation = solver.solve("44455554221")
    assert solver.progress == (evaluation.nodes, evaluation.lower, evaluation.upper)
    for batch in (solver.solve_many, solver.analyze_many):
        analysis = solver.analyze("44455554221")
        assert solver.progress[1:] == (analysis.lower, analysis.upper)
        batch(["44455554221"])
        assert solver.progress[1:] == (None, None)


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_counts_every_node_once(threads: int) -> None:
    """Including searches that end before the progress is read, and all threads."""
    solver = Solver(threads=threads)
    easy = [moves for moves, _ in KNOWN if len(moves) > 20]
    nodes = [
        solver.solve("44455554221").nodes,
        solver.solve(LARGE).nodes,
        solver.analyze("44455554").nodes,
        solver.solve(easy[0]).nodes,
        solver.test("12345", 1).nodes,
        int(solver.solve_many(easy * 20).nodes.sum()),
        int(solver.analyze_many(easy).nodes.sum()),
        solver.solve(HARD, node_limit=100).nodes,
        solver.solve(HARD, node_limit=60_000).nodes,
        solver.analyze(HARD, node_limit=60_000).nodes,
    ]
    assert nodes[1] > 100_000
    assert solver.progress[0] == sum(nodes)
    solver.principal_variation("271713432")
    assert solver.progress[0] > sum(nodes)


def test_a_board_frees_its_table_for_the_next_one() -> None:
    """All tables together take as much memory as one; the current board keeps its own."""
    solver, position = Solver(table_mb=4), Position("3333", board="6x5")
    first = solver.solve(position)
    again = solver.solve(position)
    assert again.score == first.score
    assert again.nodes < first.nodes / 10
    assert solver.solve(Position(board="5x4")).score == 0
    assert solver.solve(position).nodes == first.nodes
    solver.clear()
    assert solver.solve(position).nodes == first.nodes


SOLVE_ON_MANY_BOARDS = """
import resource
from c4core import Position, Solver

resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
solver = Solver(table_mb=512)
for width in range(4, 9):
    for height in range(3, 7):
        solver.solve(Position("11", board=(width, height)), node_limit=100)
        solver.analyze_many(["11"], board=(width, height), node_limit=100)
"""


def test_many_boards_take_as_much_memory_as_one() -> None:
    subprocess.run([sys.executable, "-c", SOLVE_ON_MANY_BOARDS], check=True)


def test_searches_continue_while_other_threads_change_the_board() -> None:
    """A table is not freed or cleared while a thread searches in it."""
    boards = [(6, 5), (5, 5), (6, 4), (5, 4)]
    expected = {size: Solver().solve(Position("22", board=size)).score for size in boards}
    solver = Solver(table_mb=1)
    wrong: list[object] = []

    def ask(first: int) -> None:
        for turn in range(first, first + 40):
            size = boards[turn % len(boards)]
            found = solver.solve(Position("22", board=size), time_limit=1)
            batch = solver.solve_many(["22"] * 3, board=size, time_limit=1)
            scores = {found.score, *batch.lower[batch.exact].tolist()} - {None}
            wrong.extend(scores - {expected[size]})
            if turn % 7 == 0:
                solver.clear()

    threads = [threading.Thread(target=ask, args=[first]) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_calls_accept_moves_as_text(solver: Solver) -> None:
    moves = "2252576253462244111563365343671351441"
    position = Position(moves)
    assert solver.solve(moves).score == solver.solve(position).score
    assert solver.analyze(moves).scores == solver.analyze(position).scores
    assert solver.test(moves, 1).lower == solver.test(position, 1).lower
    assert solver.principal_variation(moves) == solver.principal_variation(position)
    calls: tuple[Any, ...] = (solver.solve, solver.analyze, solver.principal_variation)
    for call in calls:
        with pytest.raises(MoveError, match="column 9 is outside"):
            call("449")
        with pytest.raises(TypeError, match="a position is a Position or a text of moves"):
            call(None)
