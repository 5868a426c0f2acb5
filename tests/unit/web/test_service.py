"""The cache of answers."""

from web.service import LONGEST_QUESTION, Known


def test_the_cache_of_answers_is_limited() -> None:
    known = Known(2)
    known.keep("/a", b"1", b"one")
    known.keep("/a", b"2", b"two")
    assert known.find("/a", b"1") == b"one"
    known.keep("/b", b"1", b"three")
    assert known.find("/a", b"2") is None  # it was the least recently used
    assert known.find("/a", b"1") == b"one"
    assert known.find("/b", b"1") == b"three"
    known.keep("/a", b"x" * (LONGEST_QUESTION + 1), b"four")
    assert known.find("/a", b"x" * (LONGEST_QUESTION + 1)) is None
