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
     "c4_version": "1.0.0", "engine_version": 1,
     "columns": [{"name": "ply", "dtype": "uint8", "shape": "(N,)", "unit": "stones", ...}, ...],
     "split": {"shares": "80/10/10", "rule": "..."},
     "sampling": "...", "labels": "...", "orientation": "...", "order": "...",
     "limitations": ["..."],
     "splits": {"train": {"positions": 24012, "win": ..., "draw": ..., "loss": ...,
                          "win_in_one": ..., "forced_block": ..., "quiet": ..., "decisive": ...,
                          "quiet_decisive": ..., "plies": [{"ply": 18, ...}, ...]}, ...},
     "files": [{"name": "train.npz", "split": "train", "positions": ..., "sha256": "..."}, ...]}

``files`` is in ``card.json`` only; the card in a file has the name of its ``part`` instead. The
card contains no times and no machine names, so the same command makes the same bytes.
:mod:`c4core.dataset.writing` turns a card into a page for people.
"""

from __future__ import annotations

import json
import re
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import numpy as np

from c4core.dataset.lots import SPLITS, Shares, in_order, linked, split_of
from c4core.dataset.records import Column, columns_of, make_records
from c4core.errors import BoardError, DatasetError
from c4core.notation import BoardSize, check_narrow, parse_board
from c4core.version import ENGINE_VERSION, __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from c4core.dataset.draw import Sample
    from c4core.dataset.records import Array

MAX_CARD: Final = 1 << 22

CARD_FORMAT: Final = 2

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
    board: BoardSize
    source: Mapping[str, Any]
    """The source of the positions; the fields besides ``kind`` depend on the kind."""
    seed: int
    count: int
    shares: Shares
    representations: tuple[str, ...]
    quiet: bool = False
    """Whether only quiet positions were taken."""
    decisive: bool = False
    """Whether only decisive positions were kept."""
    license: str = LICENSE


Count = Annotated[int, msgspec.Meta(ge=0)]
Split = Annotated[str, msgspec.Meta(pattern=r"\A(train|validation|test)\Z")]
Census = dict[str, Any]
"""The numbers of :data:`COUNTED`, in all and for each of the ``plies``."""


class Filters(msgspec.Struct):
    """The filters of a data set."""

    quiet: bool
    decisive: bool
    left_out: Count


class Division(msgspec.Struct):
    """The division of a data set into parts."""

    shares: str
    rule: str


class PartFile(msgspec.Struct):
    """A file of a part."""

    name: Annotated[str, msgspec.Meta(pattern=r"\A[a-z]+\.[a-z]+\Z")]
    split: Split
    positions: Count
    sha256: str


class Card(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The card of a data set; the module's docstring explains its fields."""

    format: int
    title: str
    license: str
    command: str
    board: str
    source: dict[str, str | int | float | bool | list[str | int] | None]
    seed: Count
    asked: Count
    positions: Count
    is_all: bool
    drawn: Count
    duplicates: Count
    filters: Filters
    neighbours: dict[Split, Count]
    representation: tuple[Annotated[str, msgspec.Meta(pattern=r"\A(planes|moves)\Z")], ...]
    c4_version: str
    engine_version: int
    columns: list[Column]
    split: Division
    sampling: str
    labels: str
    orientation: str
    order: str
    limitations: list[str]
    splits: dict[Split, Census]
    files: list[PartFile] = []
    part: str = ""

    def __post_init__(self) -> None:
        check_license(self.license)
        check_narrow(self.size, "data sets")
        Shares.parse(self.split.shares)
        if self.seed >= 1 << 64:
            raise ValueError("the seed is out of range")
        if not {"kind", "first_ply", "last_ply"} <= self.source.keys():
            raise ValueError("the source has no kind or no plies")
        if self.neighbours.keys() != self.splits.keys():
            raise ValueError("neighbours must have a number for every part, and no other")
        for part in self.splits.values():
            _check_census(part, self.size)
        for file in self.files:
            if file.split not in self.splits or not file.name.startswith(f"{file.split}."):
                raise ValueError(f"it names a file {file.name!r} of a part {file.split!r}")
        if len({file.name for file in self.files}) != len(self.files):
            raise ValueError("it names a file twice")

    @property
    def size(self) -> BoardSize:
        """The board."""
        return parse_board(self.board)

    @property
    def shares(self) -> Shares:
        return Shares.parse(self.split.shares)


def _check_census(part: Census, board: BoardSize) -> None:
    plies = msgspec.convert(part.get("plies"), list[dict[str, Count]])
    if len(plies) > board.cells:
        raise ValueError("a part has more plies than the board")
    for row in (msgspec.convert({**part, "plies": 0, "ply": 0}, dict[str, Count]), *plies):
        if missing := [name for name in ("ply", *COUNTED) if name not in row]:
            raise ValueError(f"a part has no number {missing[0]}")


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


def make_card(recipe: Recipe, parts: Mapping[str, Mapping[str, Array]], sample: Sample) -> Card:
    """The card of a data set, without its list of files."""
    positions = sum(len(records["key"]) for records in parts.values())
    board = recipe.board
    kind = str(recipe.source["kind"])
    noun = "position" if positions == 1 else "positions"
    keys = {name: part["key"].astype(np.uint64) for name, part in parts.items()}
    return Card(
        format=CARD_FORMAT,
        title=f"{positions:,} {noun} of {board}, with exact scores",
        license=recipe.license,
        command=recipe.command,
        board=str(board),
        source=dict(recipe.source),
        seed=recipe.seed,
        asked=recipe.count,
        positions=positions,
        is_all=sample.is_all,
        drawn=sample.drawn,
        duplicates=sample.duplicates,
        filters=Filters(recipe.quiet, recipe.decisive, sample.left_out),
        neighbours=linked(keys, board),
        representation=tuple(recipe.representations),
        c4_version=__version__,
        engine_version=ENGINE_VERSION,
        columns=[
            msgspec.structs.replace(column, dtype=column.dtype.format(C=board.cells))
            for column in columns_of(recipe.representations)
        ],
        split=Division(str(recipe.shares), SPLIT_RULE),
        sampling=SAMPLING.get(kind, ""),
        labels=LABELS,
        orientation=ORIENTATION,
        order=ORDER,
        limitations=limitations(kind, quiet=recipe.quiet, decisive=recipe.decisive),
        splits={name: census(records) for name, records in parts.items()},
    )


def limitations(kind: str, *, quiet: bool, decisive: bool) -> list[str]:
    """The limitations of a data set from a kind of source, each in one or two sentences."""
    filters = [*([_QUIET] if quiet else ()), *([_DECISIVE] if decisive else ())]
    return [*_SOURCE_LIMITS.get(kind, ()), _MIRRORED, _PERFECT, *filters]


def census(records: Mapping[str, Array]) -> Census:
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


def total(splits: Mapping[str, Census]) -> Census:
    """The :func:`census` of all parts together."""
    rows = [row for part in splits.values() for row in part["plies"]]
    plies = sorted({row["ply"] for row in rows})
    return {
        **_sum(list(splits.values())),
        "plies": [
            {"ply": ply, **_sum([row for row in rows if row["ply"] == ply])} for ply in plies
        ],
    }


def _sum(tallies: Sequence[Census]) -> Census:
    return {name: sum(each[name] for each in tallies) for name in COUNTED}


def as_text(card: Card) -> str:
    """The text of ``card.json``."""
    return json.dumps(msgspec.to_builtins(card), indent=1) + "\n"


def read_card(text: str, path: str) -> Card:
    """Read and check the text of a card; ``path`` is for messages."""
    if len(text) > MAX_CARD:
        raise DatasetError(f"{path}: not a data card: longer than {MAX_CARD:,}")
    try:
        version = msgspec.json.decode(text, type=_Version).format
        if version == CARD_FORMAT:
            return msgspec.json.decode(text, type=Card)
    except (BoardError, RecursionError, ValueError) as error:
        raise DatasetError(f"{path}: not a data card: {error}") from None
    raise DatasetError(
        f"{path}: the card has format {version}, but this version of c4 reads format {CARD_FORMAT}"
    )


class _Version(msgspec.Struct):
    format: int


_LICENSE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,63}")


def check_license(identifier: str) -> str:
    """Check that a text has the form of a license identifier, and return it."""
    if _LICENSE.fullmatch(identifier) is None:
        raise ValueError(
            f"{reprlib.repr(identifier)} is not a license identifier such as cc-by-4.0"
        )
    return identifier
