"""WeakC4's two files, including damaged ones; and solutions played against every reply.

A slow check on lists of stones, the solver and the independent certificate checker agree.
"""

import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from syrupy.assertion import SnapshotAssertion

from c4core import errors
from c4core.notation import BoardSize, format_moves
from c4core.position import Position
from c4core.proof import Certificate, weakc4
from c4core.proof.weakc4 import (
    NO_ENTRY,
    KnownMoves,
    Solution,
    certificate_of,
    check,
    follow,
    read_solution,
)
from c4core.proof.weakc4_turns import NO_MOVE, WINS, canonical, choose, replies
from tests.support.certificates import independent_checker
from tests.support.refused import own_words
from tests.support.weakc4 import (
    Entries,
    Rows,
    SlowGame,
    random_rows,
    slowly_wins,
    small_solution,
    squares_of,
    write_solution,
)

BOARD = BoardSize(4, 4)
ROWS = ["0123", "4567", "89ab", "cdef"]


def test_the_files_are_read(tmp_path: Path) -> None:
    paths = write_solution(tmp_path, {"": "4", "4422": 0, "11": "2"}, [ROWS, ["0000"] * 4])
    solution = read_solution(*paths, board=BOARD)
    assert solution.board == BOARD
    assert solution.diagrams == (squares_of(ROWS), (0b01111_01111_01111_01111,))
    said = {entry.position.moves: entry for entry in solution.entries.values()}
    assert {moves: (entry.is_diagram, entry.number) for moves, entry in said.items()} == {
        "": (False, 3),
        "4422": (True, 0),
        "11": (False, 1),
    }
    # Entries also apply to mirror images.
    position = Position("4422", width=4, height=4)
    straight, mirrored = solution.find(position), solution.find(position.mirrored())
    assert (straight[1], mirrored[1]) == (False, True)
    assert solution.find(position.play(0)) is None
    assert solution.diagram(0, is_mirrored=True) == squares_of([row[::-1] for row in ROWS])
    assert solution.diagram(0, is_mirrored=False) == squares_of(ROWS)


def refusal(entries: object, diagrams: object, folder: Path) -> str:
    """The error about the files, without the folder's name."""
    paths = write_solution(folder, entries, diagrams)
    with pytest.raises(errors.SolutionFileError) as caught:
        read_solution(*paths, board=BOARD)
    return own_words(str(caught.value).removeprefix(f"{folder}/"))


def test_bad_files_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    entries: list[object] = [
        [], {"5": "1"}, {"x!": "1"}, {"1" * 5: "1"}, {"1" * 9999: "1"}, {"1212121": "1"},
        {"1": "12"}, {"1": ""}, {"1": "5"}, {"1111": "1"}, {"1": 1}, {"1": -1}, {"1": True},
        {"1": None}, {"1": 0.0}, {"1": {"2": [[]]}}, {"12": "1", "43": 0},
        {"1234": "1", "3214": "1"},
    ]  # fmt: skip
    diagrams: list[object] = [
        {}, [ROWS, "0123"], [ROWS[1:]], [[*ROWS[:3], 4]], [["0", *ROWS[1:]]],
        [[ROWS[0], "00g0", *ROWS[2:]]], [["\u06600\ud8000", *ROWS[1:]]],
    ]  # fmt: skip
    assert [refusal(bad, [ROWS], tmp_path) for bad in entries] == snapshot
    assert [refusal({}, bad, tmp_path) for bad in diagrams] == snapshot


def test_bad_json_is_refused(tmp_path: Path) -> None:
    paths = write_solution(tmp_path, {}, [])
    for text, message in (
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"1": ' + b"9" * 10_000 + b"}", "not JSON"),
        (b'{"1": "2", "2": "1", "1": "3"}', "not JSON: an object has the field '1' twice"),
    ):
        for path in paths:
            before = path.read_bytes()
            path.write_bytes(text)
            with pytest.raises(errors.SolutionFileError) as caught:
                read_solution(*paths, board=BOARD)
            assert str(caught.value).startswith(f"{path}: {message}")
            path.write_bytes(before)


def test_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = write_solution(tmp_path, {}, [])
    with pytest.raises(IsADirectoryError):
        read_solution(tmp_path, paths[1])
    with pytest.raises(FileNotFoundError):
        read_solution(paths[0], tmp_path / "missing")
    with pytest.raises(errors.BoardError):
        read_solution(*paths, board=BoardSize(0, 6))
    monkeypatch.setattr(weakc4, "MAX_BYTES", 100)
    paths[1].write_text("[]" + " " * 98)
    read_solution(*paths, board=BOARD)
    paths[1].write_text("[]" + " " * 99)
    with pytest.raises(errors.SolutionFileError, match="longer than 100 bytes"):
        read_solution(*paths, board=BOARD)


SIZE = {"width": 4, "height": 4}


def keys(*moves: str) -> NDArray[np.uint64]:
    return np.array([Position(each, **SIZE).key for each in moves], dtype=np.uint64)


def column(*values: int) -> NDArray[np.uint8]:
    return np.array(values, dtype=np.uint8)


def levels(*squares: int) -> NDArray[np.uint64]:
    return np.array(squares, dtype=np.uint64)


def test_columns_are_chosen_by_the_diagram() -> None:
    bottom_row = 0b00001_00001_00001_00001
    first, last = 1, 1 << 15
    # The level of the bottom row has four squares on the empty board, three after "12".
    chosen = choose(keys("", "11", "121212", "1212"), levels(bottom_row, last, first), **SIZE)
    assert chosen.tolist() == [3, 3, WINS, 3]
    assert choose(keys(""), levels(bottom_row), **SIZE).tolist() == [NO_MOVE]
    assert choose(keys("141424"), levels(), **SIZE).tolist() == [3]
    assert choose(keys("12", ""), levels(), **SIZE).tolist() == [NO_MOVE, NO_MOVE]


def test_all_replies_are_found() -> None:
    found = replies(keys("1111", "121212"), column(1, WINS), **SIZE)
    assert found.parents.tolist() == [0, 0, 0]
    assert found.columns.tolist() == [1, 2, 3]
    assert found.ends.tolist() == [0, 0, 0]
    assert found.keys.tolist() == keys("111122", "111123", "111124").tolist()


def test_bad_arguments_are_refused() -> None:
    for wrong in (4, 200, NO_MOVE):
        with pytest.raises(ValueError, match=f"column {wrong} cannot be played at index 1"):
            replies(keys("", ""), column(0, wrong), **SIZE)
    with pytest.raises(ValueError, match="column 0 cannot be played at index 0"):
        replies(keys("1111"), column(0), **SIZE)
    for function in (replies, canonical):
        with pytest.raises(ValueError, match="2 positions and 1 columns"):
            function(keys("", "1"), column(0), **SIZE)


@pytest.mark.parametrize("seed", range(4))
def test_random_diagrams_agree_with_the_slow_check(seed: int) -> None:
    """Every diagram is tried in every late position; the slow check agrees."""
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
        except errors.HoleError as error:
            assert not expected
            check_line(error, position, rows)
        else:
            assert expected
    assert True in outcomes
    assert False in outcomes


def check_line(error: errors.HoleError, start: Position, rows: Rows) -> None:
    """The line follows the diagram, and ends in the reported fault."""
    game, position = SlowGame(start.board, start.moves or ""), start
    for place, column in enumerate(error.moves):
        if place % 2 == 0:
            assert not any(game.wins(each, game.turn) for each in game.legal())
            assert game.chosen(rows) == column
        game.play(column)
        position = position.play(column)
    if str(error) == weakc4.UNDECIDED:
        assert not position.is_over
        assert game.chosen(rows) is None
    elif str(error) == weakc4.ENDS[1]:
        assert position.winner not in {None, start.turn}
    else:
        assert str(error) == weakc4.ENDS[2]
        assert position.is_over
        assert position.winner is None


def test_too_many_positions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Position("1221", width=5, height=4)
    rows = ["00000", "01234", "00000", "01234"]
    monkeypatch.setattr(weakc4, "MAX_PLY_POSITIONS", 2)
    with pytest.raises(errors.TooLargeError, match="more than 2 positions with 6 stones"):
        follow(start, squares_of(rows), KnownMoves(start.board))
    monkeypatch.setattr(weakc4, "MAX_KNOWN", 1)
    known = KnownMoves(start.board)
    for moves in ("12", "54", "13"):
        known.add(2, levels(Position(moves, width=5, height=4).key), column(0))
    with pytest.raises(errors.TooLargeError, match="more than 1 positions with 2 stones"):
        known.count()


def test_known_moves_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weakc4, "PENDING", 3)
    known = KnownMoves(BoardSize(5, 4))
    position = Position("12", width=5, height=4)
    for number in (0, 1, 2, 3, 4):
        for each in (position, position.mirrored()):
            known.add(2, levels(each.key), column(number))
    keys, columns = known.at(2)
    assert keys.tolist() == [position.canonical_key]
    assert columns.tolist() == [0 if position.key == position.canonical_key else 4]
    assert known.count() == 1
    assert known.at(4)[0].size == 0


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
    mirrored = check(solution, start.mirrored())
    assert mirrored.positions == checked.positions
    for data in (*(certificate_of(checked, rules=r) for r in (0, 63)), certificate_of(mirrored)):
        certificate = Certificate(data)
        assert (certificate.info.lower, certificate.info.upper) == (1, None)
        assert certificate.check().info.start.canonical_key == start.canonical_key
        assert "scores at least 1" in independent_checker().check(data)


@pytest.mark.parametrize(("moves", "width", "height"), STARTS[:2])
def test_changed_solutions_agree(moves: str, width: int, height: int, tmp_path: Path) -> None:
    """One entry is removed or changed; the slow check agrees with the fast one."""
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
            except errors.HoleError as error:
                outcomes.add(False)
                assert not slowly_wins(entries, diagrams, board, moves)
                check_hole(error, start)
            else:
                outcomes.add(True)
                assert slowly_wins(entries, diagrams, board, moves)
    assert outcomes == {True, False}


def check_hole(error: errors.HoleError, start: Position) -> None:
    """The line can be played, and the side that should win has not won in it."""
    position = start
    for column in error.moves:
        position = position.play(column)
    assert position.winner != start.turn
    reasons = (weakc4.UNDECIDED, NO_ENTRY, *weakc4.ENDS.values())
    line = f"{start.moves}{format_moves(error.moves)}"
    assert str(error) in {f"no win: after {line}: {reason}" for reason in reasons}


def test_unused_parts_are_reported(tmp_path: Path) -> None:
    start = Position("1211", width=4, height=5)
    entries, diagrams = small_solution(start)
    more = {**entries, "3": "3", "33": 0}
    unused = random_rows(start.board, random.Random(1))
    checked = check(read(tmp_path, more, [*diagrams, unused], start.board), start)
    assert [position.moves for position in checked.unused_entries] == ["3", "33"]
    assert checked.unused_diagrams == (len(diagrams),)
    assert checked.entries == len(entries)


def test_a_win_in_one_needs_no_entries(tmp_path: Path) -> None:
    start = Position("121212", width=4, height=4)
    checked = check(read(tmp_path, {}, [], start.board), start)
    assert checked.positions == 0
    Certificate(certificate_of(checked)).check()


def test_bad_starts_are_refused(tmp_path: Path) -> None:
    solution = read(tmp_path, {"": "4"}, [], BoardSize(7, 6))
    with pytest.raises(errors.ClaimError, match="7x6, but the start is on 4x4"):
        check(solution, Position(width=4, height=4))
    with pytest.raises(errors.ClaimError, match="the game is over"):
        check(solution, Position("1212121"))
    with pytest.raises(errors.HoleError, match=r"^no win: after 41: there is no entry"):
        check(solution, Position())
    with pytest.raises(
        errors.HoleError, match=r"^no win: after no move: there is no entry"
    ) as caught:
        check(read(tmp_path, {}, [], BoardSize(7, 6)), Position())
    assert caught.value.moves == ()
