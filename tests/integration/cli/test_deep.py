import json

from c4core.position import Position
from c4core.solver import Solver
from tests.support.running.command_line import C4

SMALL = ("--board", "5x4", "--unit-nodes", "2000")


def test_the_answer_for_programs(c4: C4) -> None:
    done = c4("deep", *SMALL, "33", "--threads", "1", "--json")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    position = Position("33", width=5, height=4)
    truth = Solver().analyze(position)
    assert (answer["moves"], answer["board"], answer["side"]) == ("33", "5x4", "x")
    assert answer["score"] == truth.score
    assert answer["plies"] == 18
    for score, proven in zip(truth.scores, answer["moves_proven"], strict=True):
        assert score is not None
        assert proven["lower"] <= score <= proven["upper"]
    assert {column - 1 for column in answer["best"]} <= set(truth.best)
    assert answer["best"]
    assert answer["pv_is_complete"]
    assert Position("33" + answer["pv"], width=5, height=4).is_over
    assert (answer["proof"]["missing"], answer["job"]) == (0, 1)
    assert answer["nodes"] > 0
    # The score is stored, so neither a search nor another job has work left.
    assert c4("solve", "--board", "5x4", "--score-only", "--json", "33").objects[0]["nodes"] == 0
    again = json.loads(c4("deep", *SMALL, "33", "--json").out)
    assert (again["job"], again["nodes"], again["score"]) == (2, 0, answer["score"])
