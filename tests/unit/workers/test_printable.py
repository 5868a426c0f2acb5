import sys
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from workers.printable import printable, printable_lines

MANY_LETTERS = "".join(map(chr, chain(range(0x3000), range(0x3000, sys.maxunicode + 1, 19))))


def one_by_one(text: str) -> str:
    """What is to come of a text, slowly."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


@given(st.text(alphabet="a\\\x1b\n\u202e\ud800\u00e9x1b") | st.text())
def test_what_would_not_be_seen_is_escaped(text: str) -> None:
    assert printable(text) == one_by_one(text)
    assert printable(text).isprintable()


def test_many_letters() -> None:
    assert printable(MANY_LETTERS) == one_by_one(MANY_LETTERS)


def test_lines_stay_lines() -> None:
    assert printable_lines("a\x1b\nb\r\n") == "a\\x1b\nb\\r\n"
