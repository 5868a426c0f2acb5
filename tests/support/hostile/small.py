"""A small data set in each format, for cases."""

from pathlib import Path

from msgspec.structs import replace

from c4core.dataset.reading import inspect
from c4core.dataset.writing import write_dataset
from c4core.errors import DatasetError
from c4core.notation import BoardSize
from tests.support.boards.datasets import made, recipe


def small_dataset(directory: Path, ending: str) -> Path:
    """Write a data set; return its test part, the only one."""
    source = {"kind": "x", "first_ply": 0, "last_ply": 9}
    parts, card = made(recipe(board=BoardSize(4, 3), count=30, source=source))
    neighbours = {"test": card.neighbours["test"]}
    card = replace(card, splits={"test": card.splits["test"]}, neighbours=neighbours)
    write_dataset(directory, {"test": parts["test"]}, card, formats=[ending])
    assert inspect(directory).problems == []  # otherwise every case would be refused at once
    return directory / f"test.{ending}"


def answers(*paths: Path) -> list[str]:
    """The descriptions of a data set and its files, without checksums."""
    found = []
    for path in paths:
        try:
            problems = inspect(path).problems
        except DatasetError as error:
            problems = [str(error)]
        found += [each for each in problems if "(sha256)" not in each]
    return found
