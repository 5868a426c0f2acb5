"""What a job of kind ``book`` is about: the scores of certain positions of one ply.

A job's parameters say which positions they are, not how they are cut into units. So the same
command finds the job that it has made before, and resumes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from c4core.position import Position
from db.decoding import decoding, field, number_field

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from db.records.jobs import Json

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
