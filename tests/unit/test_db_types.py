import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from db.types import ColumnScores, JsonText, PlainText, PositionKey

DIALECT = sqlite.dialect()
KEYS = st.integers(0, 2**64 - 1)


@given(KEYS, KEYS)
def test_keys_are_stored_in_order_within_64_signed_bits(one: int, other: int) -> None:
    kind = PositionKey()
    stored = [kind.process_bind_param(key, DIALECT) for key in (one, other)]
    assert all(value is not None and -(2**63) <= value < 2**63 for value in stored)
    assert (stored[0] < stored[1]) == (one < other)  # type: ignore[operator]
    assert [kind.process_result_value(value, DIALECT) for value in stored] == [one, other]


@given(st.lists(st.none() | st.integers(-127, 127), max_size=16).map(tuple))
def test_column_scores_come_back(scores: tuple[int | None, ...]) -> None:
    kind = ColumnScores()
    data = kind.process_bind_param(scores, DIALECT)
    assert data is not None
    assert len(data) == len(scores)
    assert kind.process_result_value(data, DIALECT) == scores


@pytest.mark.parametrize(
    "value",
    [{}, {"id": "\0\ud800 é"}, {"b": 1, "a": [None, True, 1e300]}, {"x": math.inf}],
)
def test_json_comes_back_in_the_same_order(value: dict[str, Any]) -> None:
    kind = JsonText()
    text = kind.process_bind_param(value, DIALECT)
    assert text is not None
    assert text.isascii()
    restored = kind.process_result_value(text, DIALECT)
    assert restored == value
    assert restored is not None
    assert list(restored) == list(value)


def test_null_stays_null() -> None:
    for kind in (PositionKey(), ColumnScores(), JsonText()):
        assert kind.process_bind_param(None, DIALECT) is None
        assert kind.process_result_value(None, DIALECT) is None


@given(st.text(st.characters()) | st.text("a\0\ud800\udcff"))
def test_text_for_people_is_changed_where_no_database_takes_it(text: str) -> None:
    stored = PlainText().process_bind_param(text, DIALECT)
    assert stored is not None
    assert len(stored) == len(text)
    stored.encode()  # is all text
    for character, kept in zip(text, stored, strict=True):
        if character == "\0":
            assert kept == "\N{REPLACEMENT CHARACTER}"
        else:
            assert kept == ("?" if "\ud800" <= character <= "\udfff" else character)


def test_no_text_stays_none() -> None:
    assert PlainText().process_bind_param(None, DIALECT) is None
