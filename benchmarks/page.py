"""Fill the places of the documents' pages, and make tables from templates.

A place is the text between two comments. ``python -m benchmarks render`` replaces this text::

    <!-- begin classes -->
    ...
    <!-- end classes -->

A template is a string with fields in braces, as for :meth:`str.format`, with additional formats
(:data:`FORMATS`): ``{seconds:span}``. ``|`` separates the cells of a row; a cell with a missing
field is empty.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.record import ROOT
from c4core import extras
from cli.measuring import three_digits, time_text
from cli.output.render import percent, score_text
from cli.output.tables import Table, markdown_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.record import Made
    from cli.measuring import Spread

DOCS: Final = ROOT / "docs"
INK: Final = "#333333"


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


def fill_file(path: Path, texts: Mapping[str, str]) -> None:
    """Fill the places of a file; it stays unchanged if :func:`fill` fails."""
    path.write_text(fill(path.read_text(encoding="utf-8"), texts), encoding="utf-8")


def table(
    headings: str | Sequence[str],
    rows: Iterable[Any],
    row: str = "",
    *,
    left: int = 1,
    title: str = "",
) -> str:
    """A table in Markdown.

    Args:
        headings: the headings; in one string they are separated by ``|``.
        rows: sequences of cells, or texts that ``|`` separates into cells; with a template,
            mappings or objects with its fields.
        row: the template of a row.
        left: the number of text columns, from the left; the others hold numbers.
        title: the line above the table.
    """
    if row:
        rows = ([_cell(cell, each) for cell in row.split(" | ")] for each in rows)
    heads, *cells = (
        each.split(" | ") if isinstance(each, str) else each for each in (headings, *rows)
    )
    return "\n".join(markdown_lines([Table(heads, cells, left=left, title=title)]))


def text(template: str, fields: object) -> str:
    """Fill a template with the fields of a mapping or an object."""
    return _FORMATTER.vformat(template, (fields,), {})


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


def span_text(seconds: float) -> str:
    """A duration, in minutes or hours if it is long: ``1 h 01 min``, ``18 min 21 s``, ``2.5 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


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
    least, most = time_text(spread.least), time_text(spread.most)
    if least.split()[-1] == most.split()[-1]:
        least = least.split()[0]
    return f"{least} to {most}"


FORMATS: Final[Mapping[str, Callable[[Any], str]]] = {
    "digits": three_digits,
    "ms": lambda value: f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms",  # noqa: PLR2004
    "number": number_text,
    "percent": percent,
    "range": range_text,
    "score": score_text,
    "span": span_text,
    "time": time_text,
}
"""Formats for templates, in addition to Python's."""


class _MissingError(Exception):
    """A field is missing."""


class _Formatter(string.Formatter):
    def get_value(self, key: int | str, args: Sequence[Any], _named: Mapping[str, Any]) -> Any:  # noqa: ANN401
        return args[0][key] if isinstance(args[0], Mapping) else getattr(args[0], str(key))

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401
        if value is None:
            raise _MissingError
        named = FORMATS.get(format_spec)
        return named(value) if named else str(super().format_field(value, format_spec))


_FORMATTER: Final = _Formatter()


def _cell(template: str, fields: object) -> str:
    try:
        return text(template, fields)
    except _MissingError:
        return ""


@contextmanager
def plot_file(path: Path, size: tuple[float, float]) -> Iterator[Axes]:
    """Yield axes to draw on, and then write an SVG file of this size in inches."""
    extras.require(extras.PLOT, click.ClickException)
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    # Text stays text, and the same results produce the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "c4", "font.size": 11}):
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        yield axes
        axes.tick_params(length=0, colors=INK)
        axes.set_axisbelow(True)
        for side in axes.spines.values():
            side.set_visible(False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
