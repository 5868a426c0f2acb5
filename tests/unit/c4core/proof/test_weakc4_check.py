"""Solutions that are checked: what wins is found complete, and what does not is shown a line."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from c4core.proof import Certificate
from c4core.proof.errors import ClaimError
from c4core.notation import BoardSize, format_moves
from c4core.position import Position
from c4core.proof.weakc4_init import certificate_of, check, following, read_solution
from c4core.proof.weakc4_check import NO_ENTRY
from c4core.proof.weakc4_errors import HoleError
from tests.support.certificates import independent_checker
from tests.support.weakc4 import random_rows, slowly_wins, small_solution, write_solution

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.proof.weakc4 import Solution
    from tests.support.weakc4 import Entries, Rows

STARTS = [("122", 4, 4), ("1211", 4, 5), ("1221", 5, 4)]


def read(folder: Path, entries: Entries, diagrams: list[Rows], board: BoardSize) -> Solution:
    return read_solution(*write_solution(folder, entries, diagrams), board=board)


@pytest.mark.parametrize(("moves", "width", "height"), STARTS)
def test_a_complete_solution_and_its_certificate(
    moves: str, width: int, height: int, tmp_path: Path
) -> None:
    start = Position(moves, width=width, height=height)
    entries, diagrams = small_solution(start)
    assert slowly_wins(entries, diagrams, start.board, moves)
    told: list[int] = []
    solution = read(tmp_path, entries, diagrams, start.board)
    checked = check(solution, start, progress=told.append)
    assert (checked.entries, checked.diagrams) == (len(entries), len(diagrams))
    assert (checked.unused_entries, checked.unused_diagrams) == ((), ())
    assert told == sorted(told)
    assert checked.positions <= told[-1]
    for rules in (0, 63):
        data = certificate_of(checked, rules=rules)
        certificate = Certificate(data)
        assert (certificate.info.lower, certificate.info.upper) == (1, None)
        certificate.check()
        assert "scores at least 1" in independent_checker().check(data)


def test_it_holds_for_the_mirror_image(tmp_path: Path) -> None:
    start = Position("1211", width=4, height=5)
    solution = read(tmp_path, *small_solution(start), start.board)
    straight, mirrored = check(solution, start), check(solution, start.mirrored())
    assert straight.positions == mirrored.positions
    for checked in (straight, mirrored):
        data = certificate_of(checked)
        assert Certificate(data).check().info.start.canonical_key == start.canonical_key


@pytest.mark.parametrize(("moves", "width", "height"), STARTS[:2])
def test_changed_solutions(moves: str, width: int, height: int, tmp_path: Path) -> None:
    """One entry is left out, or one has another value: the slow check agrees with the quick one."""
    board = BoardSize(width, height)
    start = Position(moves, width=width, height=height)
    whole, diagrams = small_solution(start)
    dice = random.Random(7)
    outcomes = set()
    for name in list(whole)[:7]:
        left_out = {key: value for key, value in whole.items() if key != name}
        column = dice.choice(Position(name, width=width, height=height).legal_columns())
        for entries in (
            left_out,
            {**whole, name: str(column + 1)},
            {**whole, name: dice.randrange(len(diagrams))},
        ):
            solution = read(tmp_path, entries, diagrams, board)
            try:
                check(solution, start)
            except HoleError as error:
                outcomes.add(False)
                assert not slowly_wins(entries, diagrams, board, moves)
                check_hole(error, start)
            else:
                outcomes.add(True)
                assert slowly_wins(entries, diagrams, board, moves)
    assert outcomes == {True, False}


def check_hole(error: HoleError, start: Position) -> None:
    """The line can be played, and the side that should win has not won in it."""
    position = start
    for column in error.moves:
        position = position.play(column)
    assert position.winner != start.turn
    reasons = (following.UNDECIDED, NO_ENTRY, *following.ENDS.values())
    line = f"{start.moves}{format_moves(error.moves)}"
    assert str(error) in {f"no win: after {line}: {reason}" for reason in reasons}


def test_what_is_not_used_is_named(tmp_path: Path) -> None:
    start = Position("1211", width=4, height=5)
    entries, diagrams = small_solution(start)
    more = {**entries, "3": "3", "33": 0}
    solution = read(
        tmp_path, more, [*diagrams, random_rows(start.board, random.Random(1))], start.board
    )
    checked = check(solution, start)
    assert [position.moves for position in checked.unused_entries] == ["3", "33"]
    assert checked.unused_diagrams == (len(diagrams),)
    assert checked.entries == len(entries)


def test_a_win_in_one_needs_nothing(tmp_path: Path) -> None:
    start = Position("121212", width=4, height=4)
    checked = check(read(tmp_path, {}, [], start.board), start)
    assert checked.positions == 0
    Certificate(certificate_of(checked)).check()


def test_what_cannot_be_a_start(tmp_path: Path) -> None:
    solution = read(tmp_path, {"": "4"}, [], BoardSize(7, 6))
    with pytest.raises(ClaimError, match="7x6, and the start on 4x4"):
        check(solution, Position(width=4, height=4))
    with pytest.raises(ClaimError, match="the game is over"):
        check(solution, Position("1212121"))
    with pytest.raises(HoleError, match=r"^no win: after 41: there is no entry"):
        check(solution, Position())
    with pytest.raises(HoleError, match=r"^no win: after no move: there is no entry") as caught:
        check(read(tmp_path, {}, [], BoardSize(7, 6)), Position())
    assert caught.value.moves == ()
