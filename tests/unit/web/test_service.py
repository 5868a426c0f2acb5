"""Answers that are kept."""

from web.service import LONGEST_QUESTION, Known


def test_answers_are_kept_in_bounds() -> None:
    known = Known(2)
    known.keep("/a", b"1", b"one")
    known.keep("/a", b"2", b"two")
    assert known.find("/a", b"1") == b"one"
    known.keep("/b", b"1", b"three")
    assert known.find("/a", b"2") is None  # nobody had asked for it since
    assert known.find("/a", b"1") == b"one"
    assert known.find("/b", b"1") == b"three"
    known.keep("/a", b"x" * (LONGEST_QUESTION + 1), b"four")
    assert known.find("/a", b"x" * (LONGEST_QUESTION + 1)) is None
