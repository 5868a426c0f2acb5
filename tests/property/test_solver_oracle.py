"""The solver against the slow oracle, on boards of many shapes with odd and even heights."""

from hypothesis import given, settings, strategies as st

from c4core import Position
from c4core.evaluation import plies_to_end
from c4core.solver import Solver
from tests.support.boards.positions import boards
from tests.support.boards.reference import ReferenceSolver, columns_of

SCORES, COLUMNS, LINES = (Solver(table_mb=1) for _ in range(3))
"""One solver for each call, so that none finds results of another in its table."""


@st.composite
def late_positions(draw: st.DrawFn) -> Position:
    """A position near its end (or over) on any board that the oracle can handle."""
    width, height = draw(boards(every=True))
    cells = width * height
    most_empty = 10 if width <= 7 else 6  # the oracle searches everything
    target = max(0, cells - draw(st.integers(0, most_empty)))
    position = Position(board=(width, height))
    choices = draw(st.binary(min_size=target, max_size=target))
    for choice in choices:
        # Avoid winning moves; otherwise hardly any game would come near its end.
        columns = [c for c in position.legal_columns() if not position.is_winning(c)]
        columns = columns or list(position.legal_columns())
        if not columns:
            break
        position = position.play(columns[choice % len(columns)])
    return position


@settings(max_examples=200)
@given(late_positions(), st.integers(-12, 12), st.integers(0, 40))
def test_the_solver_agrees_with_the_oracle(position: Position, beta: int, nodes: int) -> None:
    """One test checks everything, because the oracle takes more time than the solver."""
    oracle = ReferenceSolver(position.height)
    score = oracle.score(columns_of(position))
    check_scores(position, score)
    check_null_window(position, score, beta)
    exact: tuple[int | None, ...] = (None,) * position.width
    if not position.is_over:
        exact = oracle.column_scores(columns_of(position))
    analysis = COLUMNS.analyze(position)
    assert (analysis.score, analysis.scores) == (score, exact)
    assert COLUMNS.analyze(position.mirrored()).scores == analysis.scores[::-1]
    check_limited(position, score, exact, nodes)
    check_line(position, oracle)


def check_scores(position: Position, score: int) -> None:
    """Check the score, its sign, its value for the other side, and a batch of related positions."""
    evaluation = SCORES.solve(position)
    assert evaluation.score == score
    weak = SCORES.solve(position, weak=True)
    assert weak.lower <= score <= weak.upper
    assert weak.value == evaluation.value
    assert SCORES.solve(position.mirrored()).score == score
    assert SCORES.solve_many([position], related=True).scores.tolist() == [score]


def check_null_window(position: Position, score: int, beta: int) -> None:
    """The null window is decided, and the bounds hold."""
    evaluation = Solver(table_mb=1).test(position, beta)
    assert evaluation.lower <= score <= evaluation.upper
    assert (evaluation.lower >= beta) is (score >= beta)
    assert (evaluation.upper < beta) is (score < beta)


def check_limited(
    position: Position, score: int, exact: tuple[int | None, ...], nodes: int
) -> None:
    """Results under a node limit are weaker, but not wrong."""
    solver = Solver(table_mb=1)
    evaluation = solver.solve(position, node_limit=nodes)
    assert evaluation.lower <= score <= evaluation.upper
    assert evaluation.nodes <= nodes
    analysis = solver.analyze(position, node_limit=nodes)
    assert analysis.lower <= score <= analysis.upper
    assert all(a in (None, b) for a, b in zip(analysis.scores, exact, strict=True))


def check_line(position: Position, oracle: ReferenceSolver) -> None:
    """The principal variation is as long as the score implies, and every move keeps the score."""
    score = oracle.score(columns_of(position))
    line = LINES.principal_variation(position)
    if score and line:
        assert len(line) == plies_to_end(score, position.ply, position.board)
    for column in line:
        position = position.play(column)
        score = -score
        assert oracle.score(columns_of(position)) == score
    assert position.is_over
