"""Puts the files of a data set into place together, or none of them.

All are written into a directory aside, the card last, and each is on the disk before it gets its
name. Once the card is there the set is complete, and its files are moved into place. If the process
is killed while it moves them, the rest stays aside, and the next process that writes there moves
them first.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from c4core.dataset.allowance import MAX_CARD
from c4core.dataset.card import JSON_NAME, PAGE_NAME
from c4core.dataset.formats import FORMATS
from c4core.dataset.lots import SPLITS
from c4core.plain_file import check_plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ASIDE: Final = ".c4-dataset.new"
"""The directory aside, within the data set's."""

_PARTS: Final = tuple(f"{split}.{ending}" for split in SPLITS for ending in FORMATS)


@contextmanager
def locked(directory: Path) -> Iterator[Path]:
    """Lock a data set's directory, and give the path of the directory aside, to be made.

    The files of a killed process there are moved into place if they are complete, else removed. The
    directory aside is removed at the end. Where directories cannot be locked, there is no lock.

    Raises:
        OSError: files cannot be read, moved or removed.
    """
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        aside = directory / ASIDE
        if aside.is_symlink():  # its target is not ours
            aside.unlink()
        if (aside / JSON_NAME).exists():
            put_in_place(directory, aside)
        _remove(aside)
        try:
            yield aside
        finally:
            if not (aside / JSON_NAME).exists():  # else the next process goes on
                _remove(aside)
    finally:
        os.close(handle)


def put_in_place(directory: Path, aside: Path) -> None:
    """Move the files of a complete data set to their places, the card last.

    Of an older data set only files that are named like parts are removed, whatever its card names:
    a card can be edited. A reader finds no card meanwhile.

    Raises:
        OSError: a file cannot be moved or removed; it can be tried again.
    """
    kept = _named(aside / JSON_NAME)
    for name in _named(directory / JSON_NAME) - kept:
        (directory / name).unlink(missing_ok=True)
    (directory / JSON_NAME).unlink(missing_ok=True)
    for name in (*_PARTS, PAGE_NAME, JSON_NAME):
        with suppress(FileNotFoundError):
            (aside / name).replace(directory / name)


def _named(path: Path) -> set[str]:
    """The names of parts in a card; none where it is no card."""
    try:
        check_plain(path)
        with path.open(encoding="utf-8") as file:
            card: Any = json.loads(file.read(MAX_CARD))
        return {file["name"] for file in card["files"]} & set(_PARTS)
    except (FileNotFoundError, KeyError, RecursionError, TypeError, ValueError):
        return set()


def _remove(aside: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(aside)
