"""Diagrams that are followed: against a slow check on lists of stones, and against the solver."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core.proof.errors import CertificateError
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from c4core.proof.weakc4_init import following, known_moves
from c4core.proof.weakc4_errors import HoleError, TooLargeError
from c4core.proof.weakc4_following import follow
from c4core.proof.weakc4_known_moves import KnownMoves
from tests.support.weakc4 import SlowGame, random_rows, slowly_wins, squares_of

if TYPE_CHECKING:
    from tests.support.weakc4 import Rows


@pytest.mark.parametrize("seed", range(4))
def test_diagrams_by_chance(seed: int) -> None:
    """Every diagram in every late position: the slow check says the same of it."""
    dice = random.Random(seed)
    board = BoardSize(*dice.choice([(4, 4), (5, 4), (4, 5), (3, 6)]))
    outcomes = []
    while len(outcomes) < 60:
        position = Position(width=board.width, height=board.height)
        while not position.is_over and position.ply < board.cells - dice.randrange(4, 10):
            position = position.play(dice.choice(position.legal_columns()))
        if position.is_over:
            continue
        rows = random_rows(board, dice, levels=dice.choice(["012", "0123456", "0123456789abcdef"]))
        moves = position.moves or ""
        expected = slowly_wins({moves: 0}, [rows], board, moves)
        outcomes.append(expected)
        known = KnownMoves(board)
        try:
            follow(position, squares_of(rows), known)
        except HoleError as error:
            assert not expected
            check_line(error, position, rows)
        else:
            assert expected
    assert True in outcomes
    assert False in outcomes


def check_line(error: HoleError, start: Position, rows: Rows) -> None:
    """The line follows the diagram, and ends in the fault that is named."""
    game, position = SlowGame(start.board, start.moves or ""), start
    for place, column in enumerate(error.moves):
        if place % 2 == 0:
            assert not any(game.wins(each, game.turn) for each in game.legal())
            assert game.chosen(rows) == column
        game.play(column)
        position = position.play(column)
    if str(error) == following.UNDECIDED:
        assert not position.is_over
        assert game.chosen(rows) is None
    elif str(error) == following.ENDS[1]:
        assert position.winner not in {None, start.turn}
    else:
        assert str(error) == following.ENDS[2]
        assert position.is_over
        assert position.winner is None


def test_too_many_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Position("1221", width=5, height=4)
    rows = ["00000", "01234", "00000", "01234"]
    monkeypatch.setattr(following, "MAX_PLY_POSITIONS", 2)
    with pytest.raises(TooLargeError, match="more than 2 positions with 6 stones"):
        follow(start, squares_of(rows), KnownMoves(start.board))


def test_too_many_known_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_moves, "MAX_KNOWN", 1)
    known = KnownMoves(BoardSize(5, 4))
    for moves in ("12", "54", "13"):
        position = Position(moves, width=5, height=4)
        known.add(2, np.array([position.key], dtype=np.uint64), np.array([0], dtype=np.uint8))
    with pytest.raises(TooLargeError, match="more than 1 positions with 2 stones"):
        known.count()


def test_known_moves_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_moves, "PENDING", 3)
    known = KnownMoves(BoardSize(5, 4))
    position = Position("12", width=5, height=4)
    for column in (0, 1, 2, 3, 4):
        for each in (position, position.mirrored()):
            known.add(2, np.array([each.key], dtype=np.uint64), np.array([column], dtype=np.uint8))
    keys, columns = known.at(2)
    assert keys.tolist() == [position.canonical_key]
    assert columns.tolist() == [0 if position.key == position.canonical_key else 4]
    assert known.count() == 1
    assert known.at(4)[0].size == 0


def test_the_solver_agrees() -> None:
    """Whatever a diagram wins is won."""
    dice = random.Random(3)
    solver = Solver(table_mb=1)
    won = 0
    while won < 10:
        position = Position(width=5, height=4)
        while position.ply < 12 and not position.is_over:
            position = position.play(dice.choice(position.legal_columns()))
        if position.is_over:
            continue
        try:
            follow(
                position, squares_of(random_rows(position.board, dice)), KnownMoves(position.board)
            )
        except CertificateError:
            continue
        won += 1
        score = solver.solve(position).score
        assert score is not None
        assert score > 0
