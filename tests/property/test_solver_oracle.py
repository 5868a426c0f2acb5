"""The solver against the slow oracle, on boards of many shapes with odd and even heights."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from c4core import Position
from c4core.evaluation import plies_to_end
from c4core.reference import ReferenceSolver, columns_of, reference_scores
from c4core.solver import Solver

SOLVER = Solver(table_mb=1)


def most_empty(width: int) -> int:
    """Empty squares that the oracle, which searches everything, is asked to fill."""
    return 10 if width <= 7 else 6


@st.composite
def late_positions(draw: st.DrawFn) -> Position:
    """A position near its end (or over) on any board that the oracle can bear."""
    width = draw(st.integers(1, 32))
    height = draw(st.integers(1, min(19, 64 // width - 1)))
    cells = width * height
    target = max(0, cells - draw(st.integers(0, most_empty(width))))
    position = Position(width=width, height=height)
    choices = draw(st.lists(st.integers(0, 1 << 30), min_size=target, max_size=target))
    for choice in choices:
        # Winning moves are shunned, or hardly any game would come near its end.
        columns = [c for c in position.legal_columns() if not position.is_winning(c)]
        columns = columns or list(position.legal_columns())
        if not columns:
            break
        position = position.play(columns[choice % len(columns)])
    return position


def small_enough(position: Position) -> bool:
    empty = position.width * position.height - position.ply
    return position.is_over or empty <= most_empty(position.width)


@settings(max_examples=100, deadline=None)
@given(late_positions(), st.integers(-12, 12))
def test_null_windows_hold(position: Position, beta: int) -> None:
    if not small_enough(position):
        return
    score = ReferenceSolver(position.height).score(columns_of(position))
    evaluation = Solver(table_mb=1).test(position, beta)
    assert evaluation.lower <= score <= evaluation.upper
    assert (evaluation.lower >= beta) is (score >= beta)
    assert (evaluation.upper < beta) is (score < beta)


@settings(max_examples=200, deadline=None)
@given(late_positions())
def test_scores_are_the_oracles(position: Position) -> None:
    if not small_enough(position):
        return
    score = ReferenceSolver(position.height).score(columns_of(position))
    evaluation = SOLVER.solve(position)
    assert evaluation.score == score
    weak = SOLVER.solve(position, weak=True)
    assert weak.lower <= score <= weak.upper
    assert weak.value == evaluation.value
    assert SOLVER.solve(position.mirrored()).score == score
    assert SOLVER.solve_many([position], related=True).scores.tolist() == [score]


@settings(max_examples=100, deadline=None)
@given(late_positions())
def test_column_scores_are_the_oracles(position: Position) -> None:
    if not small_enough(position):
        return
    analysis = SOLVER.analyze(position)
    assert analysis.scores == reference_scores(position)
    assert analysis.score == ReferenceSolver(position.height).score(columns_of(position))
    assert SOLVER.analyze(position.mirrored()).scores == analysis.scores[::-1]


@settings(max_examples=100, deadline=None)
@given(late_positions())
def test_principal_variation_is_exact(position: Position) -> None:
    if not small_enough(position):
        return
    oracle = ReferenceSolver(position.height)
    score = oracle.score(columns_of(position))
    line = SOLVER.principal_variation(position)
    if score and line:
        assert len(line) == plies_to_end(score, position.ply, position.width, position.height)
    for column in line:
        position = position.play(column)
        score = -score
        assert oracle.score(columns_of(position)) == score
    assert position.is_over


@settings(max_examples=100, deadline=None)
@given(late_positions(), st.integers(0, 40))
def test_limited_bounds_are_honest(position: Position, nodes: int) -> None:
    if not small_enough(position):
        return
    score = ReferenceSolver(position.height).score(columns_of(position))
    solver = Solver(table_mb=1)
    evaluation = solver.solve(position, node_limit=nodes)
    assert evaluation.lower <= score <= evaluation.upper
    assert evaluation.nodes <= nodes
    analysis = solver.analyze(position, node_limit=nodes)
    assert analysis.lower <= score <= analysis.upper
    exact = reference_scores(position)
    assert all(a in (None, b) for a, b in zip(analysis.scores, exact, strict=True))
