"""Text for users and programs: safe to show, numbers with their nouns, rows as lines of CSV."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


_FEW: Final = 32
"""Up to this many different characters are replaced one by one: ten times as fast as by a table."""


def printable(text: str) -> str:
    r"""Return the text in one line, with escapes for invisible characters.

    Names, labels and error texts come from files and databases from untrusted sources. A control
    character would move the cursor or set the window's title. A line break would forge a line, and
    a mark of direction would reverse the rest of the line. Characters that are not printable
    (``str.isprintable``) become ``\x1b``, ``\n``, ``\u202e``.
    """
    if text.isprintable():
        return text
    # A text may have millions of characters, so only the different ones are checked. An escape
    # contains no character that would have to be replaced.
    unseen = [letter for letter in set(text) if not letter.isprintable()]
    escapes = {letter: letter.encode("unicode_escape").decode() for letter in unseen}
    if len(escapes) > _FEW:
        return text.translate({ord(letter): escape for letter, escape in escapes.items()})
    for letter, escape in escapes.items():
        text = text.replace(letter, escape)
    return text


def printable_lines(text: str) -> str:
    """Escape a text of several lines, which stay lines."""
    return "\n".join(map(printable, text.split("\n")))


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: ``1 ply``, ``1,234 nodes``.

    ``many`` is the plural, unless it is ``one`` with an "s".
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def time_text(seconds: float | None) -> str | None:
    """Return epoch seconds as a time in UTC: ``2026-01-31T12:00:00Z``."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_SIGN: Final = re.compile("[=+\\-@\uff1d\uff0b\uff0d\uff20]")
"""The first character of a formula. Spreadsheets take full-width signs, too."""
_FORMULA: Final = re.compile(rf"(^|;)(\s*)(?={_SIGN.pattern})")
"""The beginning of a formula; ";" may begin a cell."""
_NUMBERS: Final = re.compile(r"(?:[+-]?[0-9]+(?:\.[0-9]+)?|-)(?: (?:[+-]?[0-9]+(?:\.[0-9]+)?|-))*")
"""Numbers with blanks between them; ``-`` stands for a missing one."""


def csv_lines(rows: Iterable[Mapping[str, Any]], names: Sequence[str] = ()) -> Iterator[str]:
    """Yield a heading, and a line for each row, each with its end.

    The ``rows`` have the same keys in the same order. ``names`` are the keys for the heading if
    there are no rows.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")

    def line(cells: Iterable[object]) -> str:
        writer.writerow(cells)
        written = text.getvalue()
        text.seek(0)
        text.truncate()
        return written

    is_empty = True
    for row in rows:
        if is_empty:
            yield line(row)
            is_empty = False
        yield line(csv_cell(value) for value in row.values())
    if is_empty and names:
        yield line(names)


def csv_cell(value: object) -> object:
    """Return a value as a cell of CSV, always in one line.

    A list becomes words with blanks between them; ``-`` stands for None, so that the words can be
    counted. Lines of text are joined by ``/``. None becomes an empty cell.

    A ``'`` is put before text that a spreadsheet would take for a formula. Numbers stay as they
    are.
    """
    if isinstance(value, list):
        return _text_cell(" ".join("-" if item is None else str(item) for item in value))
    if isinstance(value, str):
        return _text_cell("/".join(value.splitlines()))
    if isinstance(value, bool):
        return str(value).lower()
    return value


def _text_cell(text: str) -> str:
    """Text in one line that no spreadsheet takes for a formula."""
    shown = printable(text)
    if _SIGN.search(shown) is None or _NUMBERS.fullmatch(shown):
        return shown
    return _FORMULA.sub(r"\1'\2", shown)
