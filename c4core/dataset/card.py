"""The data card: how a data set was made, and what is in it.

The card is JSON, in ``card.json`` and in those files whose format has a place for it::

    {"format": 1,
     "title": "30000 positions of 7x6, with exact scores",
     "command": "c4 dataset build --from plies ..",     makes the same files again
     "board": "7x6",
     "source": {"kind": "plies", "first_ply": 18, ..},  how the positions were found
     "seed": 1, "asked": 30000, "positions": 30000,
     "is_all": false,                  whether the source has no more, as far as is known
     "drawn": 30010, "duplicates": 10, positions drawn, and repeated ones among them
     "representation": ["planes"],
     "c4_version": "0.1.0", "engine_version": 1,
     "columns": [{"name": "ply", "dtype": "uint8", "shape": "(N,)", "meaning": ".."}, ..],
     "split": {"shares": "80/10/10", "rule": ".."},
     "labels": "..", "orientation": "..", "order": "..",
     "splits": {"train": {"positions": 24012, "win": .., "draw": .., "loss": ..,
                          "plies": [{"ply": 18, "positions": .., "win": .., ..}, ..]}, ..},
     "files": [{"name": "train.npz", "split": "train", "positions": .., "sha256": ".."}, ..]}

``files`` is in ``card.json`` only. The card contains no time and no name of a machine, so the same
command makes the same bytes.
"""

from __future__ import annotations

import json
import re
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from c4core.dataset.allowance import MAX_CARD
from c4core.dataset.errors import DatasetError
from c4core.dataset.lots import SPLITS, Shares
from c4core.dataset.records import REPRESENTATIONS, columns_of
from c4core.errors import BoardError
from c4core.lines import TOO_DEEP, is_too_deep
from c4core.notation import parse_board
from c4core.version import ENGINE_VERSION, __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from c4core.dataset.records import Array
    from c4core.dataset.sample import Sample
    from c4core.notation import BoardSize

    Json = dict[str, Any]

FORMAT: Final = 1

JSON_NAME: Final = "card.json"
PAGE_NAME: Final = "card.md"

_SEEDS: Final = range(1 << 64)
_COUNTS: Final = range(1 << 63)

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

OUTCOMES: Final = {"win": 1, "draw": 0, "loss": -1}
"""The values for the side to move, by name."""

LABELS: Final = (
    "Scores and column scores are exact, proven by search or taken from an opening book, for the "
    "side to move. With n stones on the board and W*H squares, a win at once is "
    "(W*H + 1 - n) // 2, with each further stone of the winner one less; 0 is a draw, a loss the "
    "negative."
)
SPLIT_RULE: Final = (
    "A position's part follows by a hash from the seed and its canonical key, which it shares with "
    "its mirror image and its transpositions: none of these is in two parts, and with the same "
    "seed and shares a position is in the same part of every data set."
)
ORIENTATION: Final = (
    "Which of the two mirror images is shown follows from the seed and the canonical key by a "
    "hash, half and half."
)
ORDER: Final = "Shuffled: in the order of a hash of the seed and the canonical key."


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a data set is made. Its bytes depend only on this and on its source."""

    command: str
    """The command that makes it."""
    board: BoardSize
    source: Mapping[str, Any]
    """The source of the positions; its other fields depend on ``kind``."""
    seed: int
    count: int
    """Positions that were asked for."""
    shares: Shares
    representations: tuple[str, ...]


def make_card(recipe: Recipe, parts: Mapping[str, Mapping[str, Array]], sample: Sample) -> Json:
    """The card, without its files.

    Args:
        recipe: how the data set was made.
        parts: the columns of every part, by its name.
        sample: the positions, and how many were drawn to find them.
    """
    positions = sum(len(records["key"]) for records in parts.values())
    board = recipe.board
    return {
        "format": FORMAT,
        "title": f"{positions:,} positions of {board}, with exact scores",
        "command": recipe.command,
        "board": str(board),
        "source": dict(recipe.source),
        "seed": recipe.seed,
        "asked": recipe.count,
        "positions": positions,
        "is_all": sample.is_all,
        "drawn": sample.drawn,
        "duplicates": sample.duplicates,
        "representation": list(recipe.representations),
        "c4_version": __version__,
        "engine_version": ENGINE_VERSION,
        "columns": [
            {
                "name": column.name,
                "dtype": column.dtype.format(C=board.cells),
                "shape": column.shape,
                "meaning": column.meaning,
            }
            for column in columns_of(recipe.representations)
        ],
        "split": {"shares": str(recipe.shares), "rule": SPLIT_RULE},
        "labels": LABELS,
        "orientation": ORIENTATION,
        "order": ORDER,
        "splits": {name: census(records) for name, records in parts.items()},
    }


def census(records: Mapping[str, Array]) -> Json:
    """The numbers of positions of a part, by value and by ply."""
    plies, values = records["ply"], records["value"]
    return {
        **_tally(values),
        "plies": [
            {"ply": ply, **_tally(values[plies == ply])} for ply in np.unique(plies).tolist()
        ],
    }


def _tally(values: Array) -> dict[str, int]:
    by_value = {name: int((values == value).sum()) for name, value in OUTCOMES.items()}
    return {"positions": len(values), **by_value}


def total(splits: Mapping[str, Json]) -> Json:
    """The :func:`census` of all parts together."""
    plies = sorted({row["ply"] for part in splits.values() for row in part["plies"]})
    return {
        **_sum(list(splits.values())),
        "plies": [
            {
                "ply": ply,
                **_sum([r for part in splits.values() for r in part["plies"] if r["ply"] == ply]),
            }
            for ply in plies
        ],
    }


def _sum(tallies: Sequence[Json]) -> Json:
    return {name: sum(each[name] for each in tallies) for name in ("positions", *OUTCOMES)}


def as_text(card: Json) -> str:
    """The text of ``card.json``."""
    return json.dumps(card, indent=1) + "\n"


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
    splits: Mapping[str, Json]
    files: tuple[PartFile, ...]


def read_card(text: str, path: str) -> tuple[Json, Terms]:
    """A card from its text.

    Args:
        text: a text by :func:`as_text`.
        path: the file with the card, for messages.

    Raises:
        DatasetError: the text is not a card, or is a card of a newer version.
    """
    try:
        card = _object(text)
        version = card["format"]
        if version != FORMAT:
            raise DatasetError(
                f"{path}: the card has format {reprlib.repr(version)}, this c4 reads {FORMAT}",
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


def _check_facts(card: Json) -> None:
    """Check the fields of a card that are shown to people.

    Raises:
        KeyError, TypeError: a field is missing, or of another type.
    """
    for name, kind in _FACTS.items():
        if type(card[name]) is not kind:
            raise TypeError(f"{name} cannot be {reprlib.repr(card[name])}")
    for name in ("kind", "first_ply", "last_ply"):
        if isinstance(card["source"][name], dict | list):
            raise TypeError(f"the source's {name} cannot be {reprlib.repr(card['source'][name])}")
    for column in card["columns"]:
        if type(column["name"]) is not str:
            raise TypeError(f"no column is named {reprlib.repr(column['name'])}")


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


def _terms(card: Json) -> Terms:
    _check_facts(card)
    board, splits = parse_board(card["board"]), card["splits"]
    representations = tuple(card["representation"])
    if not set(splits) <= set(SPLITS) or not set(representations) <= set(REPRESENTATIONS):
        raise ValueError("it names an unknown part or representation")
    for part in splits.values():
        _check_census(part, board)
    files = tuple(
        PartFile(entry["name"], entry["split"], entry["sha256"]) for entry in card.get("files", ())
    )
    for file in files:
        is_part = file.split in splits and re.fullmatch(rf"{file.split}\.[a-z]+", str(file.name))
        if not is_part:
            raise ValueError(
                f"it names a file {reprlib.repr(file.name)} of a part {reprlib.repr(file.split)}"
            )
    if len({file.name for file in files}) != len(files):
        raise ValueError("it names a file twice")
    return Terms(
        board,
        _seed(card["seed"]),
        Shares.parse(card["split"]["shares"]),
        representations,
        splits,
        files,
    )


def _check_census(part: Json, board: BoardSize) -> None:
    """Check the numbers of positions of a part.

    Raises:
        KeyError, TypeError, ValueError: a number is missing or impossible.
    """
    plies = part["plies"]
    if len(plies) > board.cells:
        raise ValueError("it has more plies than the board")
    for tally in (part, *plies):
        for name in ("positions", *OUTCOMES, *(() if tally is part else ("ply",))):
            if type(tally[name]) is not int or tally[name] not in _COUNTS:
                raise TypeError(f"{name} cannot be {reprlib.repr(tally[name])}")


def _seed(value: object) -> int:
    if not isinstance(value, int) or value not in _SEEDS:
        raise ValueError(f"seed {reprlib.repr(value)} is out of range")
    return value
