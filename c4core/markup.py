"""HTML tables for notebooks. Untrusted text is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def table_html(headings: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """A table with a heading for each column. None is an empty cell."""
    title = f"<caption>{_text(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{_text(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def facts_html(facts: Mapping[str, object]) -> str:
    """A table of names and values, one pair a row."""
    body = "".join(
        f"<tr><th>{_text(name)}</th><td>{_text(value)}</td></tr>" for name, value in facts.items()
    )
    return f"<table><tbody>{body}</tbody></table>"


def signed(score: int | None) -> str:
    """A score with its sign; empty for None."""
    return "" if score is None else f"{score:+d}" if score else "0"


def printable(text: str) -> str:
    """A text with U+FFFD for characters that cannot be printed, which XML does not allow."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _text(value: object) -> str:
    return "" if value is None else escape(printable(str(value)))
