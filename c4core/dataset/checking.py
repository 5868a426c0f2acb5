"""Compares the files of a data set with its card."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import are_over, canonical_keys
from c4core.batch import UNPLAYABLE
from c4core.dataset.card_census import census
from c4core.dataset.lots import SPLITS, are_mirrored, split_of
from c4core.dataset.neighbours import linked
from c4core.dataset.records import are_full, columns_of, make_records, turn
from c4core.errors import KeyValueError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from c4core.dataset.card_reading import Terms
    from c4core.dataset.records import Array

    Keys = NDArray[np.uint64]


MAX_PROBLEMS: Final = 10
"""The check of a part ends after this many problems."""


def part_problems(records: Mapping[str, Array], terms: Terms, split: str) -> Iterator[str]:
    """The first :data:`MAX_PROBLEMS` problems of a part of a data set.

    The labels are compared with each other: the score is the best of the column scores, and so on.
    No position is solved. If positions are repeated, nothing else is checked.

    Args:
        records: the columns of the file.
        terms: the fields of the card that files are checked against.
        split: the part that the file should have.
    """
    return islice(_problems(records, terms, split), MAX_PROBLEMS)


def _problems(records: Mapping[str, Array], terms: Terms, split: str) -> Iterator[str]:
    shaped = dict(records)
    problems = list(_shape_problems(shaped, terms))
    if problems:  # the checks below need the right shapes
        yield from problems
        return
    keys = np.ascontiguousarray(shaped["key"]).astype(np.uint64)
    # A small file can repeat a position very often. To find the moves takes 50
    # microseconds for each, which would be minutes.
    repeated = len(keys) - len(np.unique(keys))
    if repeated:
        yield f"{repeated:,} positions occur more than once"
        return
    try:
        canonical, _ = canonical_keys(keys, width=terms.board.width, height=terms.board.height)
    except KeyValueError as error:
        yield str(error)
        return
    yield from _told(canonical != keys, "a key that is not canonical")
    yield from _told(are_over(keys, terms.board), "a game that is over")
    yield from _record_problems(shaped, keys, terms)
    if terms.neighbours != "together":  # else the part depends on the other positions
        places = split_of(keys, terms.seed, terms.shares)
        yield from _told(places != SPLITS.index(split), "a position of another part")
    if census(shaped) != terms.splits[split]:
        yield "the numbers of positions by ply and value are not those of the card"


def common_positions(parts: Mapping[str, Array]) -> Iterator[str]:
    """Problems of positions that are in several parts.

    Args:
        parts: the canonical keys of each part, by name.
    """
    names = list(parts)
    for index, name in enumerate(names):
        for other in names[index + 1 :]:
            number = len(np.intersect1d(parts[name], parts[other]))
            if number:
                yield f"{number:,} positions are in {name} and in {other}"


def neighbour_problems(parts: Mapping[str, Keys], terms: Terms) -> Iterator[str]:
    """Problems of neighbours in different parts.

    Args:
        parts: the canonical keys of every part, by name, of positions that are not over.
        terms: the fields of the card that files are checked against.
    """
    if terms.linked is None:
        return
    found = linked(parts, terms.board)
    for name, number in found.items():
        told = terms.linked[name]
        if number != told:
            yield f"{number:,} positions of {name} have neighbours in other parts, not {told:,}"


def _shape_problems(records: dict[str, Array], terms: Terms) -> Iterator[str]:
    """Problems of names, shapes and types of columns. Flat planes get their shape."""
    columns = columns_of(terms.representations, card_format=terms.card_format)
    missing = [column.name for column in columns if column.name not in records]
    foreign = sorted(set(records) - {column.name for column in columns})
    if missing:
        yield f"no column {', '.join(missing)}"
        return
    if foreign:
        yield f"a column {', '.join(foreign)} that the card does not name"
    number = len(records["key"]) if records["key"].ndim else 0
    width, height = terms.board
    sizes = {"N": number, "W": width, "H": height, "2": 2}
    for column in columns:
        wanted = tuple(sizes[letter] for letter in column.shape.strip("(,)").split(", "))
        array = records[column.name]
        if array.size == np.prod(wanted):
            array = array.reshape(wanted)
        dtype = np.dtype(column.dtype.format(C=terms.board.cells))
        if array.shape != wanted:
            yield f"column {column.name} has the shape {array.shape} instead of {wanted}"
        elif array.dtype.kind != dtype.kind or array.dtype.itemsize > dtype.itemsize:
            yield f"column {column.name} is of type {array.dtype} instead of {dtype}"
        records[column.name] = array


def _record_problems(records: Mapping[str, Array], keys: Keys, terms: Terms) -> Iterator[str]:
    """Problems of columns that do not follow from the keys and the column scores."""
    board, seed = terms.board, terms.seed
    scores = turn(records["column_scores"].astype(np.int8), are_mirrored(keys, seed))
    unlike = ((scores == UNPLAYABLE) != are_full(keys, board)).any(axis=1)
    yield from _told(unlike, "a score for a full column, or none for an open one")
    made = make_records(
        keys,
        scores,
        board=board,
        seed=seed,
        representations=terms.representations,
        card_format=terms.card_format,
    )
    for name, array in made.items():
        axes = tuple(range(1, array.ndim))
        unlike = (records[name] != array).any(axis=axes) if axes else records[name] != array
        yield from _told(unlike, f"a wrong entry in column {name}")


def _told(rows: Array, what: str) -> Iterator[str]:
    number = int(rows.sum())
    if number:
        noun = "position has" if number == 1 else "positions have"
        yield f"{number:,} {noun} {what} (the first is number {int(rows.argmax()) + 1:,})"
