"""Making certificates: their claims, their bytes, and claims that cannot be proven."""

from __future__ import annotations

import threading

import pytest

from c4core.errors import ClaimError, ProvingStoppedError
from c4core.position import Position
from c4core.proof import Certificate, Prover, make
from c4core.solver import Solver
from tests.support.certificates import independent_checker

SMALL = [(1, 1), (3, 3), (4, 4), (5, 4), (2, 12), (8, 2)]


@pytest.mark.parametrize(("width", "height"), SMALL)
def test_the_exact_value_of_a_board(width: int, height: int) -> None:
    start = Position(width=width, height=height)
    data = make(start)
    certificate = Certificate(data)
    score = Solver().solve(start).score
    assert (certificate.info.lower, certificate.info.upper) == (score, score)
    certificate.check()
    assert f"at least {score} and at most {score}" in independent_checker().check(data)


@pytest.mark.parametrize("moves", ["2252576253462244111563", "1", "12"])
def test_asymmetric_positions_are_proven(moves: str) -> None:
    size = {"width": 7, "height": 6} if len(moves) > 2 else {"width": 5, "height": 4}
    position = Position(moves, **size)
    data = make(position)
    assert Certificate(data).info.lower == Solver().solve(position).score
    Certificate(data).check()
    independent_checker().check(data)


def test_without_rules_the_proof_reaches_the_end_of_every_game() -> None:
    start = Position(width=4, height=4)
    plain = Certificate(make(start, rules=0))
    plain.check()
    independent_checker().check(make(start, rules=0))
    assert plain.info.positions > 4 * Certificate(make(start)).info.positions


def test_a_single_bound_is_proven() -> None:
    start = Position("12", width=5, height=4)
    score = Solver().solve(start).score
    assert score is not None
    least = Certificate(make(start, at_least=score - 1))
    most = Certificate(make(start, at_most=score + 1))
    assert (least.info.lower, least.info.upper) == (score - 1, None)
    assert (most.info.lower, most.info.upper) == (None, score + 1)
    least.check()
    most.check()


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"at_least": 1}, "the claim is wrong: the score is less than 1"),
        ({"at_most": -1}, "the claim is wrong: the score is more than -1"),
        ({"at_least": 33}, "no score is as far from 0 as 33"),
    ],
)
def test_false_claims_are_not_proven(claim: dict[str, int], message: str) -> None:
    with pytest.raises(ClaimError, match=message):
        make(Position(width=4, height=4), **claim)


def test_a_finished_game_needs_no_proof() -> None:
    with pytest.raises(ClaimError, match="over"):
        make(Position("1212121"))


def test_a_bound_from_the_number_of_stones_needs_few_positions() -> None:
    certificate = Certificate(make(Position(), at_least=-21, at_most=21))
    assert certificate.info.positions in range(4)
    certificate.check()


def test_a_claim_and_its_mirror_image_give_the_same_bytes() -> None:
    start = Position("3", width=5, height=4)
    assert make(start) == make(start) == make(start, prover=Prover(table_mb=64))
    assert make(Position("12", width=5, height=4)) == make(Position("54", width=5, height=4))


def test_a_prover_can_be_stopped() -> None:
    prover = Prover(table_mb=1)
    ended: list[BaseException] = []

    def work() -> None:
        try:
            make(Position(width=8, height=7), prover=prover)
        except ProvingStoppedError as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        prover.stop()
        thread.join(timeout=0.05)
    assert len(ended) == 1


def test_bad_table_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="table_mb"):
        Prover(table_mb=0)


def test_progress_is_reported() -> None:
    told: list[int] = []
    make(Position(width=4, height=4), progress=told.append)
    assert told == sorted(told)
    assert told[-1] > 100
