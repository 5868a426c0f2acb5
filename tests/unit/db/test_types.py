import math
import zlib
from typing import Any

import pytest
from hypothesis import given, strategies as st
from sqlalchemy.dialects import sqlite

from db.errors import DamagedValueError
from db.types import (
    MOST_PACKED,
    ColumnScores,
    HighHalf,
    JsonObject,
    JsonText,
    LowHalf,
    PackedBytes,
    PlainText,
    Unsigned,
    unpack,
    unseal_object,
    unseal_stored,
)

DIALECT = sqlite.dialect()


@given(st.lists(st.none() | st.integers(-127, 127), max_size=16).map(tuple), st.data())
def test_column_scores_round_trip_and_a_flipped_bit_is_found(
    scores: tuple[int | None, ...], data: st.DataObject
) -> None:
    kind = ColumnScores()
    stored = bytearray(kind.process_bind_param(scores, DIALECT) or b"")
    assert len(stored) == len(scores) + 4
    assert kind.process_result_value(bytes(stored), DIALECT) == scores
    flip(stored, data)
    with pytest.raises(DamagedValueError, match="column scores are damaged"):
        kind.process_result_value(bytes(stored), DIALECT)


def flip(stored: bytearray, data: st.DataObject, bits: int = 8) -> None:
    place = data.draw(st.integers(0, len(stored) - 1))
    stored[place] ^= 1 << data.draw(st.integers(0, bits - 1))


@pytest.mark.parametrize(
    "value", [{}, {"id": "\0\ud800 é"}, {"b": 1, "a": [None, True, 1e300]}, {"x": math.inf}]
)
def test_json_round_trips_in_the_same_order(value: dict[str, Any]) -> None:
    kind = JsonObject()
    text = kind.process_bind_param(value, DIALECT)
    assert text is not None
    assert text.isascii()
    restored = kind.process_result_value(text, DIALECT)
    assert restored == value
    assert restored is not None
    assert list(restored) == list(value)


def test_an_object_ends_with_its_seal() -> None:
    sealed = '{"a":1,"#":"880e9c79"}'
    assert JsonObject().process_bind_param({"a": 1}, DIALECT) == sealed
    for stored in (sealed, sealed.encode()):
        assert unseal_stored(stored, needs_seal=True) == {"a": 1}
    assert JsonObject().process_result_value('{"a": 1}', DIALECT) == {"a": 1}  # another program's
    with pytest.raises(DamagedValueError):
        unseal_object('{"a": 1}', needs_seal=True)
    with pytest.raises(DamagedValueError, match="a stored JSON text is not UTF-8"):
        unseal_stored(b'{"a":\xff1}')


@given(st.dictionaries(st.text(), st.integers()), st.data())
def test_a_flipped_bit_in_an_object_is_found(value: dict[str, int], data: st.DataObject) -> None:
    value.pop("#", None)
    text = JsonObject().process_bind_param(value, DIALECT)
    assert text is not None
    stored = bytearray(text.encode())
    flip(stored, data, bits=7)
    with pytest.raises(DamagedValueError, match="damaged"):
        unseal_object(stored.decode(), needs_seal=True)


@pytest.mark.parametrize("text", ["", "[", "[1]", "1", "null", "[" * 100_000, "{}x"])
def test_bad_json_objects_are_damaged(text: str) -> None:
    with pytest.raises(DamagedValueError, match="damaged"):
        JsonObject().process_result_value(text, DIALECT)


def test_null_stays_null() -> None:
    for kind in (Unsigned(), LowHalf(), HighHalf(), ColumnScores(), JsonText(), JsonObject()):
        assert kind.process_bind_param(None, DIALECT) is None
        assert kind.process_result_value(None, DIALECT) is None
    assert PlainText().process_bind_param(None, DIALECT) is None


@given(st.binary(), st.data())
def test_packed_bytes_round_trip_and_a_changed_byte_is_found(
    value: bytes, data: st.DataObject
) -> None:
    kind = PackedBytes()
    stored = bytearray(kind.process_bind_param(value, DIALECT) or b"")
    assert kind.process_result_value(bytes(stored), DIALECT) == value
    flip(stored, data)
    try:
        found = unpack(bytes(stored))
    except DamagedValueError:
        return
    assert found == value  # bits of the header store the compression level


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"text",
        zlib.compress(b"whole")[:-1],
        zlib.compress(b"more") + b"x",
        zlib.compress(bytes(MOST_PACKED + 1)),
        7,
        "text",
    ],
)
def test_bad_packed_bytes_are_refused(stored: Any) -> None:  # noqa: ANN401
    with pytest.raises(DamagedValueError):
        unpack(stored)
    assert unpack(zlib.compress(bytes(MOST_PACKED))) == bytes(MOST_PACKED)
