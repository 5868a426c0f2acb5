"""The rules of certificates and their lasting form are true, and a player can follow them."""

import numpy as np
import pytest

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.proof.format import RULES
from c4core.proof.lasting import answers, lasts, rules_that_hold
from tests.support.boards.every_position import check_lasting_form, check_rules, check_target
from tests.support.boards.games import random_positions
from tests.support.certificates import independent_checker


@pytest.mark.parametrize(("width", "height"), [(4, 4), (5, 3)])
def test_rules_and_the_lasting_form_hold_on_every_position(width: int, height: int) -> None:
    assert min(check_rules(width, height).values()) > 0
    assert check_lasting_form(width, height, step=10) > 5_000


@pytest.mark.parametrize(("width", "height"), [(4, 4), (5, 5), (6, 7), (7, 6), (8, 5), (4, 12)])
def test_both_checkers_have_the_same_rules(width: int, height: int) -> None:
    checker = independent_checker()
    board = checker.Board(width, height)
    positions = random_positions(150, seed=width, board=BoardSize(width, height), quiet=True)
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    for target in (-3, -1, 0, 1, 2):
        sets = rules_that_hold(keys, board=(width, height), target=target)
        for key, found in zip(keys, sets, strict=True):
            seen = checker.Rules(board, *board.split(int(key)), target)
            again = [bool(rule(seen)) for rule in checker.RULES]
            assert again == [bool(found >> rule & 1) for rule in range(len(RULES))], (key, target)


def test_nothing_helps_against_a_win_at_once() -> None:
    keys = np.array([Position("121212").key], dtype=np.uint64)
    assert list(rules_that_hold(keys, board="7x6", target=30)) == [0]
    assert not lasts(Position("121212"), least=-20)
    assert answers(Position("121213"), least=5) == ()


@pytest.mark.parametrize(("width", "height"), [(5, 5), (6, 7), (7, 6), (8, 5), (12, 4)])
def test_the_lasting_form_on_large_boards(width: int, height: int) -> None:
    positions = random_positions(1000, seed=height, board=BoardSize(width, height), quiet=True)
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    held = [len(check_target(keys, width, height, target)) for target in (-2, 0, 1, 5, 9)]
    assert min(held[1:]) > 0
