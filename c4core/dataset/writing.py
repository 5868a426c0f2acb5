"""Write the files of a data set.

Each file is on the disk before it gets its name, and the card gets its name last. Files without a
card are an incomplete data set: the command makes it again with --force.

One of the files is the card as a page in Markdown: a datasheet for people, with YAML front matter
for programs. Hugging Face's ``datasets`` reads ``configs`` from it, which lists the file of each
part. It loads Parquet and JSON Lines without code; if a data set has both formats, the front matter
names the Parquet files. Texts in it are written as JSON, which is valid YAML.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace as replace_fields

from c4core.dataset.card import (
    JSON_NAME,
    NEIGHBOURS,
    OUTCOMES,
    PAGE_NAME,
    TRAITS,
    PartFile,
    as_text,
    total,
)
from c4core.dataset.lots import SPLITS
from c4core.dataset.reading import FORMATS, card_beside, digest
from c4core.errors import DatasetError, DatasetExistsError
from c4core.files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from c4core.dataset.card import Card
    from c4core.dataset.records import Array

_PARTS: Final = tuple(f"{split}.{ending}" for split in SPLITS for ending in FORMATS)


def write_dataset(
    directory: Path,
    parts: Mapping[str, Mapping[str, Array]],
    card: Card,
    *,
    formats: Sequence[str],
    replace: bool = False,
) -> Card:
    """Write the files of a data set.

    The files get their names when all of them are written, the card last. If anything fails before,
    an older data set stays unchanged.
    """
    with ExitStack() as placed:  # the files get their names in the reverse order
        for_card = placed.enter_context(atomic_file(directory / JSON_NAME))
        for_page = placed.enter_context(atomic_file(directory / PAGE_NAME))
        files = []
        for split, records in parts.items():
            text = as_text(replace_fields(card, part=split))
            for ending in formats:
                name = f"{split}.{ending}"
                beside = placed.enter_context(atomic_file(directory / name))
                FORMATS[ending](beside, records, text)
                files.append(PartFile(name, split, len(records["key"]), digest(beside)))
        complete = replace_fields(card, files=files)
        if not (replace or _is_free(directory, complete)):
            raise _existing(directory)
        for_page.write_text(card_page(complete), encoding="utf-8", newline="\n")
        for_card.write_text(as_text(complete), encoding="utf-8", newline="\n")
        for name in _named(directory / JSON_NAME) - {file.name for file in files}:
            (directory / name).unlink(missing_ok=True)
        (directory / JSON_NAME).unlink(missing_ok=True)
    return complete


def check_free(directory: Path, *, command: str, formats: Sequence[str]) -> None:
    """Check that a data set can be written without replacing another one."""
    with suppress(DatasetError):
        if card_beside(directory / JSON_NAME).command == command:
            return
    if any((directory / name).exists() for name in _names(formats)):
        raise _existing(directory)


def _names(formats: Iterable[str]) -> list[str]:
    """The names of all files that a data set can have, the card last."""
    parts = [f"{split}.{ending}" for split in SPLITS for ending in formats]
    return [*parts, PAGE_NAME, JSON_NAME]


def _existing(directory: Path) -> DatasetExistsError:
    is_set = (directory / JSON_NAME).exists()
    what = "another data set" if is_set else "files with the names of a data set's files"
    return DatasetExistsError(f"{directory} has {what} already")


def _is_free(directory: Path, card: Card) -> bool:
    """Whether a directory has no data set, or an older result of the same command."""
    try:
        there = card_beside(directory / JSON_NAME)
    except DatasetError:
        files = {file.name for file in card.files} | {JSON_NAME, PAGE_NAME}
        return not any((directory / name).exists() for name in files)
    paths = ((directory / file.name, file.sha256) for file in there.files)
    return there == card and not any(path.exists() and digest(path) != sha for path, sha in paths)


def _named(path: Path) -> set[str]:
    """The names of the part files on a card; empty if the file is not a card.

    Other names are left out: the card may have been edited.
    """
    try:
        return {file.name for file in card_beside(path).files} & set(_PARTS)
    except DatasetError:
        return set()


LOADED: Final = ("parquet", "jsonl")
"""The formats that ``datasets`` loads without code, the best one first."""

TAGS: Final = ("connect-four", "board-games", "game-theory", "exact-labels", "solver")
TASK: Final = "tabular-classification"

_SIZES: Final = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M")
_LARGEST: Final = "100M<n<1B"

_HEADS: Final = ("positions", *OUTCOMES)
_TRAIT_HEADS: Final = ("positions", *TRAITS)


def card_page(card: Card) -> str:
    """The Markdown page for a card with its list of files."""
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


def head_lines(card: Card) -> Iterator[str]:
    """The lines of the front matter, with its marks, for a card with its list of files."""
    yield "---"
    yield f"license: {json.dumps(card.license.lower())}"
    yield f"pretty_name: {json.dumps('Connect Four: ' + card.title)}"
    yield "tags:"
    yield from (f"- {tag}" for tag in TAGS)
    yield "task_categories:"
    yield f"- {TASK}"
    yield "size_categories:"
    yield f"- {_size(card.positions)}"
    files = _loaded_files(card)
    if files:
        yield "configs:"
        yield "- config_name: default"
        yield "  data_files:"
        for file in files:
            yield f"  - split: {file.split}"
            yield f"    path: {json.dumps(file.name)}"
    yield "---"


def _size(positions: int) -> str:
    return next(
        (size for power, size in enumerate(_SIZES, 3) if positions < 10**power),
        _LARGEST,
    )


def _loaded_files(card: Card) -> list[PartFile]:
    for ending in LOADED:
        files = [file for file in card.files if file.name.endswith(f".{ending}")]
        if files:
            return files
    return []


def _about(card: Card) -> Iterator[str]:
    yield f"# {card.title}"
    yield ""
    yield (
        "Connect Four positions where the game is not over, with the exact score of every column, "
        "for programs that learn. Made by"
    )
    yield ""
    yield "```console"
    yield f"$ {card.command}"
    yield "```"
    yield ""
    yield (
        f"with c4 {card.c4_version} (engine {card.engine_version}), seed {card.seed}. "
        f"License: {card.license}."
    )
    yield ""
    yield card.labels


def _draw(card: Card) -> Iterator[str]:
    has_more = "no more were found" if card.is_all else "there are more"
    taken = [name for name in ("quiet", "decisive") if getattr(card.filters, name)]
    yield "## How the positions were drawn"
    yield ""
    yield card.sampling
    yield ""
    yield "| source | |"
    yield "|---|---|"
    yield from (f"| {name.replace('_', ' ')} | {_text(value)} |" for name, value in _source(card))
    yield f"| filters | {' and '.join(taken) or 'none'} |"
    yield f"| asked for | {card.asked:,} |"
    yield f"| positions | {card.positions:,}; {has_more} |"
    yield f"| drawn | {card.drawn:,} |"
    yield f"| duplicates dropped | {card.duplicates:,} |"
    yield f"| labelled and left out | {card.filters.left_out:,} |"


def _parts(card: Card) -> Iterator[str]:
    yield "## Parts"
    yield ""
    yield f"{card.split.shares} of train, validation and test. {card.split.rule}"
    yield ""
    yield f"{card.orientation} {card.order}"
    yield ""
    yield NEIGHBOURS
    yield ""
    yield "| part | positions | with a neighbour in another part |"
    yield "|---|---|---|"
    for name, part in card.splits.items():
        number = part["positions"]
        yield f"| {name} | {number:,} | {_share(card.neighbours[name], number)} |"


def _balance(card: Card) -> Iterator[str]:
    everything = total(card.splits)
    rows = [*({"part": name, **part} for name, part in card.splits.items())]
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


def _columns(card: Card) -> Iterator[str]:
    yield "## Columns"
    yield ""
    yield "N positions, W columns and H rows on the board."
    yield ""
    yield "| column | type | shape | unit | meaning |"
    yield "|---|---|---|---|---|"
    for column in card.columns:
        cells = (column.dtype, column.shape, column.unit, column.meaning)
        yield f"| `{column.name}` | {' | '.join(cells)} |"


def _limits(card: Card) -> Iterator[str]:
    yield "## Limitations"
    yield ""
    yield from (f"- {sentence}" for sentence in card.limitations)


def _citation(card: Card) -> Iterator[str]:
    yield "## Citation"
    yield ""
    yield "The command and the versions above reproduce the same bytes; cite them."
    yield ""
    yield "```bibtex"
    yield f"@misc{{c4_{card.board}_{card.positions}_{card.seed},"
    yield f"  title = {{Connect Four: {card.title}}},"
    yield "  author = {{The C4 project}},"
    version = f"c4 {card.c4_version}, engine {card.engine_version}"
    yield f"  note = {{{version}: {card.command}}}"
    yield "}"
    yield "```"


def _source(card: Card) -> list[tuple[str, Any]]:
    return [("board", card.board), *card.source.items()]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if type(value) is int else str(value)


def _table(name: str, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    heads = (name, *(column.replace("_", " ") for column in columns))
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        number = row["positions"]
        cells = (_share(row[column], number) for column in columns if column != "positions")
        yield f"| {row[name]} | {number:,} | {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / max(whole, 1):.1f} %)"
