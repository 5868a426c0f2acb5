"""Fill the places of the documents' pages, and make tables.

A place is the text between two comments. ``python -m benchmarks render`` replaces this text::

    <!-- begin classes -->
    ...
    <!-- end classes -->
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from benchmarks.record import ROOT
from cli.measuring import three_digits, time_with_unit
from cli.output.tables import Table, markdown_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.record import Made
    from cli.measuring import Spread

DOCS: Final = ROOT / "docs"


def fill(page: str, texts: Mapping[str, str]) -> str:
    """Fill the places of a page with the texts of the same names.

    Raises:
        ValueError: a place is missing, or has an unknown name.
    """
    filled = set()

    def replace(match: re.Match[str]) -> str:
        name = match[1]
        if name not in texts:
            raise ValueError(f"the page has a place with the unknown name {name!r}")
        filled.add(name)
        return f"<!-- begin {name} -->\n{texts[name]}\n<!-- end {name} -->"

    page = re.sub(r"<!-- begin (\w+) -->\n.*?<!-- end \1 -->", replace, page, flags=re.DOTALL)
    if missing := [name for name in texts if name not in filled]:
        raise ValueError(f"the page has no place for {', '.join(missing)}")
    return page


def table(
    headings: str, rows: Iterable[str | Sequence[str]], *, left: int = 1, title: str = ""
) -> str:
    """A table in Markdown; ``|`` separates the headings, and the cells of a row that is a text.

    The first ``left`` columns are text, the others numbers.
    """
    heads, *cells = (
        each.split(" | ") if isinstance(each, str) else each for each in (headings, *rows)
    )
    return "\n".join(markdown_lines([Table(heads, cells, left=left, title=title)]))


def run_lines(made: Made, *more: str) -> str:
    """A list of the conditions under which figures were made."""
    machine, versions = made.machine, made.versions.items()
    lines = [
        f"Day: {made.date}",
        f"Machine: {machine['processor']}, {machine['cores']} cores, {machine['system']}",
        f"Versions: {', '.join(f'{name} {version}' for name, version in versions)}",
        f"Commit: {made.commit}",
        *more,
        f"Command: `{made.command}`",
    ]
    return "\n".join(f"- {line}" for line in lines if not line.endswith((": ", ": ``")))


def number_text(number: float) -> str:
    """A count with separators, or with a suffix if it is large."""
    for size, suffix in ((1e9, " G"), (1e6, " M")):
        if number >= size:
            return f"{three_digits(number / size)}{suffix}"
    return f"{number:,.0f}"


def range_text(spread: Spread) -> str:
    """The ends of a spread, or ``one run`` if they are equal."""
    if spread.least == spread.most:
        return "one run"
    least, most = time_with_unit(spread.least), time_with_unit(spread.most)
    if least.split()[-1] == most.split()[-1]:
        least = least.split()[0]
    return f"{least} to {most}"
