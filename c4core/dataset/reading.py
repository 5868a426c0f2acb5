"""Read the NPZ files of a data set, and compare its files with each other and with the card.

JSON Lines and Parquet are for other programs. They are not read here: their bytes are compared with
the checksums on the card.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import are_over, canonical_keys
from c4core.dataset.card import JSON_NAME, MAX_CARD, census, read_card
from c4core.dataset.files import read_npz, write_jsonl, write_npz, write_parquet
from c4core.dataset.lots import SPLITS, are_mirrored, linked, split_of
from c4core.dataset.records import are_full, columns_of, make_records, turn
from c4core.errors import DatasetError, KeyValueError
from c4core.evaluation import NO_SCORE
from c4core.files import check_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from c4core.dataset.card import Card, PartFile
    from c4core.dataset.records import Array

    Keys = NDArray[np.uint64]

MAX_PROBLEMS: Final = 10


FORMATS: Final[Mapping[str, Callable[[Path, Mapping[str, Array], str], None]]] = {
    "npz": write_npz,
    "parquet": write_parquet,
    "jsonl": write_jsonl,
}
"""The writers of the file formats, by the suffix of the files. They write the columns, and the card
if the format has a place for it."""

READ: Final = ".npz"
"""The suffix of the files that are read."""


@dataclass(slots=True)
class Inspection:
    """The result of checking a data set or one of its files."""

    card: Card
    problems: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def inspect(path: Path) -> Inspection:
    """Check a data set, given its directory or its card, or check the file of one part."""
    if path.is_dir() or path.name == JSON_NAME:
        return _inspect_directory(path if path.is_dir() else path.parent)
    return _inspect_file(path)


def read_part(directory: Path, split: str) -> tuple[dict[str, Array], Card]:
    """Read and check a part of a data set; return its columns and the card."""
    card = card_beside(directory / JSON_NAME)
    files = [file for file in card.files if file.split == split]
    if not files:
        raise DatasetError(f"{directory}: this data set has no part {split}")
    file = next((file for file in files if file.name.endswith(READ)), None)
    if file is None:
        raise DatasetError(
            f"{directory}: part {split} has no NPZ file: make the data set again with --format npz"
        )
    found = Inspection(card)
    try:
        records = _checked_file(directory / file.name, file, card, found)
    except FileNotFoundError:
        raise DatasetError(f"{directory / file.name}: missing") from None
    if found.problems:
        raise DatasetError(f"{directory}: {found.problems[0]}")
    return records, card


def _inspect_directory(directory: Path) -> Inspection:
    card = card_beside(directory / JSON_NAME)
    found = Inspection(card)
    keys: dict[str, NDArray[np.uint64]] = {}
    for file in card.files:
        found.files.append(file.name)
        path = directory / file.name
        try:
            if path.suffix == READ:
                records = _checked_file(path, file, card, found)
                keys[file.split] = records["key"].astype(np.uint64)
            else:
                found.problems += _digest_problems(path, card)
        except FileNotFoundError:
            found.problems.append(f"{file.name}: missing")
        except DatasetError as error:
            found.problems.append(str(error))
    found.problems += _common_positions(keys)
    if not found.problems and keys.keys() == card.splits.keys():  # else the keys may be wrong
        found.problems += _neighbour_problems(keys, card)
    found.problems += _strays(directory, found.files)
    return found


def _checked_file(path: Path, file: PartFile, card: Card, found: Inspection) -> dict[str, Array]:
    """Read a file that a card names, and add its problems to the findings."""
    found.problems += _digest_problems(path, card)
    records, _ = read_npz(path)
    problems = part_problems(records, card, file.split)
    found.problems += [f"{path.name}: {problem}" for problem in problems]
    if "key" not in records:
        raise DatasetError(f"{path.name}: it has no keys, so it cannot be checked")
    return records


def _inspect_file(path: Path) -> Inspection:
    if path.suffix.removeprefix(".") not in FORMATS:
        raise DatasetError(
            f"{path}: not a file of a data set; their names end in {', '.join(FORMATS)}"
        )
    if path.suffix != READ:
        card = card_beside(path.with_name(JSON_NAME))
        return Inspection(card, [*_digest_problems(path, card)], [path.name])
    records, text = read_npz(path)
    card = read_card(text, str(path))
    split = card.part
    if split not in card.splits:
        raise DatasetError(f"{path}: unknown part of the data set: {split!r}")
    problems: list[str] = []
    with suppress(DatasetError):  # a file may be checked alone
        problems += _digest_problems(path, card_beside(path.with_name(JSON_NAME)))
    problems += [f"{path.name}: {each}" for each in part_problems(records, card, split)]
    return Inspection(card, problems, [path.name])


def _digest_problems(path: Path, card: Card) -> Iterator[str]:
    """The problems of a file according to a card, if the card names the file."""
    for file in card.files:
        if file.name == path.name and file.sha256 != digest(path):
            yield f"{path.name}: not the file that was written with the card (sha256)"


def card_beside(path: Path) -> Card:
    """Read the ``card.json`` of a data set."""
    try:
        check_regular_file(path)
        with path.open(encoding="utf-8") as file:
            return read_card(file.read(MAX_CARD + 1), str(path))
    except FileNotFoundError:
        raise DatasetError(f"{path}: missing: a data set has its card there") from None
    except UnicodeDecodeError:
        raise DatasetError(f"{path}: not a data card: not UTF-8") from None


def _strays(directory: Path, named: Sequence[str]) -> Iterator[str]:
    """Problems of files with the name of a part that are not on the card: leftovers of a build."""
    for split in SPLITS:
        for ending in FORMATS:
            name = f"{split}.{ending}"
            if name not in named and (directory / name).exists():
                yield f"{name}: not of this data set: the card does not name it"


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    check_regular_file(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def part_problems(records: Mapping[str, Array], card: Card, split: str) -> Iterator[str]:
    """The first :data:`MAX_PROBLEMS` problems of a part of a data set.

    The labels are compared with each other: for example, the score must be the best of the column
    scores. No position is solved. If positions are repeated, nothing else is checked.
    """
    return islice(_problems(records, card, split), MAX_PROBLEMS)


def _problems(records: Mapping[str, Array], card: Card, split: str) -> Iterator[str]:
    shaped = dict(records)
    problems = list(_shape_problems(shaped, card))
    if problems:  # the checks below need the right shapes
        yield from problems
        return
    keys = np.ascontiguousarray(shaped["key"]).astype(np.uint64)
    # A small file can repeat a position very often. Finding the moves takes 50 microseconds for
    # each repetition, minutes in all.
    repeated = len(keys) - len(np.unique(keys))
    if repeated:
        what = "position occurs" if repeated == 1 else "positions occur"
        yield f"{repeated:,} {what} more than once"
        return
    try:
        canonical, _ = canonical_keys(keys, card.size)
    except KeyValueError as error:
        yield str(error)
        return
    yield from _counted(canonical != keys, "a key that is not canonical")
    yield from _counted(are_over(keys, card.size), "a game that is over")
    yield from _record_problems(shaped, keys, card)
    places = split_of(keys, card.seed, card.shares)
    yield from _counted(places != SPLITS.index(split), "a position of another part")
    if census(shaped) != card.splits[split]:
        yield "the numbers of positions by ply and value differ from the card"


def _common_positions(parts: Mapping[str, Array]) -> Iterator[str]:
    """Problems of positions that are in several parts, from the keys of each part."""
    names = list(parts)
    for index, name in enumerate(names):
        for other in names[index + 1 :]:
            number = len(np.intersect1d(parts[name], parts[other]))
            if number:
                what = "position is" if number == 1 else "positions are"
                yield f"{number:,} {what} in {name} and in {other}"


def _neighbour_problems(parts: Mapping[str, Keys], card: Card) -> Iterator[str]:
    """Differences from the card in the number of positions with neighbours in other parts."""
    found = linked(parts, card.size)
    for name, number in found.items():
        claimed = card.neighbours[name]
        if number != claimed:
            yield f"{number:,} positions of {name} have neighbours in other parts, not {claimed:,}"


def _shape_problems(records: dict[str, Array], card: Card) -> Iterator[str]:
    """Problems of the names, shapes and types of columns. Flat planes are reshaped."""
    columns = columns_of(card.representation)
    missing = [column.name for column in columns if column.name not in records]
    foreign = sorted(set(records) - {column.name for column in columns})
    if missing:
        yield f"no column {', '.join(missing)}"
        return
    if foreign:
        yield f"a column {', '.join(foreign)} that the card does not name"
    number = len(records["key"]) if records["key"].ndim else 0
    width, height = card.size
    sizes = {"N": number, "W": width, "H": height, "2": 2}
    for column in columns:
        wanted = tuple(sizes[letter] for letter in column.shape.strip("(,)").split(", "))
        array = records[column.name]
        if array.size == np.prod(wanted):
            array = array.reshape(wanted)
        dtype = np.dtype(column.dtype.format(C=card.size.cells))
        if array.shape != wanted:
            yield f"column {column.name} has the shape {array.shape} instead of {wanted}"
        elif array.dtype.kind != dtype.kind or array.dtype.itemsize > dtype.itemsize:
            yield f"column {column.name} is of type {array.dtype} instead of {dtype}"
        records[column.name] = array


def _record_problems(records: Mapping[str, Array], keys: Keys, card: Card) -> Iterator[str]:
    """Problems of columns that do not follow from the keys and the column scores."""
    board, seed = card.size, card.seed
    scores = turn(records["column_scores"].astype(np.int8), are_mirrored(keys, seed))
    unlike = ((scores == NO_SCORE) != are_full(keys, board)).any(axis=1)
    yield from _counted(unlike, "a score for a full column, or none for an open one")
    made = make_records(keys, scores, board=board, seed=seed, representations=card.representation)
    for name, array in made.items():
        axes = tuple(range(1, array.ndim))
        unlike = (records[name] != array).any(axis=axes) if axes else records[name] != array
        yield from _counted(unlike, f"a wrong entry in column {name}")


def _counted(rows: Array, what: str) -> Iterator[str]:
    number = int(rows.sum())
    if number:
        noun = "position has" if number == 1 else "positions have"
        yield f"{number:,} {noun} {what} (the first is number {int(rows.argmax()) + 1:,})"
