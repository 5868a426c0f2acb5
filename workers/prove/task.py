"""The claim of a job of kind ``prove``, and the payloads and results of its units.

The parameters of a job contain everything that the certificate depends on. So the same command
finds and resumes the job that it created before.

A job has up to three stages. If the exact score is wanted, a first unit finds it. Then each bound
has a unit for its trunk, and the units of its parts follow (:mod:`c4core.proof.making`). The
payloads::

    {"stage": "score"}
    {"stage": "trunk", "upper": false, "bound": 1}
    {"stage": "part", "upper": false, "bound": 1, "ply": 12, "keys": "AAH/..."}

The results::

    {"score": 1, "nodes": 51200, "known": 0, "seconds": 0.25}
    {"counts": [1, 1, 4], "code": "AAH/...", "nodes": 51200, "seconds": 0.25}
    {"holds": false, ...}               of a trunk: the claim is wrong

``counts`` are the numbers of positions of each ply, ``code`` is their stored proof. A position
takes a quarter of a byte in it; all parts of 7x6 together take 1.3 MB.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.book.units import pack_keys, unpack_keys
from c4core.position import Position
from c4core.proof.format import EVERY_RULE
from c4core.proof.making import Bound, bounds_of, claimed, decode, encode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.proof.certificate import Ply
    from db.records.jobs import Json

    Keys = NDArray[np.uint64]

KIND: Final = "prove"

FORM: Final = 1
"""Format version of payloads and results. Jobs with another version are not found."""

MAX_TABLE_MB: Final = 1 << 14
"""Maximum megabytes of a unit's table, because every thread has one."""


@dataclass(frozen=True, slots=True)
class ProofTask:
    """A claim, and the settings that its proof depends on."""

    start: Position
    """The position of the claim: canonical, with an open game."""
    at_least: int | None = None
    """The claimed minimum score of the side to move; without any bound the claim is exact."""
    at_most: int | None = None
    rules: int = EVERY_RULE
    """The rules that may end a branch, as a bit set."""
    table_mb: int = 64

    @property
    def board(self) -> BoardSize:
        """The board of all positions."""
        return self.start.board

    @property
    def is_exact(self) -> bool:
        """Whether the score has to be found first."""
        return self.at_least is None and self.at_most is None

    def bounds(self, score: int | None = None) -> list[Bound]:
        """The bounds to prove, the lower bound first; ``score`` is needed for an exact claim."""
        least, most = (score, score) if self.is_exact else (self.at_least, self.at_most)
        return bounds_of(self.start, at_least=least, at_most=most, rules=self.rules)

    def as_params(self) -> Json:
        """The job parameters, always in the same order."""
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
        """Read the task from a job's parameters."""
        key = params["start"]
        least, most = (params.get(name) for name in ("at_least", "at_most"))
        table_mb = params["table_mb"]
        return cls(
            claimed(Position.from_key(key, board=board)),
            least,
            most,
            params["rules"],
            max(1, table_mb),
        )


SCORE: Json = {"stage": "score"}
"""The payload of the unit that finds the score."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The trunk of a bound's proof, or one of its parts."""

    bound: Bound
    keys: Keys | None = None
    """The first positions of a part; None for the trunk."""
    ply: int = 0
    """Number of stones in the first positions of a part."""

    @property
    def first(self) -> int:
        """Number of stones in the first positions."""
        return self.bound.start.ply if self.keys is None else self.ply

    def as_payload(self) -> Json:
        """The payload of the unit."""
        about = {"upper": self.bound.upper, "bound": self.bound.score}
        if self.keys is None:
            return {"stage": "trunk", **about}
        keys = b64encode(pack_keys(self.keys)).decode("ascii")
        return {"stage": "part", **about, "ply": self.ply, "keys": keys}

    def as_result(self, plies: list[Ply]) -> Json:
        """The result of the unit, without its nodes and seconds."""
        code = b64encode(encode(self.bound, plies, self.first)).decode("ascii")
        return {"counts": [len(keys) for keys, _ in plies], "code": code}

    def read_result(self, result: Json) -> list[Ply]:
        """The proof in a unit's result; ClaimError if the bound does not hold."""
        if result.get("holds") is False:
            raise self.bound.wrong()
        code = b64decode(result["code"], validate=True)
        return decode(self.bound, code, result["counts"], self.keys, self.ply)


def read_payload(task: ProofTask, payload: Json) -> Piece | None:
    """Decode the payload of a unit; None for the unit that finds the score."""
    stage = payload["stage"]
    if stage == SCORE["stage"]:
        return None
    bound = Bound(task.start, payload["upper"], payload["bound"], task.rules)
    if stage == "trunk":
        return Piece(bound)
    keys = unpack_keys(b64decode(payload["keys"], validate=True))
    piece = Piece(bound, keys, payload["ply"])
    _check_keys(piece)
    return piece


def _check_keys(piece: Piece) -> None:
    """Raise ValueError for keys that are not open positions of the ply: the search trusts them."""
    for key in () if piece.keys is None else piece.keys.tolist():
        position = Position.from_key(key, board=piece.bound.start.board)
        if position.ply != piece.ply or position.canonical_key != key or position.is_over:
            raise ValueError(
                f"{key} is not the canonical key of an open game of {piece.ply} stones"
            )
