import math
from typing import Any

import pytest
from hypothesis import given, strategies as st
from sqlalchemy.dialects import sqlite

from db.errors import DamagedValueError
from db.sql import (
    ColumnScores,
    HighHalf,
    JsonText,
    LowHalf,
    PlainText,
    Unsigned,
)

DIALECT = sqlite.dialect()


@given(st.lists(st.none() | st.integers(-127, 127), max_size=16).map(tuple))
def test_column_scores_round_trip(scores: tuple[int | None, ...]) -> None:
    kind = ColumnScores()
    stored = kind.process_bind_param(scores, DIALECT)
    assert stored is not None
    assert len(stored) == len(scores)
    assert kind.process_result_value(stored, DIALECT) == scores


@pytest.mark.parametrize(
    "value", [{}, {"id": "\0\ud800 é"}, {"b": 1, "a": [None, True, 1e300]}, {"x": math.inf}, [1, 2]]
)
def test_json_round_trips_in_the_same_order(value: Any) -> None:  # noqa: ANN401
    kind = JsonText()
    text = kind.process_bind_param(value, DIALECT)
    assert text is not None
    assert text.isascii()
    restored = kind.process_result_value(text, DIALECT)
    assert restored == value
    assert list(restored) == list(value)


@pytest.mark.parametrize("text", ["", "[", "[" * 100_000, "{}x", b"\xff"])
def test_bad_json_is_damaged(text: str | bytes) -> None:
    with pytest.raises(DamagedValueError, match="damaged"):
        JsonText().process_result_value(text, DIALECT)


def test_null_stays_null() -> None:
    for kind in (Unsigned(), LowHalf(), HighHalf(), ColumnScores(), JsonText()):
        assert kind.process_bind_param(None, DIALECT) is None
        assert kind.process_result_value(None, DIALECT) is None
    assert PlainText().process_bind_param(None, DIALECT) is None
