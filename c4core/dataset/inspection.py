"""Reads a data set's files, and checks them against its card."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset.allowance import MAX_CARD
from c4core.dataset.card.making import JSON_NAME
from c4core.dataset.card.reading import read_card
from c4core.dataset.checking import common_positions, neighbour_problems, part_problems
from c4core.dataset.errors import DatasetError
from c4core.dataset.formats import FORMATS
from c4core.dataset.lots import SPLITS
from c4core.files import check_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from c4core.dataset.card.reading import PartFile, Terms
    from c4core.dataset.formats import Format
    from c4core.dataset.records import Array

    Json = dict[str, Any]

OTHER_FILE: Final = "{name}: not the file that was written with the card (sha256)"


@dataclass(slots=True)
class Inspection:
    """The findings about a data set, or about one of its files."""

    card: Json
    """The data card."""
    problems: list[str] = field(default_factory=list)
    """The problems, for people; empty if there are none."""
    files: list[str] = field(default_factory=list)
    """Names of the files that were read."""


def inspect(path: Path) -> Inspection:
    """Check a data set's directory, or one of its files.

    Args:
        path: a directory with a card, the card itself, or a part.

    Raises:
        DatasetError: the card is missing or cannot be read, or the file is not a part of a set.
        OSError: a file cannot be read.
    """
    if path.is_dir() or path.name == JSON_NAME:
        return _inspect_directory(path if path.is_dir() else path.parent)
    return _inspect_file(path)


def read_part(directory: Path, split: str) -> tuple[dict[str, Array], Terms]:
    """The columns of a part of a data set, checked, and what its card says.

    Args:
        directory: the directory of a data set.
        split: the name of the part; of several formats the first in the card is read.

    Raises:
        DatasetError: the data set has no such part, or something is wrong with it.
        OSError: a file cannot be read.
    """
    card, terms = card_beside(directory / JSON_NAME)
    file = next((file for file in terms.files if file.split == split), None)
    if file is None:
        raise DatasetError(f"{directory}: this data set has no part {split}", path=str(directory))
    found = Inspection(card)
    try:
        records = _checked_file(directory / file.name, file, terms, found)
    except FileNotFoundError:
        raise DatasetError(f"{directory / file.name}: missing", path=str(directory)) from None
    if found.problems:
        raise DatasetError(f"{directory}: {found.problems[0]}", path=str(directory))
    return records, terms


def _inspect_directory(directory: Path) -> Inspection:
    card, terms = card_beside(directory / JSON_NAME)
    found = Inspection(card)
    keys: dict[str, NDArray[np.uint64]] = {}
    for file in terms.files:
        found.files.append(file.name)
        try:
            records = _checked_file(directory / file.name, file, terms, found)
        except FileNotFoundError:
            found.problems.append(f"{file.name}: missing")
        except DatasetError as error:
            found.problems.append(str(error))
        else:
            keys.setdefault(file.split, records["key"].astype(np.uint64))
    found.problems += common_positions(keys)
    if not found.problems and keys.keys() == terms.splits.keys():  # else the keys may be wrong
        found.problems += neighbour_problems(keys, terms)
    found.problems += _strays(directory, found.files)
    return found


def _checked_file(path: Path, file: PartFile, terms: Terms, found: Inspection) -> dict[str, Array]:
    """Read a file that a card names, and add its problems to the findings."""
    if digest(path) != file.sha256:
        found.problems.append(OTHER_FILE.format(name=path.name))
    records, _ = _format_of(path).read(path)
    problems = part_problems(records, terms, file.split)
    found.problems += [f"{path.name}: {problem}" for problem in problems]
    if "key" not in records:
        raise DatasetError(f"{path.name}: without keys it cannot be compared", path=str(path))
    return records


def _inspect_file(path: Path) -> Inspection:
    records, text = _format_of(path).read(path)
    if text is None:
        card, terms = card_beside(path.with_name(JSON_NAME))
        split = path.stem
    else:
        card, terms = read_card(text, str(path))
        split = str(card.get("part"))
    if split not in terms.splits:
        raise DatasetError(f"{path}: which part of the data set is it? {split!r}", path=str(path))
    problems = [*_digest_problems(path)]
    problems += [f"{path.name}: {each}" for each in part_problems(records, terms, split)]
    return Inspection(card, problems, [path.name])


def _digest_problems(path: Path) -> Iterator[str]:
    """The problems of a file according to the card beside it, if a card there names the file."""
    try:
        _, terms = card_beside(path.with_name(JSON_NAME))
    except DatasetError:  # a file may be checked alone
        return
    for file in terms.files:
        if file.name == path.name and file.sha256 != digest(path):
            yield OTHER_FILE.format(name=path.name)


def card_beside(path: Path) -> tuple[Json, Terms]:
    """A data set's card, and what its files are checked against.

    Args:
        path: the place of ``card.json``.

    Raises:
        DatasetError: the file is missing, or not a card.
        OSError: it cannot be read.
    """
    try:
        check_plain(path)
        with path.open(encoding="utf-8") as file:
            return read_card(file.read(MAX_CARD + 1), str(path))
    except FileNotFoundError:
        raise DatasetError(
            f"{path}: missing: a data set has its card there", path=str(path)
        ) from None
    except UnicodeDecodeError:
        raise DatasetError(f"{path}: this is no data card: not UTF-8", path=str(path)) from None


def _format_of(path: Path) -> Format:
    ending = path.suffix.removeprefix(".")
    if ending not in FORMATS:
        raise DatasetError(
            f"{path}: no file of a data set; those end in {', '.join(FORMATS)}", path=str(path)
        )
    return FORMATS[ending]


def _strays(directory: Path, named: Sequence[str]) -> Iterator[str]:
    """Files with names of parts that the card does not have: leftovers of another build."""
    for split in SPLITS:
        for ending in FORMATS:
            name = f"{split}.{ending}"
            if name not in named and (directory / name).exists():
                yield f"{name}: not of this data set: the card does not name it"


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits.

    Raises:
        OSError: the file cannot be read.
    """
    check_plain(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
