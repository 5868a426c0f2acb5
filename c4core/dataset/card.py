"""The parts of a data set and its card: made from labelled positions, or read from a file.

The card describes the data set and how it was made. It is JSON, in ``card.json`` and in the files
whose format has a place for it::

    {"format": 2,
     "title": "30,000 positions of 7x6, with exact scores",
     "license": "cc0-1.0",
     "command": "c4 dataset build --from plies ...",     makes the same files again
     "board": "7x6",
     "source": {"kind": "plies", "first_ply": 18, ...},  how the positions were found
     "seed": 1, "asked": 30000, "positions": 30000,
     "is_all": false,                  whether the source seems to have no more positions
     "drawn": 30010, "duplicates": 10, drawn positions, and how many of them were repeated
     "filters": {"quiet": false, "decisive": false, "left_out": 0},
     "neighbours": {"train": 410, ...},    positions with a neighbour in another part
     "representation": ["planes"],
     "c4_version": "0.1.0", "engine_version": 1,
     "columns": [{"name": "ply", "dtype": "uint8", "shape": "(N,)", "unit": "stones", ...}, ...],
     "split": {"shares": "80/10/10", "rule": "..."},
     "sampling": "...", "labels": "...", "orientation": "...", "order": "...",
     "limitations": ["..."],
     "splits": {"train": {"positions": 24012, "win": ..., "draw": ..., "loss": ...,
                          "win_in_one": ..., "forced_block": ..., "quiet": ..., "decisive": ...,
                          "quiet_decisive": ..., "plies": [{"ply": 18, ...}, ...]}, ...},
     "files": [{"name": "train.npz", "split": "train", "positions": ..., "sha256": "..."}, ...]}

``files`` is in ``card.json`` only. The card contains no times and no machine names, so the same
command makes the same bytes. A card that is read is checked field by field.
:mod:`c4core.dataset.writing` turns a card into a page for people.
"""

from __future__ import annotations

import json
import re
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

from c4core.dataset.files import MAX_CARD
from c4core.dataset.lots import SPLITS, Shares, in_order, linked, split_of
from c4core.dataset.records import REPRESENTATIONS, columns_of, make_records
from c4core.errors import BoardError, DatasetError
from c4core.lines import TOO_DEEP, is_too_deep, read_json
from c4core.notation import check_narrow, parse_board
from c4core.version import ENGINE_VERSION, __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from c4core.dataset.draw import Sample
    from c4core.dataset.records import Array
    from c4core.notation import BoardSize

    Json = dict[str, Any]

CARD_FORMAT: Final = 2
"""The card format that this version writes and reads."""

JSON_NAME: Final = "card.json"
PAGE_NAME: Final = "README.md"

LICENSE: Final = "cc0-1.0"
"""The default license of a data set: scores are facts, so they are free to use."""

OUTCOMES: Final = {"win": 1, "draw": 0, "loss": -1}
"""The values for the side to move, by name."""

TRAITS: Final = ("win_in_one", "forced_block", "quiet", "decisive", "quiet_decisive")
"""Special kinds of positions. A forced block is a position without a win in one, in which the
opponent threatens to win with its next stone."""

COUNTED: Final = ("positions", *OUTCOMES, *TRAITS)
"""The names of the numbers in the census of a part."""

LABELS: Final = (
    "Scores and column scores are exact and for the side to move. They are proven by search or "
    "taken from an opening book. With n stones on a board of W*H squares, an immediate win scores "
    "(W*H + 1 - n) // 2, and one less for every further stone that the winner needs. A draw "
    "scores 0, and a loss is negative."
)
SPLIT_RULE: Final = (
    "A hash of the seed and the canonical key decides the part of a position. Mirror images and "
    "transpositions have the same key, so they are never in two parts. With the same seed and "
    "shares, a position is in the same part of every data set."
)
ORIENTATION: Final = (
    "A hash of the seed and the canonical key decides which of the two mirror images is shown; "
    "both are equally likely."
)
ORDER: Final = "Shuffled: in the order of a hash of the seed and the canonical key."

NEIGHBOURS: Final = (
    "Neighbours (a position and one that a single move leads to) may be in different parts; the "
    "table counts the positions with a neighbour in another part."
)

SAMPLING: Final = {
    "plies": "Random games from the empty board; every column that is not full is equally likely. "
    "The positions are spread evenly over the numbers of stones; if a number has too few, the "
    "others get more.",
    "play": "Random games from the empty board; every column that is not full is equally likely. "
    "One position is taken from each game, each with equal chance.",
    "strong": "Games of perfect play with errors, from the empty board. Most moves are a best "
    "column, each with equal chance; a given share of the moves (blunder) is not best. All "
    "positions of the games are collected; each different one is equally likely to be chosen.",
    "games": "Stored games. All their positions are collected; each different one is equally "
    "likely to be chosen.",
    "book": "The positions of an opening book, each equally likely to be chosen.",
    "file": "The positions of a file; each different one is equally likely to be chosen. Their "
    "labels were computed anew and compared with the labels in the file.",
}

_MIRRORED: Final = (
    "Of two mirror images, only one is in the data set. Programs that need both have to mirror "
    "positions themselves."
)
_PERFECT: Final = (
    "The labels assume perfect play by both sides. They do not say which column is hardest to "
    "answer for a person or a weak program."
)
_RANDOM: Final = (
    "Positions of random games differ from positions of games between people or good programs: "
    "many are won at once or lost soon. Measure programs on quiet and decisive positions as well."
)
_STRONG: Final = (
    "Positions of one game are alike, and many have neighbours in the data set. Early positions "
    "are rare."
)
_KNOWN: Final = (
    "It is not known here how the source got its positions; the data set shares the source's bias."
)
_SOURCE_LIMITS: Final = {
    "plies": (_RANDOM,),
    "play": (_RANDOM,),
    "strong": (_STRONG,),
    "games": (_STRONG, _KNOWN),
    "book": ("A book ends after some plies, so there are no later positions.",),
    "file": (_KNOWN,),
}
_QUIET: Final = "Positions with a win in one or a forced block were left out before the draw."
_DECISIVE: Final = "Positions whose columns all have the same result were left out after labelling."


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The recipe of a data set, whose bytes depend only on the recipe and the source."""

    command: str
    """The command that makes the data set."""
    board: BoardSize
    source: Mapping[str, Any]
    """The source of the positions; the fields besides ``kind`` depend on the kind."""
    seed: int
    count: int
    """The requested number of positions."""
    shares: Shares
    representations: tuple[str, ...]
    quiet: bool = False
    """Whether only quiet positions were taken."""
    decisive: bool = False
    """Whether only decisive positions were kept."""
    license: str = LICENSE
    """The identifier of the data set's license."""


def split_records(
    keys: NDArray[np.uint64], column_scores: NDArray[np.int8], recipe: Recipe
) -> dict[str, dict[str, Array]]:
    """Divide positions into parts, and make the columns of every part whose share is not 0.

    Args:
        keys: different canonical keys; their order does not change the result.
        column_scores: a row for each key, in the orientation of the canonical position.
        recipe: the recipe of the data set.
    """
    order = in_order(keys, recipe.seed)
    keys, column_scores = keys[order], column_scores[order]
    places = split_of(keys, recipe.seed, recipe.shares)
    return {
        name: make_records(
            keys[places == SPLITS.index(name)],
            column_scores[places == SPLITS.index(name)],
            board=recipe.board,
            seed=recipe.seed,
            representations=recipe.representations,
        )
        for name in recipe.shares.names()
    }


def make_card(recipe: Recipe, parts: Mapping[str, Mapping[str, Array]], sample: Sample) -> Json:
    """The card of a data set, without its list of files."""
    positions = sum(len(records["key"]) for records in parts.values())
    board = recipe.board
    kind = str(recipe.source["kind"])
    noun = "position" if positions == 1 else "positions"
    return {
        "format": CARD_FORMAT,
        "title": f"{positions:,} {noun} of {board}, with exact scores",
        "license": recipe.license,
        "command": recipe.command,
        "board": str(board),
        "source": dict(recipe.source),
        "seed": recipe.seed,
        "asked": recipe.count,
        "positions": positions,
        "is_all": sample.is_all,
        "drawn": sample.drawn,
        "duplicates": sample.duplicates,
        "filters": {
            "quiet": recipe.quiet,
            "decisive": recipe.decisive,
            "left_out": sample.left_out,
        },
        "neighbours": linked(
            {name: part["key"].astype(np.uint64) for name, part in parts.items()}, board
        ),
        "representation": list(recipe.representations),
        "c4_version": __version__,
        "engine_version": ENGINE_VERSION,
        "columns": [
            {
                "name": column.name,
                "dtype": column.dtype.format(C=board.cells),
                "shape": column.shape,
                "unit": column.unit,
                "meaning": column.meaning,
            }
            for column in columns_of(recipe.representations)
        ],
        "split": {"shares": str(recipe.shares), "rule": SPLIT_RULE},
        "sampling": SAMPLING.get(kind, ""),
        "labels": LABELS,
        "orientation": ORIENTATION,
        "order": ORDER,
        "limitations": limitations(kind, quiet=recipe.quiet, decisive=recipe.decisive),
        "splits": {name: census(records) for name, records in parts.items()},
    }


def limitations(kind: str, *, quiet: bool, decisive: bool) -> list[str]:
    """The limitations of a data set from a kind of source, each in one or two sentences."""
    filters = [*([_QUIET] if quiet else ()), *([_DECISIVE] if decisive else ())]
    return [*_SOURCE_LIMITS.get(kind, ()), _MIRRORED, _PERFECT, *filters]


def census(records: Mapping[str, Array]) -> Json:
    """The number of positions of a part by value, by trait and by ply."""
    plies = records["ply"]
    rows = {"positions": np.ones(len(plies), dtype=np.bool_), **_kinds(records)}
    return {
        **{name: int(row.sum()) for name, row in rows.items()},
        "plies": [
            {"ply": ply, **{name: int(row[plies == ply].sum()) for name, row in rows.items()}}
            for ply in np.unique(plies).tolist()
        ],
    }


def _kinds(records: Mapping[str, Array]) -> dict[str, Any]:
    """A mask of the positions for every value and trait, by name."""
    values = records["value"]
    kinds = {name: values == value for name, value in OUTCOMES.items()}
    quiet, decisive = records["quiet"] == 1, records["decisive"] == 1
    wins = kinds["win"] & (records["distance"] == 1)
    traits = (wins, ~(quiet | wins), quiet, decisive, quiet & decisive)
    return kinds | dict(zip(TRAITS, traits, strict=True))


def total(splits: Mapping[str, Json]) -> Json:
    """The :func:`census` of all parts together."""
    rows = [row for part in splits.values() for row in part["plies"]]
    plies = sorted({row["ply"] for row in rows})
    return {
        **_sum(list(splits.values())),
        "plies": [
            {"ply": ply, **_sum([row for row in rows if row["ply"] == ply])} for ply in plies
        ],
    }


def _sum(tallies: Sequence[Json]) -> Json:
    return {name: sum(each[name] for each in tallies) for name in COUNTED}


def as_text(card: Json) -> str:
    """The text of ``card.json``."""
    return json.dumps(card, indent=1) + "\n"


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
"""The fields that a card must have to be shown, and their types."""


class PartFile(NamedTuple):
    """A file that a card names."""

    name: str
    """The file's name, without its directory."""
    split: str
    """The part in the file."""
    sha256: str
    """The SHA-256 of the file, in hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The fields of a card that files are checked against."""

    board: BoardSize
    seed: int
    shares: Shares
    representations: tuple[str, ...]
    linked: Mapping[str, int]
    """The number of positions of each part with a neighbour in another part."""
    splits: Mapping[str, Json]
    """The census of each part."""
    files: tuple[PartFile, ...]


def read_card(text: str, path: str) -> tuple[Json, Terms]:
    """Read and check the text of a card; ``path`` is for messages."""
    try:
        card = _object(text)
        version = card["format"]
        if type(version) is not int or version != CARD_FORMAT:
            raise DatasetError(
                f"{path}: the card has format {reprlib.repr(version)}, "
                f"but this version of c4 reads format {CARD_FORMAT}",
                path=path,
            )
        return card, _terms(card)
    except (BoardError, KeyError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, DatasetError):
            raise
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise DatasetError(f"{path}: not a data card: {reason}", path=path) from None


def check_license(identifier: str) -> str:
    """Check that a text has the form of a license identifier, and return it."""
    if _LICENSE.fullmatch(identifier) is None:
        raise ValueError(
            f"{reprlib.repr(identifier)} is not a license identifier such as cc-by-4.0"
        )
    return identifier


# The functions below raise KeyError for a missing field, and TypeError or ValueError for a field of
# a wrong type or form.


def _object(text: str) -> Json:
    """Read a JSON object that is not too long, and can be shown and written again."""
    if len(text) > MAX_CARD:
        raise ValueError(f"longer than {MAX_CARD:,} characters")
    value = read_json(text)
    if not isinstance(value, dict):
        raise TypeError("not a JSON object")
    if is_too_deep(value):  # writing it again, with line breaks, takes more stack
        raise ValueError(TOO_DEEP)
    json.dumps(value, ensure_ascii=False).encode()  # lone surrogates cannot be encoded
    return value


def _of_type(name: str, value: object, kind: type[T]) -> T:
    """The value, if it is of exactly this type: True is not a number."""
    if type(value) is not kind:
        raise TypeError(f"{name} cannot be {reprlib.repr(value)}")
    return value


def _count(name: str, value: object) -> int:
    number = _of_type(name, value, int)
    if number not in _COUNTS:
        raise ValueError(f"{name} cannot be {reprlib.repr(value)}")
    return number


def _objects(name: str, values: object, each: str) -> list[Json]:
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
    board = check_narrow(parse_board(_of_type("board", card["board"], str)), "data sets")
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
    return Terms(
        board,
        seed,
        Shares.parse(_of_type("shares", split["shares"], str)),
        tuple(representations),
        _neighbours(card),
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


def _neighbours(card: Json) -> dict[str, int]:
    """The number of positions of each part with a neighbour in another part."""
    numbers = _of_type("neighbours", card["neighbours"], dict)
    if set(numbers) != set(card["splits"]):
        raise ValueError("neighbours must have a number for every part, and no other")
    return {name: _count(name, number) for name, number in numbers.items()}


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
