"""Writes the files of a data set, and puts all of them into place, or none.

The files are written into a staging directory, the card last, and each is on the disk before it
gets its name. With the card the set is complete, and its files are moved into place. If the process
is killed while it moves them, the others stay in the staging directory, and the next process that
writes a data set there moves them first.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from c4core.dataset.allowance import MAX_CARD
from c4core.dataset.card import JSON_NAME, PAGE_NAME, as_text
from c4core.dataset.card_page import card_page
from c4core.dataset.errors import DatasetError, DatasetExistsError
from c4core.dataset.lots import SPLITS
from c4core.dataset.reading import FORMATS, card_beside, digest
from c4core.files import atomic_file, check_plain
from c4core.json_text import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from c4core.dataset.records import Array

    Json = dict[str, Any]

ASIDE: Final = ".c4-dataset.new"
"""The name of the staging directory, within the data set's."""

_PARTS: Final = tuple(f"{split}.{ending}" for split in SPLITS for ending in FORMATS)


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
    disk, the card last. If anything fails before, an older data set stays unchanged. If two
    processes write at the same time, one waits for the other.

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
    with _locked(directory) as aside, _named_as_placed(directory):
        aside.mkdir()
        complete = {**card, "files": _write_parts(aside, parts, card, formats)}
        if not (replace or _is_free(directory, complete)):
            raise _existing(directory)
        # With the card the set is complete: the next process may move it into place.
        for name, content in ((PAGE_NAME, card_page(complete)), (JSON_NAME, as_text(complete))):
            with atomic_file(aside / name) as beside:
                beside.write_text(content, encoding="utf-8", newline="\n")
        _put_in_place(directory, aside)
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
    with _locked(directory):
        pass
    with suppress(DatasetError):
        card, _ = card_beside(directory / JSON_NAME)
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
        there, terms = card_beside(directory / JSON_NAME)
    except DatasetError:
        files = {file["name"] for file in card["files"]} | {JSON_NAME, PAGE_NAME}
        return not any((directory / name).exists() for name in files)
    paths = ((directory / file.name, file.sha256) for file in terms.files)
    return there == card and not any(path.exists() and digest(path) != sha for path, sha in paths)


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
                    "sha256": digest(path),
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


@contextmanager
def _locked(directory: Path) -> Iterator[Path]:
    """Lock a data set's directory, and yield the path of its staging directory, to be created.

    Files that a killed process left there are moved into place if they are complete, else removed.
    The staging directory is removed at the end. On systems without locks for directories, nothing
    is locked.
    """
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        aside = directory / ASIDE
        if aside.is_symlink():  # a symbolic link's target is not ours
            aside.unlink()
        if (aside / JSON_NAME).exists():
            _put_in_place(directory, aside)
        _remove(aside)
        try:
            yield aside
        finally:
            if not (aside / JSON_NAME).exists():  # else the next process completes the set
                _remove(aside)
    finally:
        os.close(handle)


def _put_in_place(directory: Path, aside: Path) -> None:
    """Move the files of a complete data set to their places, the card last.

    Only files with names of parts are removed from an older data set, whatever else its card names,
    because a card can be edited. Meanwhile readers find no card. If a file cannot be moved or
    removed, the call can be repeated.
    """
    kept = _named(aside / JSON_NAME)
    for name in _named(directory / JSON_NAME) - kept:
        (directory / name).unlink(missing_ok=True)
    (directory / JSON_NAME).unlink(missing_ok=True)
    for name in (*_PARTS, PAGE_NAME, JSON_NAME):
        with suppress(FileNotFoundError):
            (aside / name).replace(directory / name)


def _named(path: Path) -> set[str]:
    """The names of a card's parts; none if the file is not a card."""
    try:
        check_plain(path)
        with path.open(encoding="utf-8") as file:
            card: Any = read_json(file.read(MAX_CARD))
        return {file["name"] for file in card["files"]} & set(_PARTS)
    except (FileNotFoundError, KeyError, RecursionError, TypeError, ValueError):
        return set()


def _remove(aside: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(aside)
