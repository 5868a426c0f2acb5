"""The data card as a page in Markdown: a datasheet for people, with a head for programs.

The head is YAML. Hugging Face's ``datasets`` takes ``configs`` from it: which file holds which
part. It loads Parquet and JSON Lines without code; if a data set has both formats, the head names
the Parquet files. Texts are written as JSON, which YAML contains.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from c4core.dataset.card import NEIGHBOURS, OUTCOMES, TRAITS, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Json = dict[str, Any]

LOADED: Final = ("parquet", "jsonl")
"""The formats that others load without code, the best one first."""

TAGS: Final = ("connect-four", "board-games", "game-theory", "exact-labels", "solver")
TASK: Final = "tabular-classification"

_SIZES: Final = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
_LARGEST: Final = "100M<n<1B"

_HEADS: Final = ("positions", *OUTCOMES)
_TRAIT_HEADS: Final = ("positions", *TRAITS)


def card_page(card: Json) -> str:
    """The page for a card with its list of files."""
    blocks = (
        head_lines(card),
        _about(card),
        _draw(card),
        _parts(card),
        _balance(card),
        _columns(card),
        _limits(card),
        _citation(card),
    )
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def head_lines(card: Json) -> Iterator[str]:
    """The lines of the head, between its marks.

    Args:
        card: a card with its list of files.
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


def _about(card: Json) -> Iterator[str]:
    yield f"# {card['title']}"
    yield ""
    yield (
        "Positions of Connect Four that are not over, with the exact score of every column, for "
        "programs that learn. Made by"
    )
    yield ""
    yield "```console"
    yield f"$ {card['command']}"
    yield "```"
    yield ""
    yield (
        f"with c4 {card['c4_version']} (engine {card['engine_version']}), seed {card['seed']}. "
        f"License: {card['license']}."
    )
    yield ""
    yield card["labels"]


def _draw(card: Json) -> Iterator[str]:
    filters = card["filters"]
    has_more = "no more were found" if card["is_all"] else "there are more"
    taken = [name for name in ("quiet", "decisive") if filters[name]]
    yield "## How the positions were drawn"
    yield ""
    yield card["sampling"]
    yield ""
    yield "| source | |"
    yield "|---|---|"
    yield from (f"| {name.replace('_', ' ')} | {_text(value)} |" for name, value in _source(card))
    yield f"| only | {' and '.join(taken) or 'no filter'} |"
    yield f"| asked for | {card['asked']:,} |"
    yield f"| positions | {card['positions']:,}; {has_more} |"
    yield f"| looked at | {card['drawn']:,} |"
    yield f"| duplicates dropped | {card['duplicates']:,} |"
    yield f"| labelled and left out | {filters['left_out']:,} |"
    yield f"| left out as neighbours | {card['neighbours']['dropped']:,} |"


def _parts(card: Json) -> Iterator[str]:
    neighbours = card["neighbours"]
    yield "## Parts"
    yield ""
    yield f"{card['split']['shares']} of train, validation and test. {card['split']['rule']}"
    yield ""
    yield f"{card['orientation']} {card['order']}"
    yield ""
    yield NEIGHBOURS[neighbours["choice"]]
    yield ""
    yield "| part | positions | with a neighbour in another part |"
    yield "|---|---|---|"
    for name, part in card["splits"].items():
        number = part["positions"]
        yield f"| {name} | {number:,} | {_share(neighbours['linked'][name], number)} |"


def _balance(card: Json) -> Iterator[str]:
    everything = total(card["splits"])
    rows = [*({"part": name, **part} for name, part in card["splits"].items())]
    rows.append({"part": "all", **everything})
    yield "## Balance"
    yield ""
    yield "Won, drawn and lost for the side to move:"
    yield ""
    yield from _table("part", rows, _HEADS)
    yield ""
    yield (
        "Positions with a win in one; with a forced block (no win in one, and the opponent "
        "threatens one); quiet (neither); decisive (columns differ in their results); both:"
    )
    yield ""
    yield from _table("part", rows, _TRAIT_HEADS)
    yield ""
    yield "By the stones on the board:"
    yield ""
    yield from _table("ply", everything["plies"], (*_HEADS, "quiet", "decisive"))


def _columns(card: Json) -> Iterator[str]:
    yield "## Columns"
    yield ""
    yield "N positions, W columns and H rows on the board."
    yield ""
    yield "| column | type | shape | unit | meaning |"
    yield "|---|---|---|---|---|"
    for column in card["columns"]:
        cells = (column[name] for name in ("dtype", "shape", "unit", "meaning"))
        yield f"| `{column['name']}` | {' | '.join(cells)} |"


def _limits(card: Json) -> Iterator[str]:
    yield "## Limitations"
    yield ""
    yield from (f"- {sentence}" for sentence in card["limitations"])


def _citation(card: Json) -> Iterator[str]:
    yield "## Citation"
    yield ""
    yield "The command and the versions above make the same bytes again: cite them."
    yield ""
    yield "```bibtex"
    yield f"@misc{{c4_{card['board']}_{card['positions']}_{card['seed']},"
    yield f"  title = {{Connect Four: {card['title']}}},"
    yield "  author = {{The C4 project}},"
    version = f"c4 {card['c4_version']}, engine {card['engine_version']}"
    yield f"  note = {{{version}: {card['command']}}}"
    yield "}"
    yield "```"


def _source(card: Json) -> list[tuple[str, Any]]:
    return [("board", card["board"]), *card["source"].items()]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if type(value) is int else str(value)


def _table(name: str, rows: Iterable[Json], columns: Sequence[str]) -> Iterator[str]:
    heads = (name, *(column.replace("_", " ") for column in columns))
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        number = row["positions"]
        cells = (_share(row[column], number) for column in columns if column != "positions")
        yield f"| {row[name]} | {number:,} | {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / max(whole, 1):.1f} %)"
