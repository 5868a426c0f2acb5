"""Pages of the documents that a program fills: places, tables, and common lines.

A page has places, which every run fills again::

    <!-- begin classes -->
    ...
    <!-- end classes -->
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cli.output.tables import Table, markdown_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"
RESULTS: Final = ROOT / "benchmarks" / "results"


def fill(page: str, texts: Mapping[str, str]) -> str:
    """The page with its places filled: the text between ``begin NAME`` and ``end NAME``.

    Args:
        page: the document; a place is a pair of HTML comments on lines of their own.
        texts: the new content of every place of the page, by name.

    Raises:
        ValueError: a place is missing, or has an unknown name.
    """
    filled = set()

    def replace(match: re.Match[str]) -> str:
        name = match[1]
        if name not in texts:
            raise ValueError(f"the page has a place for {name!r}, which is not known")
        filled.add(name)
        return f"<!-- begin {name} -->\n{texts[name]}\n<!-- end {name} -->"

    page = re.sub(r"<!-- begin (\w+) -->\n.*?<!-- end \1 -->", replace, page, flags=re.DOTALL)
    if missing := [name for name in texts if name not in filled]:
        raise ValueError(f"the page has no place for {', '.join(missing)}")
    return page


def fill_file(path: Path, texts: Mapping[str, str]) -> None:
    """Fill the places of a page that is a file.

    Raises:
        ValueError: as for :func:`fill`; the file stays unchanged.
    """
    path.write_text(fill(path.read_text(encoding="utf-8"), texts), encoding="utf-8")


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, title: str = ""
) -> str:
    """A table in Markdown.

    Args:
        headings: a heading for each column.
        rows: rows with as many cells.
        left: the number of columns with words, from the left; the others have numbers, to the
            right.
        title: the line above the table.
    """
    return "\n".join(markdown_lines([Table(headings, rows, left=left, title=title)]))


def machine_line(machine: Mapping[str, str | int]) -> str:
    """The line about the machine of the figures."""
    return f"- Machine: {machine['processor']}, {machine['cores']} cores, {machine['system']}"


def versions_line(versions: Mapping[str, str]) -> str:
    """The line about the programs that made the figures."""
    return f"- Versions: {', '.join(f'{name} {version}' for name, version in versions.items())}"


def span_text(seconds: float) -> str:
    """A time, in minutes or hours if it is long: ``1 h 01 min``, ``18 min 21 s``, ``2.5 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"
