"""Reading JSON of others: what is read, and what is refused."""

import pytest

from c4core.json_text import read_json


def test_what_json_has_is_read() -> None:
    text = '{"a": [1, -2.5e3, true, null, "\\u0416"], "b": {"a": {}}}'
    value = {"a": [1, -2500.0, True, None, "Ж"], "b": {"a": {}}}
    assert read_json(f" {text}\n") == value
    assert read_json(f"\ufeff{text}".encode()) == value  # as some editors write it


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "b": 2, "a": 1}', "the field 'a' is there twice in an object"),
        ('[{"x": {"a": 1, "\\u0061": 2}}]', "the field 'a' is there twice"),
        ('{"%s": 1, "%s": 2}' % (("a" * 1000,) * 2), r"the field 'a+\.\.\.a+' is there twice"),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("-1e999", "-1e999 is out of range"),
        ("9" * 10_000, "Exceeds the limit"),
        ('{"a": 1} x', "Extra data"),
        (b'"\xff"', "can't decode"),
        (b"", "Expecting value"),
    ],
)
def test_what_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_json(text)


def test_a_text_that_is_nested_without_end() -> None:
    with pytest.raises(RecursionError):
        read_json("[" * 100_000)
