"""The files of a data set are put into their places together, or none of them is.

All are written into a directory aside, the card last, each of them to the disk before it gets its
name. When the card is there the set is complete, and its files are moved to their places. Whoever
is killed while they are moved leaves the rest of them aside, and the next one who writes there
moves those first.
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
    """The directory aside, which is not there, to be made by the one who has the lock.

    What a killed process has left there is put into place if it is complete, and removed if not.
    It is gone afterwards. Where directories cannot be locked, nobody waits for anybody.

    Raises:
        OSError: files cannot be read, moved or removed.
    """
    handle = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        aside = directory / ASIDE
        if aside.is_symlink():  # what it leads to is none of ours
            aside.unlink()
        if (aside / JSON_NAME).exists():
            put_in_place(directory, aside)
        _remove(aside)
        try:
            yield aside
        finally:
            if not (aside / JSON_NAME).exists():  # else the next one goes on
                _remove(aside)
    finally:
        os.close(handle)


def put_in_place(directory: Path, aside: Path) -> None:
    """Move the files of a complete data set to their places, the card last.

    Of the data set that was there before only files go that parts can be: a card can be edited, or
    be something else. Whoever reads meanwhile finds no card.

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
    """The names of parts that a card has, whatever else it is."""
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
