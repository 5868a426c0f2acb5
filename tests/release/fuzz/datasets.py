"""A small data set of each format, for cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.dataset.directory import write_dataset
from c4core.notation import BoardSize
from tests.support.boards.datasets import made, recipe

if TYPE_CHECKING:
    from pathlib import Path


def small_dataset(directory: Path, ending: str) -> Path:
    """Write a data set; gives its test part, the only one."""
    asked = recipe(
        board=BoardSize(4, 3), count=30, source={"kind": "x", "first_ply": 0, "last_ply": 9}
    )
    parts, card = made(asked)
    write_dataset(directory, {"test": parts["test"]}, _only_test(card), formats=[ending])
    return directory / f"test.{ending}"


def _only_test(card: dict[str, object]) -> dict[str, object]:
    splits = card["splits"]
    assert isinstance(splits, dict)
    return {**card, "splits": {"test": splits["test"]}}
