"""Rows as a Parquet file, some thousands at a time; needs pyarrow."""

from __future__ import annotations

from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final

import click

from c4core.extras import load_pyarrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_GROUP: Final = 1 << 14
"""Rows of a group in the file, which are in memory together."""

_SHORT: Final = ("ply", "score", "lower", "upper", "plies")
_LONG: Final = ("line", "nodes", "count")
_LISTS: Final = ("scores", "best")
_OTHERS: Final = {"key": "uint64", "seconds": "float64", "stored": "bool"}
"""Types of other columns, by name; the rest is text. All can be null."""


def write_parquet(
    rows: Iterable[Mapping[str, Any]], names: Sequence[str], target: IO[bytes]
) -> int:
    """Write rows in constant memory; how many there were.

    Args:
        rows: objects with these names.
        names: of the columns.
        target: a binary file.

    Raises:
        click.UsageError: pyarrow is not installed.
    """
    arrow = load_pyarrow(click.UsageError)
    schema = arrow.schema([(name, _type(arrow, name)) for name in names])
    written = 0
    with arrow.parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        waiting = iter(rows)
        while group := list(islice(waiting, _GROUP)):
            encodable = [{name: _text(row[name]) for name in names} for row in group]
            writer.write_table(arrow.Table.from_pylist(encodable, schema=schema))
            written += len(group)
    return written


def _text(value: Any) -> Any:
    """Text in UTF-8: half of a surrogate pair, which JSON allows, becomes an escape."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _type(arrow: Any, name: str) -> Any:
    kinds = dict.fromkeys(_SHORT, "int16") | dict.fromkeys(_LONG, "int64") | _OTHERS
    if name in _LISTS:
        return arrow.list_(arrow.int16())
    return arrow.type_for_alias(kinds.get(name, "string"))
