"""Following a proof: the score never falls below the bound."""

from __future__ import annotations

import random

import pytest

from c4core.errors import ClaimError
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.proof import Certificate, Proof, make
from c4core.proof.certificate import shipped_file
from c4core.solver import Solver
from tests.support.memory import memory_below


def followed(proof: Proof, number: int, dice: random.Random) -> int:
    """Play from the start with the proof for one side; return the score for the side to move."""
    start = position = proof.info.start
    while not position.is_over:
        word = proof.ask(position)[number]
        assert word.why not in {"over", "elsewhere", "rule"}
        columns = word.columns if position.turn == word.prover else position.legal_columns()
        position = position.play(dice.choice(columns))
    if position.winner is None:
        return 0
    score = (position.board.cells + 2 - position.ply) // 2
    return score if position.winner == start.turn else -score


@pytest.mark.parametrize(("moves", "width", "height"), [("", 4, 4), ("2", 4, 4), ("12", 5, 4)])
def test_a_complete_strategy_never_falls_below_the_bound(
    moves: str, width: int, height: int
) -> None:
    proof = Certificate(make(Position(moves, width=width, height=height), rules=0)).check()
    dice = random.Random(1)
    for _ in range(150):
        assert followed(proof, 0, dice) >= proof.halves[0].bound
        assert followed(proof, 1, dice) <= proof.halves[1].bound


def test_every_move_of_a_proof_keeps_the_bound() -> None:
    proof = Certificate(make(Position(width=5, height=4))).check()
    solver = Solver()
    dice = random.Random(2)
    seen: set[str] = set()
    for _ in range(60):
        position = Position(width=5, height=4)
        while not position.is_over:
            word = proof.ask(position)[1]
            seen.add(word.why)
            if word.why == "rule":
                score = solver.solve(position).score
                assert score is not None
                assert score <= 0
                break
            columns = word.columns if position.turn == word.prover else position.legal_columns()
            position = position.play(dice.choice(columns))
            if word.prover == "o" and position.turn == "x" and not position.is_over:
                score = solver.solve(position).score
                assert score is not None
                assert score <= 0
    assert {"move", "replies", "rule"} <= seen


def test_a_mirrored_position_has_the_mirrored_move() -> None:
    proof = Certificate(make(Position(width=5, height=4))).check()
    for column in range(5):
        position = Position(width=5, height=4).play(column)
        (move,) = proof.ask(position)[1].columns
        (mirrored,) = proof.ask(position.mirrored())[1].columns
        if position != position.mirrored():
            assert move + mirrored == 4


def test_verifying_keeps_two_plies_in_memory() -> None:
    certificate = Certificate.open(shipped_file(BoardSize(6, 5)))
    # A position takes 9 bytes, and several times as much while its ply is made.
    with memory_below(9 * certificate.info.positions):
        certificate.verify()


def test_positions_outside_the_proof() -> None:
    proof = Certificate(make(Position("1", width=5, height=4))).check()
    with pytest.raises(ClaimError, match="5x4"):
        proof.ask(Position())
    with pytest.raises(ClaimError, match="1 stones, but the position has 0"):
        proof.ask(Position(width=5, height=4))
    assert {word.why for word in proof.ask(Position("33", width=5, height=4))} == {"elsewhere"}
    over = Position("1212121", width=5, height=4)
    assert {word.why for word in proof.ask(over)} == {"over"}
