"""Reads data cards that come from outside, and checks them."""

from __future__ import annotations

import json
import re
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from c4core.dataset.allowance import MAX_CARD
from c4core.dataset.card_census import counted
from c4core.dataset.errors import DatasetError
from c4core.dataset.lots import SPLITS, Shares
from c4core.dataset.neighbours import CHOICES
from c4core.dataset.records import CARD_FORMAT, REPRESENTATIONS
from c4core.errors import BoardError
from c4core.lines import TOO_DEEP, is_too_deep
from c4core.notation import parse_board

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.dataset.neighbours import Neighbours
    from c4core.notation import BoardSize

    Json = dict[str, Any]

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
}
"""The fields that a card must have for its page, and their types."""

_LATER_FACTS: Final = {"license": str, "filters": dict, "neighbours": dict, "limitations": list}
"""Those of cards from format 2 on."""


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

    card_format: int
    """The format of the card."""
    board: BoardSize
    seed: int
    shares: Shares
    representations: tuple[str, ...]
    neighbours: Neighbours
    """What happened to neighbours of different parts."""
    linked: Mapping[str, int] | None
    """Positions of each part with a neighbour in another; None if the card does not say it."""
    splits: Mapping[str, Json]
    files: tuple[PartFile, ...]


def read_card(text: str, path: str) -> tuple[Json, Terms]:
    """A card from its text.

    Args:
        text: a text by :func:`c4core.dataset.card.as_text`.
        path: the file with the card, for messages.

    Raises:
        DatasetError: the text is not a card, or is a card of a newer version.
    """
    try:
        card = _object(text)
        version = card["format"]
        if type(version) is not int or not 1 <= version <= CARD_FORMAT:
            raise DatasetError(
                f"{path}: the card has format {reprlib.repr(version)}, this c4 reads 1 to "
                f"{CARD_FORMAT}",
                path=path,
            )
        return card, _terms(card)
    except (
        AttributeError,
        BoardError,
        KeyError,
        OverflowError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        if isinstance(error, DatasetError):
            raise
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise DatasetError(f"{path}: this is no data card: {reason}", path=path) from None


def check_license(identifier: str) -> str:
    """The identifier of a license, if it may be one.

    Raises:
        ValueError: it has other characters than letters, digits, dots, pluses and hyphens.
    """
    if _LICENSE.fullmatch(identifier) is None:
        raise ValueError(f"{reprlib.repr(identifier)} is no identifier of a license, as cc-by-4.0")
    return identifier


def _object(text: str) -> Json:
    """The JSON object of a text, after a check that everything in it can be shown.

    Raises:
        RecursionError, TypeError, ValueError: it is not such an object, or too long.
    """
    if len(text) > MAX_CARD:
        raise ValueError(f"longer than {MAX_CARD:,} characters")
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("not a JSON object")
    if is_too_deep(value):  # it is written again, with line breaks, which takes more stack
        raise ValueError(TOO_DEEP)
    json.dumps(value, ensure_ascii=False).encode()  # lone surrogates cannot be encoded
    return value


def _check_facts(card: Json) -> None:
    """Check the fields of a card that are shown to people.

    Raises:
        KeyError, TypeError, ValueError: a field is missing, or of another type or form.
    """
    is_later = card["format"] > 1
    for name, kind in (_FACTS | _LATER_FACTS if is_later else _FACTS).items():
        if type(card[name]) is not kind:
            raise TypeError(f"{name} cannot be {reprlib.repr(card[name])}")
    for name in ("kind", "first_ply", "last_ply"):
        if isinstance(card["source"][name], dict | list):
            raise TypeError(f"the source's {name} cannot be {reprlib.repr(card['source'][name])}")
    for column in card["columns"]:
        if type(column["name"]) is not str:
            raise TypeError(f"no column is named {reprlib.repr(column['name'])}")
    if is_later:
        check_license(card["license"])


def _terms(card: Json) -> Terms:
    _check_facts(card)
    board, splits = parse_board(card["board"]), card["splits"]
    representations = tuple(card["representation"])
    if not set(splits) <= set(SPLITS) or not set(representations) <= set(REPRESENTATIONS):
        raise ValueError("it names an unknown part or representation")
    for part in splits.values():
        _check_census(part, board, counted(card["format"]))
    neighbours, linked = _neighbours(card)
    return Terms(
        card["format"],
        board,
        _seed(card["seed"]),
        Shares.parse(card["split"]["shares"]),
        representations,
        neighbours,
        linked,
        splits,
        _files(card),
    )


def _files(card: Json) -> tuple[PartFile, ...]:
    files = tuple(
        PartFile(entry["name"], entry["split"], entry["sha256"]) for entry in card.get("files", ())
    )
    for file in files:
        is_part = file.split in card["splits"] and re.fullmatch(
            rf"{file.split}\.[a-z]+", str(file.name)
        )
        if not is_part:
            raise ValueError(
                f"it names a file {reprlib.repr(file.name)} of a part {reprlib.repr(file.split)}"
            )
    if len({file.name for file in files}) != len(files):
        raise ValueError("it names a file twice")
    return files


def _neighbours(card: Json) -> tuple[Neighbours, dict[str, int] | None]:
    """What happened to neighbours of different parts, and how many positions still have some.

    Raises:
        KeyError, TypeError, ValueError: the card does not say it, or something impossible.
    """
    if card["format"] == 1:
        return "keep", None
    told = card["neighbours"]
    choice, numbers = told["choice"], told["linked"]
    if choice not in CHOICES:
        raise ValueError(f"the choice about neighbours cannot be {reprlib.repr(choice)}")
    if set(numbers) != set(card["splits"]):
        raise ValueError("the numbers of linked positions are not those of its parts")
    for name, number in (*numbers.items(), ("dropped", told["dropped"])):
        _check_count(name, number)
    return cast("Neighbours", choice), dict(numbers)


def _check_census(part: Json, board: BoardSize, names: tuple[str, ...]) -> None:
    """Check the numbers of positions of a part.

    Raises:
        KeyError, TypeError, ValueError: a number is missing or impossible.
    """
    plies = part["plies"]
    if len(plies) > board.cells:
        raise ValueError("it has more plies than the board")
    for tally in (part, *plies):
        for name in (*names, *(() if tally is part else ("ply",))):
            _check_count(name, tally[name])


def _check_count(name: str, number: object) -> None:
    if type(number) is not int or number not in _COUNTS:
        raise TypeError(f"{name} cannot be {reprlib.repr(number)}")


def _seed(value: object) -> int:
    if not isinstance(value, int) or value not in _SEEDS:
        raise ValueError(f"seed {reprlib.repr(value)} is out of range")
    return value
