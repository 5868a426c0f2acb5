"""The head of a data set's page, in YAML, for programs that load data sets without code.

Hugging Face's ``datasets`` takes ``configs`` from it: which file holds which part. It loads Parquet
and JSON Lines; of a data set in both formats the head names the Parquet files. Texts are written as
JSON, which YAML contains.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    Json = dict[str, Any]

LOADED: Final = ("parquet", "jsonl")
"""The formats that others load without code, the best one first."""

TAGS: Final = ("connect-four", "board-games", "game-theory", "exact-labels", "solver")
TASK: Final = "tabular-classification"

_SIZES: Final = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
_LARGEST: Final = "100M<n<1B"


def head_lines(card: Json) -> Iterator[str]:
    """The lines of the head, between its marks.

    Args:
        card: a card of format 2 with its list of files.
    """
    yield "---"
    yield f"license: {json.dumps(card['license'].lower())}"
    yield f"pretty_name: {json.dumps('Connect Four: ' + card['title'])}"
    yield "tags:"
    yield from (f"- {tag}" for tag in TAGS)
    yield "task_categories:"
    yield f"- {TASK}"
    yield "size_categories:"
    yield f"- {_size(card['positions'])}"
    files = _loaded_files(card)
    if files:
        yield "configs:"
        yield "- config_name: default"
        yield "  data_files:"
        for file in files:
            yield f"  - split: {file['split']}"
            yield f"    path: {json.dumps(file['name'])}"
    yield "---"


def _size(positions: int) -> str:
    return next(
        (size for power, size in enumerate(_SIZES, 3) if positions < 10**power),
        _LARGEST,
    )


def _loaded_files(card: Json) -> list[Json]:
    for ending in LOADED:
        files = [file for file in card["files"] if file["name"].endswith(f".{ending}")]
        if files:
            return files
    return []
