"""What a job of kind ``book`` is about: the scores of certain positions of one ply.

The parameters of a job say which positions they are, not how they are cut into units. So the same
command finds the job that it has made before, and resumes it.

A unit has sorted keys in its payload and scores in its result. They are base64 text, because
storage keeps JSON. A key takes some three characters, a score less than two.
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
"""The form of payloads and results. It is one of the parameters, so that a job of another form is
not found."""

Sides = Literal["first", "second", "both"]
"""The side whose good play a sparse book follows."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which moves a sparse book follows."""

    within: int
    """The side that chooses plays no move that is more than so many points worse than its best."""
    sides: Sides
    """The side that chooses; the other one may play anything. ``both`` stands for two such books in
    one."""

    def __str__(self) -> str:
        """The text in a book's description."""
        return f"within {self.within} for {self.sides}"


@dataclass(frozen=True, slots=True)
class PlyTask:
    """Positions of one ply of a book, and which of their scores are wanted."""

    start: Position
    """The position with which the book begins."""
    ply: int
    """Stones on the board."""
    columns: bool = False
    """Whether the scores of all columns are wanted, not only the position's."""
    choice: Choice | None = None
    """That of the sparse book; None for a complete book."""

    @property
    def is_sparse(self) -> bool:
        """Whether it is for a sparse book."""
        return self.choice is not None

    @property
    def board(self) -> BoardSize:
        """The board of all positions."""
        return self.start.board

    def as_params(self) -> Json:
        """The parameters of the job; always in the same order."""
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
        """The task of a job with these parameters.

        Raises:
            DamagedValueError: no job was made with them.
        """
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
        raise ValueError(f"no side is called {params['for']!r}")
    return Choice(field(params, "within", int), params["for"])


def encode_keys(keys: Keys) -> Json:
    """The payload for sorted keys.

    Raises:
        BookContentError: the keys are not sorted, or one occurs twice.
    """
    return {"keys": b64encode(pack_keys(keys)).decode("ascii")}


def decode_keys(payload: Json) -> Keys:
    """The keys of a payload.

    Raises:
        DamagedValueError: it holds no keys.
    """
    with decoding("a unit's positions"):
        return unpack_keys(b64decode(payload["keys"], validate=True))


def encode_scores(scores: Scores) -> str:
    """Scores as text, row by row."""
    return b64encode(scores.tobytes()).decode("ascii")


def decode_scores(text: str, *, columns: int) -> Scores:
    """The scores that :func:`encode_scores` wrote.

    Args:
        text: what it wrote.
        columns: scores of a row; 1 where there is one for each position.

    Raises:
        DamagedValueError: the text holds no such scores.
    """
    with decoding("a unit's scores"):
        return np.frombuffer(b64decode(text, validate=True), dtype=np.int8).reshape(-1, columns)
