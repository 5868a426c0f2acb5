"""A data set as files: the parts in one or several formats, and the card."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from c4core.atomic_file import atomic_file
from c4core.dataset.allowance import MAX_CARD
from c4core.dataset.card import JSON_NAME, PAGE_NAME, as_text, read_card
from c4core.dataset.card_page import card_page
from c4core.dataset.checking import common_positions, part_problems
from c4core.dataset.errors import DatasetError, DatasetExistsError
from c4core.dataset.formats import FORMATS
from c4core.dataset.lots import SPLITS
from c4core.dataset.placing import locked, put_in_place
from c4core.plain_file import check_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    replace: bool = False,
) -> Json:
    """Write the files of a data set.

    They are written into a staging directory, and moved into place when all of them are on the
    disk, the card last. If anything fails before, an older data set stays unchanged. Of two
    processes that write at the same time, one waits for the other.

    Args:
        directory: an existing directory.
        parts: the columns of each part, by name.
        card: the card, without its list of files.
        formats: names of :data:`FORMATS`.
        replace: whether to replace another data set, if there is one.

    Returns:
        The card with its list of files.

    Raises:
        DatasetExistsError: there is another data set, which stays unchanged.
        DatasetError: a format needs a package that is not installed.
        OSError: a file cannot be written.
    """
    with locked(directory) as aside, _named_as_placed(directory):
        aside.mkdir()
        complete = {**card, "files": _write_parts(aside, parts, card, formats)}
        if not (replace or _is_free(directory, complete)):
            raise _existing(directory)
        # With the card the set is complete: the next process may move it into place.
        for name, content in ((PAGE_NAME, card_page(card)), (JSON_NAME, as_text(complete))):
            with atomic_file(aside / name) as beside:
                beside.write_text(content, encoding="utf-8", newline="\n")
        put_in_place(directory, aside)
    return complete


def check_free(directory: Path, *, command: str, formats: Sequence[str]) -> None:
    """Check that a data set can be written without replacing another one.

    If a process was killed while it moved its files into place, the others are moved first.

    Args:
        directory: an existing directory.
        command: the command that makes the data set; an older result of it may be replaced.
        formats: names of :data:`FORMATS`.

    Raises:
        DatasetExistsError: there is another data set.
        OSError: the directory cannot be read.
    """
    with locked(directory):
        pass
    with suppress(DatasetError):
        card, _ = _card_beside(directory / JSON_NAME)
        if card["command"] == command:
            return
    if any((directory / name).exists() for name in _names(formats)):
        raise _existing(directory)


def _names(formats: Iterable[str]) -> list[str]:
    """The names of all files that a data set can have, the card last."""
    parts = [f"{split}.{ending}" for split in SPLITS for ending in formats]
    return [*parts, PAGE_NAME, JSON_NAME]


def _existing(directory: Path) -> DatasetExistsError:
    is_set = (directory / JSON_NAME).exists()
    what = "another data set" if is_set else "files of the names of a data set's"
    return DatasetExistsError(f"{directory} has {what} already", path=str(directory))


def _is_free(directory: Path, card: Json) -> bool:
    """Whether a directory has no data set, or an older result of this command."""
    try:
        there, terms = _card_beside(directory / JSON_NAME)
    except DatasetError:
        files = {file["name"] for file in card["files"]} | {JSON_NAME, PAGE_NAME}
        return not any((directory / name).exists() for name in files)
    paths = ((directory / file.name, file.sha256) for file in terms.files)
    return there == card and not any(path.exists() and _digest(path) != sha for path, sha in paths)


def _write_parts(
    aside: Path, parts: Mapping[str, Mapping[str, Array]], card: Json, formats: Sequence[str]
) -> list[Json]:
    """Write the parts. Returns the card's entry for each file."""
    files = []
    for split, records in parts.items():
        text = as_text({**card, "part": split})
        for name in formats:
            path = aside / f"{split}.{name}"
            with atomic_file(path) as beside:
                FORMATS[name].write(beside, records, text)
            files.append(
                {
                    "name": path.name,
                    "split": split,
                    "positions": len(records["key"]),
                    "sha256": _digest(path),
                }
            )
    return files


@contextmanager
def _named_as_placed(directory: Path) -> Iterator[None]:
    """Let errors name the final path of a file, and not the one in the staging directory."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            error.filename = str(directory / os.path.basename(error.filename))  # noqa: PTH119
        raise


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
    """Read a file that a card names, and add its problems to the findings."""
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
    """The problems of a file according to the card beside it, if a card there names the file."""
    try:
        _, terms = _card_beside(path.with_name(JSON_NAME))
    except DatasetError:  # a file may be checked alone
        return
    for file in terms.files:
        if file.name == path.name and file.sha256 != _digest(path):
            yield OTHER_FILE.format(name=path.name)


def _card_beside(path: Path) -> tuple[Json, Terms]:
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


def _digest(path: Path) -> str:
    check_plain(path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
