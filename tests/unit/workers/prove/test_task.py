"""Payloads and results of proving jobs are read as written; all others are refused."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from c4core.book.units import pack_keys
from c4core.errors import ClaimError
from c4core.position import Position
from c4core.proof import Prover
from c4core.proof.format import EVERY_RULE
from c4core.proof.making import Bound, find_part, find_trunk
from db.errors import DamagedValueError
from workers.prove.task import SCORE, Piece, ProofTask, read_payload

if TYPE_CHECKING:
    from c4core.proof.certificate import Ply

START = Position(width=5, height=4)
TASK = ProofTask(START, table_mb=1)
BOUND = Bound(START, False, 0, EVERY_RULE)
TRUNK = Piece(BOUND)


def part() -> Piece:
    """A part that starts after the first moves of the proof."""
    keys, ply = find_trunk(BOUND, Prover(table_mb=1))[4][0], 4
    return Piece(BOUND, keys, ply)


def same(one: list[Ply], other: list[Ply]) -> bool:
    return all(
        np.array_equal(keys, others) and np.array_equal(values, other_values)
        for (keys, values), (others, other_values) in zip(one, other, strict=True)
    )


def packed(*keys: int) -> str:
    return b64encode(pack_keys(np.array(keys, dtype=np.uint64))).decode("ascii")


def test_payloads_and_results_round_trip() -> None:
    assert read_payload(TASK, SCORE) is None
    assert read_payload(TASK, TRUNK.as_payload()) == TRUNK
    written = part()
    read = read_payload(TASK, written.as_payload())
    assert read is not None
    assert read.as_payload() == written.as_payload()
    prover = Prover(table_mb=1)
    assert written.keys is not None
    for piece, plies in (
        (TRUNK, find_trunk(BOUND, prover)),
        (written, find_part(BOUND, prover, written.keys, written.ply)),
    ):
        assert same(piece.read_result(piece.as_result(plies)), plies)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"stage": 1},
        {"stage": "trunk", "upper": 0, "bound": 0},
        {"stage": "trunk", "upper": False, "bound": 33},
        {"stage": "part", "upper": False, "bound": 0, "ply": 4, "keys": "?"},
        {"stage": "part", "upper": False, "bound": 0, "ply": 20, "keys": packed(START.key)},
        {"stage": "part", "upper": False, "bound": 0, "ply": 4, "keys": packed(START.key)},
        {"stage": "part", "upper": False, "bound": 0, "ply": 0, "keys": packed((1 << 64) - 1)},
    ],
)
def test_bad_payloads_are_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(DamagedValueError):
        read_payload(TASK, payload)


def test_bad_results_are_refused() -> None:
    """More positions than the counts say, or a part that ends too early, are refused."""
    written = part()
    assert written.keys is not None
    plies = find_part(BOUND, Prover(table_mb=1), written.keys, written.ply)
    good = written.as_result(plies)
    counts = good["counts"]
    for damage in (
        {"code": ""},
        {"code": "AAAA" + good["code"]},
        {"counts": counts[:-1]},
        {"counts": [*counts, 1]},
        {"counts": [counts[0] + 1, *counts[1:]]},
        {"counts": "1"},
    ):
        with pytest.raises(DamagedValueError):
            written.read_result(good | damage)
    with pytest.raises(ClaimError, match="less than 0"):
        TRUNK.read_result({"holds": False})


@pytest.mark.parametrize(
    "change",
    [
        {"start": -1},
        {"start": 1 << 63},
        {"at_least": "1"},
        {"at_most": 33},
        {"rules": EVERY_RULE + 1},
        {"table_mb": 1 << 20},
    ],
)
def test_bad_parameters_are_refused(change: dict[str, Any]) -> None:
    params = TASK.as_params()
    assert ProofTask.from_params(params, TASK.board) == TASK
    with pytest.raises(DamagedValueError, match="parameters of a job of kind prove"):
        ProofTask.from_params(params | change, TASK.board)
