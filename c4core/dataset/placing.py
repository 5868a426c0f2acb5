"""Puts all files of a data set into place, or none of them.

The files are written into a staging directory, the card last, and each is on the disk before it
gets its name. With the card the set is complete, and its files are moved into place. If the process
is killed while it moves them, the others stay in the staging directory, and the next process that
writes a data set there moves them first.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from c4core.dataset.allowance import MAX_CARD
from c4core.dataset.card.making import JSON_NAME, OLD_PAGE_NAME, PAGE_NAME
from c4core.dataset.formats import FORMATS
from c4core.dataset.lots import SPLITS
from c4core.files import check_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ASIDE: Final = ".c4-dataset.new"
"""The name of the staging directory, within the data set's."""

_PARTS: Final = tuple(f"{split}.{ending}" for split in SPLITS for ending in FORMATS)


@contextmanager
def locked(directory: Path) -> Iterator[Path]:
    """Lock a data set's directory, and yield the path of its staging directory, to be created.

    Files that a killed process left there are moved into place if they are complete, else removed.
    The staging directory is removed at the end. On systems without locks for directories, nothing
    is locked.

    Raises:
        OSError: files cannot be read, moved or removed.
    """
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        aside = directory / ASIDE
        if aside.is_symlink():  # a symbolic link's target is not ours
            aside.unlink()
        if (aside / JSON_NAME).exists():
            put_in_place(directory, aside)
        _remove(aside)
        try:
            yield aside
        finally:
            if not (aside / JSON_NAME).exists():  # else the next process completes the set
                _remove(aside)
    finally:
        os.close(handle)


def put_in_place(directory: Path, aside: Path) -> None:
    """Move the files of a complete data set to their places, the card last.

    Of an older data set only files with names of parts, and its page, are removed, whatever else
    its card names, because a card can be edited. Meanwhile readers find no card.

    Raises:
        OSError: a file cannot be moved or removed; the call can be repeated.
    """
    kept = _named(aside / JSON_NAME)
    for name in _named(directory / JSON_NAME) - kept:
        (directory / name).unlink(missing_ok=True)
    (directory / JSON_NAME).unlink(missing_ok=True)
    for name in (*_PARTS, OLD_PAGE_NAME, PAGE_NAME, JSON_NAME):
        with suppress(FileNotFoundError):
            (aside / name).replace(directory / name)


def _named(path: Path) -> set[str]:
    """The names of a card's parts and of its page, if old; none if the file is not a card."""
    try:
        check_plain(path)
        with path.open(encoding="utf-8") as file:
            card: Any = json.loads(file.read(MAX_CARD))
        pages = {OLD_PAGE_NAME} if card["format"] == 1 else set()
        return {file["name"] for file in card["files"]} & set(_PARTS) | pages
    except (FileNotFoundError, KeyError, RecursionError, TypeError, ValueError):
        return set()


def _remove(aside: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(aside)
