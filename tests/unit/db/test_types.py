import math
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
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
NUMBERS = st.integers(0, 2**64 - 1)
KEYS = st.integers(0, 2**128 - 1) | NUMBERS | st.builds(lambda high: high << 64, NUMBERS)


@given(NUMBERS, NUMBERS)
def test_numbers_are_stored_in_order_within_64_signed_bits(one: int, other: int) -> None:
    kind = Unsigned()
    stored = [kind.process_bind_param(number, DIALECT) for number in (one, other)]
    assert all(value is not None and -(2**63) <= value < 2**63 for value in stored)
    assert (stored[0] < stored[1]) == (one < other)  # type: ignore[operator]
    assert [kind.process_result_value(value, DIALECT) for value in stored] == [one, other]


@given(KEYS, KEYS)
def test_a_key_is_stored_as_two_halves(one: int, other: int) -> None:
    kinds = (HighHalf(), LowHalf())
    stored = [[kind.process_bind_param(key, DIALECT) for kind in kinds] for key in (one, other)]
    for key, halves in zip((one, other), stored, strict=True):
        assert all(-(2**63) <= half < 2**63 for half in halves)
        assert (halves[0] == 0) == (key < 2**64)
        loaded = [
            kind.process_result_value(half, DIALECT)
            for kind, half in zip(kinds, halves, strict=True)
        ]
        assert sum(loaded) == key
    if max(one, other) < 2**127:
        assert (stored[0] < stored[1]) == (one < other)
    assert (stored[0] == stored[1]) == (one == other)


@given(st.lists(st.none() | st.integers(-127, 127), max_size=16).map(tuple))
def test_column_scores_round_trip(scores: tuple[int | None, ...]) -> None:
    kind = ColumnScores()
    data = kind.process_bind_param(scores, DIALECT)
    assert data is not None
    assert len(data) == len(scores) + 4
    assert kind.process_result_value(data, DIALECT) == scores


@given(st.lists(st.integers(-127, 127), max_size=16).map(tuple), st.data())
def test_a_flipped_bit_in_column_scores_is_found(
    scores: tuple[int, ...], data: st.DataObject
) -> None:
    stored = bytearray(ColumnScores().process_bind_param(scores, DIALECT) or b"")
    stored[data.draw(st.integers(0, len(stored) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(DamagedValueError, match="column scores are damaged"):
        ColumnScores().process_result_value(bytes(stored), DIALECT)


@pytest.mark.parametrize(
    "value",
    [{}, {"id": "\0\ud800 é"}, {"b": 1, "a": [None, True, 1e300]}, {"x": math.inf}],
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
    kind = JsonObject()
    assert kind.process_bind_param({"a": 1}, DIALECT) == '{"a":1,"#":"880e9c79"}'
    assert kind.process_result_value('{"a": 1}', DIALECT) == {"a": 1}  # another program's
    with pytest.raises(DamagedValueError):
        unseal_object('{"a": 1}', needs_seal=True)


@given(st.dictionaries(st.text(), st.integers()), st.data())
def test_a_flipped_bit_in_an_object_is_found(value: dict[str, int], data: st.DataObject) -> None:
    value.pop("#", None)
    text = JsonObject().process_bind_param(value, DIALECT)
    assert text is not None
    stored = bytearray(text.encode())
    stored[data.draw(st.integers(0, len(stored) - 1))] ^= 1 << data.draw(st.integers(0, 6))
    with pytest.raises(DamagedValueError, match="damaged"):
        unseal_object(stored.decode(), needs_seal=True)


@pytest.mark.parametrize("text", ["", "[", "[1]", "1", "null", "[" * 100_000, "{}x"])
def test_bad_json_objects_are_damaged(text: str) -> None:
    with pytest.raises(DamagedValueError, match="damaged"):
        JsonObject().process_result_value(text, DIALECT)


def test_an_object_is_read_from_bytes_or_text() -> None:
    for stored in ('{"a":1,"#":"880e9c79"}', b'{"a":1,"#":"880e9c79"}'):
        assert unseal_stored(stored, needs_seal=True) == {"a": 1}
    with pytest.raises(DamagedValueError, match="a stored JSON text is not UTF-8"):
        unseal_stored(b'{"a":\xff1}')


def test_null_stays_null() -> None:
    for kind in (Unsigned(), LowHalf(), HighHalf(), ColumnScores(), JsonText(), JsonObject()):
        assert kind.process_bind_param(None, DIALECT) is None
        assert kind.process_result_value(None, DIALECT) is None
    assert PlainText().process_bind_param(None, DIALECT) is None


@given(st.text(st.characters()) | st.text("a\0\ud800\udcff"))
def test_characters_that_cannot_be_stored_are_replaced(text: str) -> None:
    stored = PlainText().process_bind_param(text, DIALECT)
    assert stored is not None
    assert len(stored) == len(text)
    stored.encode()  # can be encoded
    for character, kept in zip(text, stored, strict=True):
        if character == "\0":
            assert kept == "\N{REPLACEMENT CHARACTER}"
        else:
            assert kept == ("?" if "\ud800" <= character <= "\udfff" else character)


@given(st.binary())
def test_packed_bytes_round_trip(value: bytes) -> None:
    kind = PackedBytes()
    assert kind.process_result_value(kind.process_bind_param(value, DIALECT), DIALECT) == value


@given(st.binary(min_size=1), st.data())
def test_a_changed_byte_of_packed_bytes_is_found(value: bytes, data: st.DataObject) -> None:
    stored = zlib.compress(value, level=1)
    place = data.draw(st.integers(0, len(stored) - 1))
    changed = bytearray(stored)
    changed[place] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = unpack(bytes(changed))
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


def test_the_largest_packed_bytes_are_unpacked() -> None:
    assert unpack(zlib.compress(bytes(MOST_PACKED))) == bytes(MOST_PACKED)
