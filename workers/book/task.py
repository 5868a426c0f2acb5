"""The task of a job of kind ``book``: the scores of certain positions of one ply.

The parameters of a job identify the positions, not how they are cut into units. So the same
command finds and resumes the job that it created before.

A unit has sorted keys in its payload and scores in its result, both as base64 text because storage
keeps JSON. A key takes about three characters, a score less than two.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from c4core.book.units import pack_keys, unpack_keys
from c4core.position import Position
from db.decoding import decoding, field, number_field

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from db.records.jobs import Json

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]

KIND: Final = "book"

FORM: Final = 1
"""Format version of payloads and results. Jobs with another version are not found."""

Sides = Literal["first", "second", "both"]
"""The side whose good play a sparse book follows."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The moves that a sparse book follows."""

    within: int
    """The choosing side plays no move that scores more than this far below its best move."""
    sides: Sides
    """The choosing side; the other side may play anything. ``both`` combines two such books."""

    def __str__(self) -> str:
        """The text in a book's description."""
        return f"within {self.within} for {self.sides}"


@dataclass(frozen=True, slots=True)
class PlyTask:
    """The positions of one ply of a book, and which of their scores are needed."""

    start: Position
    """The position with which the book begins."""
    ply: int
    """Number of stones on the board."""
    columns: bool = False
    """Whether the scores of all columns are needed, not only the position's."""
    choice: Choice | None = None
    """The moves of a sparse book; None for a complete book."""

    @property
    def is_sparse(self) -> bool:
        """Whether the positions are for a sparse book."""
        return self.choice is not None

    @property
    def board(self) -> BoardSize:
        """The board of all positions."""
        return self.start.board

    def as_params(self) -> Json:
        """The job parameters, always in the same order."""
        choice = self.choice
        return {
            "form": FORM,
            "start": self.start.canonical_key,
            "ply": self.ply,
            "columns": self.columns,
            **({} if choice is None else {"within": choice.within, "for": choice.sides}),
        }

    @classmethod
    def from_params(cls, params: Json, board: BoardSize) -> PlyTask:
        """Read the task from a job's parameters."""
        with decoding(f"the parameters of a job of kind {KIND}"):
            key = number_field(params, "start", below=1 << 64)
            return cls(
                Position.from_key(key, width=board.width, height=board.height),
                number_field(params, "ply", below=board.cells + 1),
                field(params, "columns", bool),
                _read_choice(params) if "within" in params else None,
            )


def _read_choice(params: Json) -> Choice:
    if params["for"] not in get_args(Sides):
        raise ValueError(f"the side must be first, second or both, not {params['for']!r}")
    return Choice(field(params, "within", int), params["for"])


def encode_keys(keys: Keys) -> Json:
    """The payload for sorted, unique keys."""
    return {"keys": b64encode(pack_keys(keys)).decode("ascii")}


def decode_keys(payload: Json) -> Keys:
    """The keys of a payload."""
    with decoding("a unit's positions"):
        return unpack_keys(b64decode(payload["keys"], validate=True))


def encode_scores(scores: Scores) -> str:
    """Scores as base64 text, row by row."""
    return b64encode(scores.tobytes()).decode("ascii")


def decode_scores(text: str, *, columns: int) -> Scores:
    """Decode the output of :func:`encode_scores` into rows of ``columns`` scores."""
    with decoding("a unit's scores"):
        return np.frombuffer(b64decode(text, validate=True), dtype=np.int8).reshape(-1, columns)
