"""The claim that a job of kind ``prove`` proves, and what its units are about.

The parameters of a job say everything that the certificate depends on. So the same command finds
the job that it has made before, and goes on with it.

A job has up to three stages. If the exact score is wanted, a first unit finds it. Then each bound
has a unit for its trunk, and the units of its parts follow (:mod:`c4core.proof.making`). The
payloads::

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
from typing import TYPE_CHECKING, Final

from c4core.book.units import pack_keys, unpack_keys
from c4core.position import Position
from c4core.proof.format import EVERY_RULE, LARGEST_SCORE
from c4core.proof.making import Bound, bounds_of, claimed, decode, encode
from db.decoding import decoding, field, number_field

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.proof.certificate import Ply
    from db.records.jobs import Json

    Keys = NDArray[np.uint64]

KIND: Final = "prove"

FORM: Final = 1
"""The form of payloads and results. It is one of the parameters, so that a job of another form is
not found."""

MAX_TABLE_MB: Final = 1 << 14
"""Megabytes of a unit's table at most, whoever has made the job: every thread has a table."""


@dataclass(frozen=True, slots=True)
class ProofTask:
    """A claim, and what its proof depends on."""

    start: Position
    """The position of the claim: canonical, and its game goes on."""
    at_least: int | None = None
    """The least that the side to move scores. Without any bound it is the exact score."""
    at_most: int | None = None
    """The most that it scores."""
    rules: int = EVERY_RULE
    """The rules that may end a branch, as a set of bits."""
    table_mb: int = 64
    """Megabytes of the table of positions that were searched."""

    @property
    def board(self) -> BoardSize:
        """The board of all positions."""
        return self.start.board

    @property
    def is_exact(self) -> bool:
        """Whether the score has to be found first."""
        return self.at_least is None and self.at_most is None

    def bounds(self, score: int | None = None) -> list[Bound]:
        """What has to be proven, the lower bound first.

        Args:
            score: the exact score, if that is asked for.
        """
        least, most = (score, score) if self.is_exact else (self.at_least, self.at_most)
        return bounds_of(self.start, at_least=least, at_most=most, rules=self.rules)

    def as_params(self) -> Json:
        """The parameters of the job; always in the same order."""
        named = {"at_least": self.at_least, "at_most": self.at_most}
        return {
            "form": FORM,
            "start": self.start.canonical_key,
            **{name: bound for name, bound in named.items() if bound is not None},
            "rules": self.rules,
            "table_mb": self.table_mb,
        }

    @classmethod
    def from_params(cls, params: Json, board: BoardSize) -> ProofTask:
        """The task of a job with these parameters.

        Raises:
            DamagedValueError: no job was made with them.
        """
        with decoding(f"the parameters of a job of kind {KIND}"):
            key = number_field(params, "start", below=1 << 64)
            least, most = (
                read_score(params, name) if name in params else None
                for name in ("at_least", "at_most")
            )
            table_mb = number_field(params, "table_mb", below=MAX_TABLE_MB + 1)
            return cls(
                claimed(Position.from_key(key, width=board.width, height=board.height)),
                least,
                most,
                number_field(params, "rules", below=EVERY_RULE + 1),
                max(1, table_mb),
            )


def read_score(fields: Json, name: str) -> int:
    """A field of a JSON object that is a score.

    Raises:
        ValueError: no score is so far from 0.
    """
    score = field(fields, name, int)
    if abs(score) > LARGEST_SCORE:
        raise ValueError(f"{name} is {score}, which is no score")
    return score


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
        """
        if result.get("holds") is False:
            raise self.bound.wrong()
        with decoding("a part of a proof"):
            code = b64decode(result["code"], validate=True)
            return decode(self.bound, code, field(result, "counts", list), self.keys, self.ply)


def read_payload(task: ProofTask, payload: Json) -> Piece | None:
    """What a unit is about; None for the one that finds the score."""
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
