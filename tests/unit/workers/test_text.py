"""Text from outside becomes safe to show, and rows become lines of CSV."""

import sys
from itertools import chain

import pytest
from hypothesis import example, given, strategies as st

from workers.text import csv_cell, csv_lines, printable, printable_lines

MANY_LETTERS = "".join(map(chr, chain(range(0x3000), range(0x3000, sys.maxunicode + 1, 19))))


def one_by_one(text: str) -> str:
    """The expected text, computed slowly."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


@example(MANY_LETTERS)
@given(st.text(alphabet="a\\\x1b\n\u202e\ud800\u00e9x1b") | st.text())
def test_invisible_characters_are_escaped(text: str) -> None:
    assert printable(text) == one_by_one(text)
    assert printable(text).isprintable()


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3+cmd", "'-2+3+cmd"),
        ("-x", "'-x"),
        (["=1", 2], "'=1 2"),
        ("\t=1+1", "\\t=1+1"),
        ("\r=1+1", "/=1+1"),
        ("x;=1+1", "x;'=1+1"),
        ("x; @a", "x;' @a"),
        ("  =1+1", "'  =1+1"),
        ("\N{FULLWIDTH EQUALS SIGN}1", "'\N{FULLWIDTH EQUALS SIGN}1"),
        ("a=b", "a=b"),
        ("", ""),
        ("-3", "-3"),
        ("+0.5", "+0.5"),
        ("-", "-"),
        (-3, -3),
        (-0.5, -0.5),
        ([-5, None, 2], "-5 - 2"),
        ([None, None], "- -"),
        (None, None),
        (True, "true"),
    ],
)
def test_formulas_become_text_and_numbers_stay_numbers(value: object, cell: object) -> None:
    assert csv_cell(value) == cell


def test_lines_keep_their_ends_and_names_are_safe_in_csv() -> None:
    assert printable_lines("a\x1b\nb\r\n") == "a\\x1b\nb\\r\n"
    rows = [{"label": '=HYPERLINK("http://x")', "score": -3, "scores": [-1, None]}]
    expected = ["label,score,scores\n", '"\'=HYPERLINK(""http://x"")",-3,-1 -\n']
    assert list(csv_lines(rows)) == expected
