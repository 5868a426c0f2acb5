"""Only open results and columns have guesses."""

from c4core.position import Position
from workers.answers.estimates import estimate_object, estimate_open
from workers.answers.question import Answer

POSITION = Position("4455", width=8, height=8)
OPEN = (None,) * 8


def test_settled_answers_and_finished_games_have_no_guess() -> None:
    assert estimate_open(POSITION, Answer(2, 2, (2,) * 8)) is None
    assert estimate_open(POSITION, Answer(1, 9)) is None  # a weak question: the result is known
    assert estimate_open(Position("1212121"), Answer(-18, -18, (None,) * 7)) is None


def test_an_open_result_has_a_guess_with_every_column() -> None:
    answer = Answer(-9, 9, OPEN)
    guess = estimate_open(POSITION, answer)
    assert guess is not None
    shown = estimate_object(answer, guess)
    assert shown is not None
    assert shown["value"] == guess.value(-9, 9)
    assert shown["share"] == round(guess.share, 3)
    assert shown["columns"] == [round(share or 0, 3) for share in guess.columns]


def test_what_is_proven_has_no_guess_beside_it() -> None:
    answer = Answer(2, 9, (2, *OPEN[1:]))
    shown = estimate_object(answer, estimate_open(POSITION, answer))
    assert shown is not None
    assert (shown["value"], shown["share"]) == (None, None)
    columns = shown["columns"]
    assert isinstance(columns, list)
    assert columns[0] is None
    assert None not in columns[1:]
