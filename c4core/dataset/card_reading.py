"""Reads data cards that come from outside, and checks every field that is used."""

from __future__ import annotations

import json
import re
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from c4core.dataset.card import CARD_FORMAT, COUNTED
from c4core.dataset.files import MAX_CARD
from c4core.dataset.lots import CHOICES, SPLITS, Shares
from c4core.dataset.records import REPRESENTATIONS
from c4core.errors import BoardError, DatasetError
from c4core.json_text import read_json
from c4core.lines import TOO_DEEP, is_too_deep
from c4core.notation import parse_board

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.dataset.lots import Neighbours
    from c4core.notation import BoardSize

    Json = dict[str, Any]

T = TypeVar("T")

_SEEDS: Final = range(1 << 64)
_COUNTS: Final = range(1 << 63)

_LICENSE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,63}")

_FACTS: Final = {
    "title": str,
    "command": str,
    "source": dict,
    "asked": int,
    "positions": int,
    "is_all": bool,
    "drawn": int,
    "duplicates": int,
    "c4_version": str,
    "engine_version": int,
    "columns": list,
    "license": str,
    "filters": dict,
    "limitations": list,
}
"""The fields that a card must have for people, and their types."""


class PartFile(NamedTuple):
    """A file that a card names."""

    name: str
    """The file's name, without its directory."""
    split: str
    """The part that it holds."""
    sha256: str
    """The digest of its bytes, in hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The fields of a card that files are checked against."""

    board: BoardSize
    seed: int
    shares: Shares
    representations: tuple[str, ...]
    neighbours: Neighbours
    """What happened to neighbours in different parts."""
    linked: Mapping[str, int]
    """The number of positions of each part with a neighbour in another part."""
    splits: Mapping[str, Json]
    """The census of each part."""
    files: tuple[PartFile, ...]


def read_card(text: str, path: str) -> tuple[Json, Terms]:
    """A card from its text.

    Args:
        text: a text by :func:`c4core.dataset.card.as_text`.
        path: the file with the card, for messages.

    Raises:
        DatasetError: the text is not a card, or is a card of another format.
    """
    try:
        card = _object(text)
        version = card["format"]
        if type(version) is not int or version != CARD_FORMAT:
            raise DatasetError(
                f"{path}: the card has format {reprlib.repr(version)}, this c4 reads {CARD_FORMAT}",
                path=path,
            )
        return card, _terms(card)
    except (BoardError, KeyError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, DatasetError):
            raise
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise DatasetError(f"{path}: this is no data card: {reason}", path=path) from None


def check_license(identifier: str) -> str:
    """The identifier of a license, if it has the form of one.

    Raises:
        ValueError: it has other characters than letters, digits, dots, pluses and hyphens.
    """
    if _LICENSE.fullmatch(identifier) is None:
        raise ValueError(f"{reprlib.repr(identifier)} is no identifier of a license, as cc-by-4.0")
    return identifier


# The functions below raise KeyError for a field that is missing, and TypeError or ValueError for a
# field of another type or form.


def _object(text: str) -> Json:
    """The JSON object of a text that is not too long, and can be shown and written again."""
    if len(text) > MAX_CARD:
        raise ValueError(f"longer than {MAX_CARD:,} characters")
    value = read_json(text)
    if not isinstance(value, dict):
        raise TypeError("not a JSON object")
    if is_too_deep(value):  # it is written again, with line breaks, which takes more stack
        raise ValueError(TOO_DEEP)
    json.dumps(value, ensure_ascii=False).encode()  # lone surrogates cannot be encoded
    return value


def _of_type(name: str, value: object, kind: type[T]) -> T:
    """A value of exactly this type: True is not a number."""
    if type(value) is not kind:
        raise TypeError(f"{name} cannot be {reprlib.repr(value)}")
    return value


def _count(name: str, value: object) -> int:
    number = _of_type(name, value, int)
    if number not in _COUNTS:
        raise ValueError(f"{name} cannot be {reprlib.repr(value)}")
    return number


def _objects(name: str, values: object, each: str) -> list[Json]:
    """A list of JSON objects."""
    return [_of_type(each, value, dict) for value in _of_type(name, values, list)]


def _terms(card: Json) -> Terms:
    for name, kind in _FACTS.items():
        _of_type(name, card[name], kind)
    for name in ("kind", "first_ply", "last_ply"):
        if isinstance(card["source"][name], dict | list):
            raise TypeError(f"the source's {name} cannot be {reprlib.repr(card['source'][name])}")
    for column in _objects("columns", card["columns"], "a column"):
        _of_type("a column's name", column["name"], str)
    check_license(card["license"])
    board = parse_board(_of_type("board", card["board"], str))
    splits = _of_type("splits", card["splits"], dict)
    representations = _of_type("representation", card["representation"], list)
    if not all(each in SPLITS for each in splits) or not all(
        each in REPRESENTATIONS for each in representations
    ):
        raise ValueError("it names an unknown part or representation")
    for part in splits.values():
        _check_census(_of_type("a part", part, dict), board)
    seed = card["seed"]
    if type(seed) is not int or seed not in _SEEDS:
        raise ValueError(f"seed {reprlib.repr(seed)} is out of range")
    split = _of_type("split", card["split"], dict)
    neighbours, linked = _neighbours(card)
    return Terms(
        board,
        seed,
        Shares.parse(_of_type("shares", split["shares"], str)),
        tuple(representations),
        neighbours,
        linked,
        splits,
        _files(card),
    )


def _check_census(part: Json, board: BoardSize) -> None:
    plies = _objects("plies", part["plies"], "a ply")
    if len(plies) > board.cells:
        raise ValueError("it has more plies than the board")
    for tally in (part, *plies):
        for name in (*COUNTED, *(() if tally is part else ("ply",))):
            _count(name, tally[name])


def _neighbours(card: Json) -> tuple[Neighbours, dict[str, int]]:
    """What happened to neighbours in different parts, and how many positions still have some."""
    told = _of_type("neighbours", card["neighbours"], dict)
    choice = told["choice"]
    if choice not in CHOICES:
        raise ValueError(f"the choice about neighbours cannot be {reprlib.repr(choice)}")
    linked = _of_type("linked", told["linked"], dict)
    if set(linked) != set(card["splits"]):
        raise ValueError("the numbers of linked positions are not those of its parts")
    _count("dropped", told["dropped"])
    return cast("Neighbours", choice), {name: _count(name, n) for name, n in linked.items()}


def _files(card: Json) -> tuple[PartFile, ...]:
    entries = _objects("files", card.get("files", []), "a file")
    files = tuple(PartFile(entry["name"], entry["split"], entry["sha256"]) for entry in entries)
    for file in files:
        is_part = (
            type(file.split) is str
            and file.split in card["splits"]
            and re.fullmatch(rf"{file.split}\.[a-z]+", str(file.name))
        )
        if not is_part:
            raise ValueError(
                f"it names a file {reprlib.repr(file.name)} of a part {reprlib.repr(file.split)}"
            )
    if len({file.name for file in files}) != len(files):
        raise ValueError("it names a file twice")
    return files
