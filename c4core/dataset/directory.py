"""A data set as files: the parts in one or several formats, and the card beside them."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from c4core.dataset.card import JSON_NAME, PAGE_NAME, as_text, read_card
from c4core.dataset.card_page import card_page
from c4core.dataset.checking import common_positions, part_problems
from c4core.dataset.errors import DatasetError
from c4core.dataset.formats import FORMATS
from c4core.dataset.lots import SPLITS
from c4core.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from c4core.dataset.card import PartFile, Terms
    from c4core.dataset.formats import Format
    from c4core.dataset.records import Array

    Json = dict[str, Any]

OTHER_FILE: Final = "{name}: not the file that was written with the card (sha256)"


def write_dataset(
    directory: Path,
    parts: Mapping[str, Mapping[str, Array]],
    card: Json,
    *,
    formats: Sequence[str],
) -> Json:
    """Write the files of a data set, the card last.

    They take the place of the data set that was there before, if there was one: whoever reads a
    part must not find one of another set.

    Args:
        directory: is there.
        parts: the columns of each part, by name.
        card: without its files.
        formats: names of :data:`FORMATS`.

    Returns:
        The card with its files.

    Raises:
        DatasetError: a format needs a package that is not installed.
        OSError: a file cannot be written.
    """
    _remove_dataset(directory)
    files = []
    for split, records in parts.items():
        text = as_text({**card, "part": split})
        for name in formats:
            path = directory / f"{split}.{name}"
            with whole_file(path) as beside:
                FORMATS[name].write(beside, records, text)
            files.append(
                {
                    "name": path.name,
                    "split": split,
                    "positions": len(records["key"]),
                    "sha256": _digest(path),
                }
            )
    complete = {**card, "files": files}
    for name, content in ((PAGE_NAME, card_page(card)), (JSON_NAME, as_text(complete))):
        with whole_file(directory / name) as beside:
            beside.write_text(content, encoding="utf-8", newline="\n")
    return complete


def _remove_dataset(directory: Path) -> None:
    """Remove the parts that a card in a directory names, then the card.

    Only names that parts have: a card can be edited, or be something else.
    """
    parts = {f"{split}.{ending}" for split in SPLITS for ending in FORMATS}
    with suppress(DatasetError):
        _, terms = _card_beside(directory / JSON_NAME)
        for file in terms.files:
            if file.name in parts:
                (directory / file.name).unlink(missing_ok=True)
    (directory / JSON_NAME).unlink(missing_ok=True)


@dataclass(slots=True)
class Inspection:
    """A data set, or a file of one, that was looked at."""

    card: Json
    """What it says about itself."""
    problems: list[str] = field(default_factory=list)
    """What is wrong, for people; empty if all is well."""
    files: list[str] = field(default_factory=list)
    """Names of the files that were read."""


def inspect(path: Path) -> Inspection:
    """Look at a data set's directory, or at one of its files, and check what there is.

    Args:
        path: a directory with a card, the card itself, or a part.

    Raises:
        DatasetError: there is no card, or it cannot be read; a lone file is no data set.
        OSError: a file cannot be read.
    """
    if path.is_dir() or path.name == JSON_NAME:
        return _inspect_directory(path if path.is_dir() else path.parent)
    return _inspect_file(path)


def _inspect_directory(directory: Path) -> Inspection:
    card, terms = _card_beside(directory / JSON_NAME)
    found = Inspection(card)
    keys: dict[str, Array] = {}
    for file in terms.files:
        found.files.append(file.name)
        try:
            records = _checked_file(directory / file.name, file, terms, found)
        except FileNotFoundError:
            found.problems.append(f"{file.name}: missing")
        except DatasetError as error:
            found.problems.append(str(error))
        else:
            keys.setdefault(file.split, records["key"])
    found.problems += common_positions(keys)
    found.problems += _strays(directory, found.files)
    return found


def _checked_file(path: Path, file: PartFile, terms: Terms, found: Inspection) -> dict[str, Array]:
    """Read a file that a card names, and note what is wrong with it."""
    if _digest(path) != file.sha256:
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
        card, terms = _card_beside(path.with_name(JSON_NAME))
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
    """What is wrong with a file by the card beside it, if there is one that names it."""
    try:
        _, terms = _card_beside(path.with_name(JSON_NAME))
    except DatasetError:  # a file may be looked at alone
        return
    for file in terms.files:
        if file.name == path.name and file.sha256 != _digest(path):
            yield OTHER_FILE.format(name=path.name)


def _card_beside(path: Path) -> tuple[Json, Terms]:
    try:
        return read_card(path.read_text(encoding="utf-8"), str(path))
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
    """Files that look like parts and are not: left by another build."""
    for split in SPLITS:
        for ending in FORMATS:
            name = f"{split}.{ending}"
            if name not in named and (directory / name).exists():
                yield f"{name}: not of this data set: the card does not name it"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
