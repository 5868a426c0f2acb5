"""Scores, bounds and distances; and results as HTML with untrusted text escaped."""

from html.parser import HTMLParser

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import Position, Solver
from c4core.evaluation import (
    Analysis,
    Evaluation,
    facts_html,
    final_score,
    plies_to_end,
    printable,
    score_limits,
    signed,
    table_html,
)


def test_exact_only_when_the_bounds_meet() -> None:
    assert Evaluation(3, 3).score == 3
    assert Evaluation(3, 3).is_exact
    assert Evaluation(1, 18).score is None


@pytest.mark.parametrize(
    ("lower", "upper", "value"),
    [(1, 18, "win"), (-18, -1, "loss"), (0, 0, "draw"), (0, 3, None), (-1, 1, None)],
)
def test_the_value_follows_from_the_bounds(lower: int, upper: int, value: str | None) -> None:
    assert Evaluation(lower, upper).value == value


def test_best_columns() -> None:
    analysis = Analysis((None, 1, -2, 1), lower=1, upper=1)
    assert analysis.best == (1, 3)
    assert Analysis((None, 1, -2, 1), lower=1, upper=4).best == ()


@pytest.mark.parametrize(
    ("score", "ply", "plies"),
    [
        (1, 0, 41),  # the empty board: the first player wins with his last stone
        (0, 0, 42),
        (-1, 1, 40),  # after the best first move
        (18, 6, 1),  # wins with the fourth own stone
        (-18, 7, 0),  # has just lost
        (1, 40, 1),
        (-1, 42, 0),
    ],
)
def test_distance_to_the_end(score: int, ply: int, plies: int) -> None:
    assert plies_to_end(score, ply, 7, 6) == plies


def test_score_of_a_finished_game() -> None:
    assert final_score(Position("1212121")) == -18
    assert final_score(Position("1122334", height=4)) == -11
    assert final_score(Position("4441422211321333", width=4, height=4)) == 0


def test_score_limits() -> None:
    assert score_limits(0, 7, 6) == (-21, 21)
    assert score_limits(41, 7, 6) == (0, 1)
    assert score_limits(42, 7, 6) == (0, 0)


HOSTILE = "<img src=x onerror=alert(1)> & \x1b\x00"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 (its signature)
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def parsed(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    return tags


def test_untrusted_text_is_escaped() -> None:
    for html in (table_html([HOSTILE], [[HOSTILE]], HOSTILE), facts_html({HOSTILE: HOSTILE})):
        tags = parsed(html)
        assert "img" not in tags.tags
        assert set(tags.texts) == {printable(HOSTILE)}


def test_html_tables_have_all_cells() -> None:
    tags = parsed(table_html(["a", "b"], [[1, None], ["x", 2.5]]))
    assert tags.texts == ["a", "b", "1", "x", "2.5"]
    assert (tags.tags.count("tr"), tags.tags.count("td")) == (3, 4)


def test_scores_have_a_sign() -> None:
    assert [signed(score) for score in (3, 0, -2, None)] == ["+3", "0", "-2", ""]


def test_results_as_html(snapshot: SnapshotAssertion) -> None:
    results = (
        Evaluation(3, 3, 1200, 0.5),
        Evaluation(-2, 4),
        Analysis((1, None, 0, -3), 1, 1, 9, 0.1),
        Analysis((1, None), -2, 4),
    )
    assert [parsed(result._repr_html_()).texts for result in results] == snapshot


def test_rows_are_flat_and_complete() -> None:
    assert Evaluation(1, 3, 5, 0.5).to_dict() == {
        "score": None,
        "lower": 1,
        "upper": 3,
        "value": "win",
        "nodes": 5,
        "seconds": 0.5,
    }
    assert Analysis((-1, None, 2), 2, 2, 7, 0.25).to_dict() == {
        "score": 2,
        "lower": 2,
        "upper": 2,
        "value": "win",
        "best": "3",
        "score_1": -1,
        "score_2": None,
        "score_3": 2,
        "nodes": 7,
        "seconds": 0.25,
    }


def test_columns_of_a_batch_are_those_of_its_rows() -> None:
    solver = Solver(table_mb=1)
    positions = [Position("1213121", width=4, height=4), Position("1122", width=4, height=4)]
    one_by_one = [solver.analyze(position).to_dict() for position in positions]
    columns = solver.analyze_many(positions).to_dict()
    for name, values in columns.items():
        if name != "nodes":
            assert values.tolist() == [row[name] for row in one_by_one], name
    assert {*one_by_one[0]} - {*columns} == {"best", "seconds"}
    evaluated = solver.solve_many(positions).to_dict()
    assert evaluated["score"].tolist() == [row["score"] for row in one_by_one]
