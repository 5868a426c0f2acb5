"""Scores, bounds and distances; and results as rows."""

from syrupy.assertion import SnapshotAssertion

from c4core import Position, Solver, evaluation
from c4core.notation import DEFAULT_BOARD


def test_scores_and_values_follow_from_the_bounds() -> None:
    for lower, upper, score, value in (
        (3, 3, 3, "win"), (1, 18, None, "win"), (-18, -1, None, "loss"), (0, 0, 0, "draw"),
        (0, 3, None, None), (-1, 1, None, None),
    ):  # fmt: skip
        found = evaluation.Evaluation(lower, upper)
        assert (found.score, found.value) == (score, value)
        assert found.is_exact == (score is not None)
    scores = (None, 1, -2, 1)
    bounds = evaluation.exact_bounds(scores)
    assert evaluation.Analysis(scores, bounds, lower=1, upper=1).best == (1, 3)
    assert evaluation.Analysis(scores, bounds, lower=1, upper=4).best == ()


def test_bounds_of_a_position_and_its_columns_narrow_each_other() -> None:
    # The position is as good as its best column, and no column is better.
    assert evaluation.combine_bounds(-9, 9, ((-3, 5), None, (2, 7))) == (
        2,
        7,
        ((-3, 5), None, (2, 7)),
    )
    assert evaluation.combine_bounds(-9, 4, ((-3, 5), (2, 7))) == (2, 4, ((-3, 4), (2, 4)))
    # Only the first column can reach the position's lower bound.
    assert evaluation.combine_bounds(3, 9, ((-3, 5), (0, 2))) == (3, 5, ((3, 5), (0, 2)))
    assert evaluation.combine_bounds(-4, -4, (None, None)) == (-4, -4, (None, None))


def test_bounds_as_short_text() -> None:
    texts = {
        (3, 3): "+3", (0, 0): "0", (-2, -2): "-2", (2, 9): ">=2", (1, 9): ">0", (0, 9): ">=0",
        (-9, -1): "<0", (-9, -3): "<=-3", (-9, 0): "<=0", (-2, 3): "?",
    }  # fmt: skip
    for bounds, text in texts.items():
        assert evaluation.bounds_text(*bounds) == text


def test_distance_to_the_end() -> None:
    for score, ply, plies in (
        (1, 0, 41),  # the empty board: the first player wins with his last stone
        (0, 0, 42),
        (-1, 1, 40),  # after the best first move
        (18, 6, 1),  # wins with the fourth own stone
        (-18, 7, 0),  # has just lost
        (1, 40, 1),
        (-1, 42, 0),
    ):
        assert evaluation.plies_to_end(score, ply, DEFAULT_BOARD) == plies
    limits = [evaluation.score_limits(ply, DEFAULT_BOARD) for ply in (0, 41, 42)]
    assert limits == [(-21, 21), (0, 1), (0, 0)]


def test_score_of_a_finished_game() -> None:
    assert evaluation.final_score(Position("1212121")) == -18
    assert evaluation.final_score(Position("1122334", board="7x4")) == -11
    assert evaluation.final_score(Position("4441422211321333", board="4x4")) == 0


def test_results_as_rows(snapshot: SnapshotAssertion) -> None:
    results = (
        evaluation.Evaluation(3, 3, 1200, 0.5),
        evaluation.Evaluation(-2, 4),
        evaluation.Analysis((1, None, 0, -3), ((1, 1), None, (0, 0), (-3, -3)), 1, 1, 9, 0.1),
        evaluation.Analysis((1, None), ((1, 1), (-2, 4)), 1, 4),
    )
    assert [str(result.to_dict()) for result in results] == snapshot
    assert [evaluation.signed(score) for score in (3, 0, -2, None)] == ["+3", "0", "-2", ""]


def test_columns_of_a_batch_are_those_of_its_rows() -> None:
    solver = Solver(table_mb=1)
    positions = [Position("1213121", board="4x4"), Position("1122", board="4x4")]
    one_by_one = [solver.analyze(position).to_dict() for position in positions]
    columns = solver.analyze_many(positions).to_dict()
    for name, values in columns.items():
        if name != "nodes":
            assert values.tolist() == [row[name] for row in one_by_one], name
    assert {*one_by_one[0]} - {*columns} == {"best", "seconds"}
    evaluated = solver.solve_many(positions).to_dict()
    assert evaluated["score"].tolist() == [row["score"] for row in one_by_one]
