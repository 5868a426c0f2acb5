"""Writes a data set as files: the parts in one or several formats, and the card."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from c4core.dataset.card.making import JSON_NAME, PAGE_NAME, as_text
from c4core.dataset.card.page import card_page
from c4core.dataset.errors import DatasetError, DatasetExistsError
from c4core.dataset.formats import FORMATS
from c4core.dataset.inspection import card_beside, digest
from c4core.dataset.lots import SPLITS
from c4core.dataset.placing import locked, put_in_place
from c4core.dataset.records import CARD_FORMAT
from c4core.files import atomic_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from c4core.dataset.records import Array

    Json = dict[str, Any]


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
        for name, content in ((PAGE_NAME, card_page(complete)), (JSON_NAME, as_text(complete))):
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
        card, _ = card_beside(directory / JSON_NAME)
        if card["command"] == command and card["format"] == CARD_FORMAT:
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
