"""Making certificates, claims that cannot be proven, and following a proof."""

import random
import threading

import pytest

from c4core.errors import ClaimError, ProvingStoppedError
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.proof import Certificate, Proof, Prover, make
from c4core.proof.certificate import shipped_file
from c4core.solver import Solver
from tests.support.certificates import independent_checker
from tests.support.memory import memory_below


@pytest.mark.parametrize(
    ("moves", "width", "height"),
    [("", 1, 1), ("", 3, 3), ("", 4, 4), ("", 5, 4), ("", 2, 12), ("", 8, 2), ("1", 5, 4),
     ("12", 5, 4), ("2252576253462244111563", 7, 6)],
)  # fmt: skip
def test_the_exact_value_of_a_position(moves: str, width: int, height: int) -> None:
    start = Position(moves, board=(width, height))
    data = make(start)
    certificate = Certificate(data)
    score = Solver().solve(start).score
    assert (certificate.info.lower, certificate.info.upper) == (score, score)
    certificate.check()
    assert f"at least {score} and at most {score}" in independent_checker().check(data)


def test_without_rules_the_proof_reaches_the_end_of_every_game() -> None:
    start = Position(board="4x4")
    data = make(start, rules=0)
    plain = Certificate(data)
    plain.check()
    independent_checker().check(data)
    assert plain.info.positions > 4 * Certificate(make(start)).info.positions


def test_a_single_bound_is_proven() -> None:
    start = Position("12", board="5x4")
    score = Solver().solve(start).score
    least = Certificate(make(start, at_least=score - 1))
    most = Certificate(make(start, at_most=score + 1))
    assert (least.info.lower, least.info.upper) == (score - 1, None)
    assert (most.info.lower, most.info.upper) == (None, score + 1)
    # A bound from the number of stones needs few positions.
    trivial = Certificate(make(Position(), at_least=-21, at_most=21))
    assert trivial.info.positions in range(4)
    for certificate in (least, most, trivial):
        certificate.check()


def test_false_claims_are_not_proven() -> None:
    start = Position(board="4x4")
    with pytest.raises(ClaimError, match="the claim is wrong: the score is less than 1"):
        make(start, at_least=1)
    with pytest.raises(ClaimError, match="the claim is wrong: the score is more than -1"):
        make(start, at_most=-1)
    with pytest.raises(ClaimError, match="no score is as far from 0 as 33"):
        make(start, at_least=33)
    with pytest.raises(ClaimError, match="over"):
        make(Position("1212121"))
    with pytest.raises(ValueError, match="table_mb"):
        Prover(table_mb=0)


def test_a_claim_and_its_mirror_image_give_the_same_bytes() -> None:
    start = Position("3", board="5x4")
    assert make(start) == make(start) == make(start, prover=Prover(table_mb=64))
    assert make(Position("12", board="5x4")) == make(Position("54", board="5x4"))


def test_a_prover_can_be_stopped() -> None:
    prover = Prover(table_mb=1)
    ended: list[BaseException] = []

    def work() -> None:
        try:
            make(Position(board="8x7"), prover=prover)
        except ProvingStoppedError as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        prover.stop()
        thread.join(timeout=0.05)
    assert len(ended) == 1


def test_progress_is_reported() -> None:
    told: list[int] = []
    make(Position(board="4x4"), progress=told.append)
    assert told == sorted(told)
    assert told[-1] > 100


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
    proof = Certificate(make(Position(moves, board=(width, height)), rules=0)).check()
    dice = random.Random(1)
    for _ in range(150):
        assert followed(proof, 0, dice) >= proof.halves[0].bound
        assert followed(proof, 1, dice) <= proof.halves[1].bound


def test_every_move_of_a_proof_keeps_the_bound() -> None:
    proof = Certificate(make(Position(board="5x4"))).check()
    solver, dice = Solver(), random.Random(2)
    seen: set[str] = set()
    for _ in range(60):
        position = Position(board="5x4")
        while not position.is_over:
            word = proof.ask(position)[1]
            seen.add(word.why)
            if position.turn == "x":
                assert solver.test(position, 1).upper <= 0
            if word.why == "rule":
                break
            columns = word.columns if position.turn == word.prover else position.legal_columns()
            position = position.play(dice.choice(columns))
    assert {"move", "replies", "rule"} <= seen


def test_a_mirrored_position_has_the_mirrored_move() -> None:
    proof = Certificate(make(Position(board="5x4"))).check()
    for column in range(5):
        position = Position(board="5x4").play(column)
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
    proof = Certificate(make(Position("1", board="5x4"))).check()
    with pytest.raises(ClaimError, match="5x4"):
        proof.ask(Position())
    with pytest.raises(ClaimError, match="1 stones, but the position has 0"):
        proof.ask(Position(board="5x4"))
    assert {word.why for word in proof.ask(Position("33", board="5x4"))} == {"elsewhere"}
    over = Position("1212121", board="5x4")
    assert {word.why for word in proof.ask(over)} == {"over"}
