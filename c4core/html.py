"""Tables for notebooks, and text for tables and pictures. Untrusted text is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def table_html(headings: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """Return a table with a heading for each column. None is an empty cell."""
    title = f"<caption>{_text(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{_text(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def facts_html(facts: Mapping[str, object]) -> str:
    """Return a table of names and values, one pair in each row."""
    body = "".join(
        f"<tr><th>{_text(name)}</th><td>{_text(value)}</td></tr>" for name, value in facts.items()
    )
    return f"<table><tbody>{body}</tbody></table>"


def printable(text: str) -> str:
    """Replace unprintable characters, which XML does not allow, with U+FFFD."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _text(value: object) -> str:
    return "" if value is None else escape(printable(str(value)))
