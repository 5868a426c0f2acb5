"""What the units of a job of kind ``prove`` are about, and the form of payloads and results.

A job has up to three stages. Where the exact score is wanted, a first unit finds it. Then each
bound has a unit for its trunk, and these are followed by the units of its parts
(:mod:`c4core.proof.making`)::

    {"stage": "score"}
    {"stage": "trunk", "upper": false, "bound": 1}
    {"stage": "part", "upper": false, "bound": 1, "ply": 12, "keys": "AAH/.."}

The results::

    {"score": 1, "nodes": 51200, "known": 0, "seconds": 0.25}
    {"counts": [1, 1, 4], "code": "AAH/..", "nodes": 51200, "seconds": 0.25}
    {"holds": false, ..}                of a trunk: the claim is wrong

``counts`` are the positions of each ply, ``code`` says what is stored of them. A position takes a
quarter of a byte there; all parts of 7x6 together take 1.3 MB.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.book.units import pack_keys, unpack_keys
from c4core.position import Position
from c4core.proof.making import Bound, decode, encode
from db.decoding import decoding, field, number_field
from workers.certificates.task import read_score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from c4core.proof.certificate import Ply
    from db.records.jobs import Json
    from workers.certificates.task import ProofTask

    Keys = NDArray[np.uint64]

SCORE: Json = {"stage": "score"}
"""The payload of the unit that finds the score."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The trunk of a bound's proof, or a part of it."""

    bound: Bound
    keys: Keys | None = None
    """The first positions of a part; None for the trunk."""
    ply: int = 0
    """Their stones."""

    @property
    def first(self) -> int:
        """Stones of the first positions."""
        return self.bound.start.ply if self.keys is None else self.ply

    def as_payload(self) -> Json:
        """The payload of the unit."""
        about = {"upper": self.bound.upper, "bound": self.bound.score}
        if self.keys is None:
            return {"stage": "trunk", **about}
        keys = b64encode(pack_keys(self.keys)).decode("ascii")
        return {"stage": "part", **about, "ply": self.ply, "keys": keys}

    def as_result(self, plies: list[Ply]) -> Json:
        """The result of the unit, but for what it took."""
        code = b64encode(encode(self.bound, plies, self.first)).decode("ascii")
        return {"counts": [len(keys) for keys, _ in plies], "code": code}

    def read_result(self, result: Json) -> list[Ply]:
        """What was found.

        Raises:
            ClaimError: the bound does not hold.
            DamagedValueError: it cannot be read.
        """
        if result.get("holds") is False:
            raise self.bound.wrong()
        with decoding("a part of a proof"):
            code = b64decode(result["code"], validate=True)
            return decode(self.bound, code, field(result, "counts", list), self.keys, self.ply)


def read_payload(task: ProofTask, payload: Json) -> Piece | None:
    """What a unit is about; None for the one that finds the score.

    Raises:
        DamagedValueError: it cannot be read.
    """
    with decoding("a unit of a proof"):
        stage = field(payload, "stage", str)
        if stage == SCORE["stage"]:
            return None
        score = read_score(payload, "bound")
        bound = Bound(task.start, field(payload, "upper", bool), score, task.rules)
        if stage == "trunk":
            return Piece(bound)
        piece = Piece(
            bound,
            unpack_keys(b64decode(payload["keys"], validate=True)),
            number_field(payload, "ply", below=task.board.cells),
        )
        _check_keys(piece)
        return piece


def _check_keys(piece: Piece) -> None:
    """Refuse keys that are no positions of a ply: the search trusts them.

    Raises:
        ValueError: names one.
    """
    width, height = piece.bound.start.board
    for key in () if piece.keys is None else piece.keys.tolist():
        position = Position.from_key(key, width=width, height=height)
        if position.ply != piece.ply or position.canonical_key != key or position.is_over:
            raise ValueError(f"{key} is no canonical key of a game with {piece.ply} stones")
