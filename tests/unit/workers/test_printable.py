import sys
import time

from hypothesis import given
from hypothesis import strategies as st

from workers.printable import printable, printable_lines

EVERY_LETTER = "".join(map(chr, range(sys.maxunicode + 1)))


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


def test_every_letter() -> None:
    assert printable(EVERY_LETTER) == one_by_one(EVERY_LETTER)


def test_lines_stay_lines() -> None:
    assert printable_lines("a\x1b\nb\r\n") == "a\\x1b\nb\\r\n"


def test_a_long_text_of_a_strangers_takes_no_time() -> None:
    """Letter by letter it took a second for each seven megabytes, and most of a table's time."""
    text = "\x1b]0;x\x07" * 500_000
    began = time.process_time()
    shown = printable(text)
    taken = time.process_time() - began
    began = time.process_time()
    assert shown == one_by_one(text)
    assert taken < (time.process_time() - began) / 3
