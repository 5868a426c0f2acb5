"""Text from outside, made safe for a terminal and for a log."""

from __future__ import annotations

from typing import Final

_FEW: Final = 32
"""Up to so many different characters are replaced one by one, which is ten times as fast as a
table."""


def printable(text: str) -> str:
    r"""The text in one line, with escapes for invisible characters.

    Names, labels and error texts come from files and databases that strangers may have written. A
    control character would move the cursor or set the window's title, a line break would forge a
    line, a mark of direction would reverse the rest of the line. Characters that are not printable
    (``str.isprintable``) become ``\x1b``, ``\n``, ``\u202e``.
    """
    if text.isprintable():
        return text
    # A stranger's text may have millions of characters, so only the different ones are checked. An
    # escape contains no character that would have to be replaced.
    unseen = [letter for letter in set(text) if not letter.isprintable()]
    escapes = {letter: letter.encode("unicode_escape").decode() for letter in unseen}
    if len(escapes) > _FEW:
        return text.translate({ord(letter): escape for letter, escape in escapes.items()})
    for letter, escape in escapes.items():
        text = text.replace(letter, escape)
    return text


def printable_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines."""
    return "\n".join(map(printable, text.split("\n")))
