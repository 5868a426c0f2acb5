"""A question, stored with a job and read again."""

import json

import pytest

from workers.answers.question import Question


@pytest.mark.parametrize(
    "question",
    [
        Question(),
        Question(columns=False),
        Question(columns=False, weak=True),
        Question(time_limit=0.5),
        Question(columns=False, node_limit=1000, time_limit=2.0),
    ],
)
def test_a_question_round_trips_through_a_job(question: Question) -> None:
    params = json.loads(json.dumps(question.as_params()))
    assert Question.from_params(params) == question


def test_jobs_of_earlier_versions_are_understood() -> None:
    assert Question.from_params({"score_only": True, "zero_based": False}) == Question(
        columns=False
    )
    assert Question().as_params() == {"score_only": False}
