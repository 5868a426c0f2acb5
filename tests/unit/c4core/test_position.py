"""Positions: creation, moves, the end of the game, keys, grids, and errors about bad input."""

import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import BoardSize, Position
from c4core.errors import BoardError, GridError, MoveError
from tests.support.refused import refused

GRID_4453 = """\
.......
.......
.......
.......
...o...
..oxx.."""


def test_empty_board() -> None:
    position = Position()
    assert (position.ply, position.turn, position.board) == (0, "x", BoardSize(7, 6))
    assert position.legal_columns() == (0, 1, 2, 3, 4, 5, 6)
    assert position.heights == (0,) * 7
    assert (position.is_over, position.winner) == (False, None)
    after = position.play(3)
    assert position == Position("")
    assert (after, after.turn) == (Position("4"), "o")


def test_keys_of_large_boards() -> None:
    assert Position().key == sum(1 << 7 * column for column in range(7))
    position = Position("8" * 7, board="8x7")
    assert position.key >> 63 == 1
    assert Position.from_key(position.key, board="8x7") == position


@pytest.mark.parametrize(
    ("moves", "squares"),
    [
        ("1212121", ((0, 0), (0, 1), (0, 2), (0, 3))),
        ("1122334", ((0, 0), (1, 0), (2, 0), (3, 0))),
        ("12233434414", ((0, 0), (1, 1), (2, 2), (3, 3))),
        ("76655454474", ((3, 3), (4, 2), (5, 1), (6, 0))),
    ],
)
def test_four_in_a_row_ends_the_game(moves: str, squares: tuple[tuple[int, int], ...]) -> None:
    before, over = Position(moves[:-1]), Position(moves)
    assert not before.is_over
    assert before.is_winning(int(moves[-1]) - 1)
    assert (over.is_over, over.winner, over.legal_columns()) == (True, "x", ())
    assert over.winning_squares() == squares
    with pytest.raises(MoveError, match="after the end of the game"):
        over.play(6)


def test_lines_do_not_wrap_around_the_columns() -> None:
    # Three on top of column 1 and one at the bottom of column 2 are neighbours in the bits only.
    assert Position.from_grid("x..../x..../x..../oo.../oxx../xoxoo").winner is None


def test_bad_moves_are_refused(snapshot: SnapshotAssertion) -> None:
    found = {}
    for moves in ("8", "4444444", "12121212", "44?"):
        with pytest.raises(MoveError) as caught:
            Position(moves)
        found[moves] = (caught.value.kind, caught.value.index, str(caught.value))
    assert found == snapshot
    assert isinstance(caught.value, ValueError)
    with pytest.raises(TypeError, match="from_columns"):
        Position([3, 3])  # type: ignore[arg-type]  # the mistake under test
    assert Position(np.str_("4453")) == Position("4453")
    position = Position("444444")
    for column, kind in ((-1, "range"), (7, "range"), (3, "full")):
        assert not position.is_legal(column)
        with pytest.raises(MoveError) as caught:
            position.play(column)
        assert (caught.value.kind, caught.value.column) == (kind, column)


def test_columns_must_be_integers() -> None:
    position = Position("44")
    wrong: tuple[Any, ...] = (3.0, 3.9, "3", None, Decimal(3))
    for number in wrong:
        for call in (
            position.play,
            position.is_legal,
            position.is_winning,
            lambda column: position.stone_at(column, 0),
            lambda column: Position.from_columns([column]),
            lambda width: Position(board=(width, 6)),
            lambda height: Position(board=(7, height)),
            lambda width: Position.from_key(0, board=(width, 6)),
        ):
            with pytest.raises(TypeError, match="integer"):
                call(number)
    assert Position().play(np.int8(3)).play(True) == Position("42")
    assert Position(board=(np.uint64(8), 6)).board == (8, 6)


def test_boards_are_sizes_pairs_or_text() -> None:
    sizes: tuple[Any, ...] = (BoardSize(5, 4), (5, 4), "5x4", " 5 X 4 ", np.str_("5x4"))
    assert {Position("12", board=size) for size in sizes} == {Position("12", board="5x4")}
    wrong: tuple[Any, ...] = ([5, 4], (5,), (5, 4, 3), 5, None, b"5x4")
    for size in wrong:
        with pytest.raises(TypeError, match="a board is a BoardSize or a text"):
            Position("12", board=size)
    with pytest.raises(BoardError, match="not a board size: '5'"):
        Position("12", board="5")


def test_numbers_of_any_size() -> None:
    position = Position("44")
    for number in (2**31 - 1, 2**31, 2**40, 2**63, 10**20, -(10**20)):
        assert not position.is_legal(number)
        for call in (position.play, lambda column: Position.from_columns([column])):
            with pytest.raises(MoveError, match=f"column number {number + 1} is outside") as caught:
                call(number)
            assert caught.value.column == number
        with pytest.raises(IndexError):
            position.stone_at(number, 0)
        for board in ((number, 6), (7, number)):
            with pytest.raises(BoardError):
                Position(board=board)


def test_grid_round_trip_and_separators() -> None:
    position = Position.from_grid(GRID_4453)
    assert position == Position("4453")
    assert Position.from_grid(GRID_4453.replace("\n", "/").upper()) == position
    assert Position.from_grid(" ".join(GRID_4453)) == position


def test_bad_grids_are_refused(snapshot: SnapshotAssertion) -> None:
    grids = (
        "....\n...",
        "....\n..z.",
        "x...\n....",
        "....\nxx..",
        "....\no...",
        # Both have won: one of the two wins came first and ended the game.
        ".....\noooo.\nxxxx.\nxoxo.",
    )
    messages = []
    for grid in grids:
        board = grid.index("\n"), grid.count("\n") + 1
        messages.append(refused(Position.from_grid, grid, error=GridError, board=board))
    assert messages == snapshot


def test_the_size_of_a_small_grid_has_to_be_given() -> None:
    for grid in ("", "x", "....\n....", "...\n...\n...\n..."):
        with pytest.raises(GridError, match="give the board"):
            Position.from_grid(grid)
        with pytest.raises(GridError, match="the board is 7x6"):
            Position.from_grid(grid, board="7x6")


def test_repr_and_pickle_round_trip() -> None:
    key = Position("44").key
    no_moves = Position.from_grid("....\n....\nx...", board="4x3").play(1)
    for position, shown in (
        (Position("4453"), "Position('4453')"),
        (Position(), "Position()"),
        (Position("12345678", board="8x7"), "Position('12345678', board='8x7')"),
        (Position(board="5x4"), "Position(board='5x4')"),
        (Position("44").play(0).play(6), "Position('4417')"),
        (Position("441").mirrored(), "Position('447')"),
        (Position.from_columns([3, 3, 0]), "Position('441')"),
        (Position.from_columns([9, 10], board="11x4"), "Position('ab', board='11x4')"),
        (Position.from_grid(str(Position())).play(2), "Position('3')"),
        (Position("1212121"), "Position('1212121')"),
        (Position.from_key(key), f"Position.from_key({key})"),
        (no_moves, f"Position.from_key({no_moves.key}, board='4x3')"),
    ):
        assert repr(position) == shown
        for again in (
            eval(repr(position), {"Position": Position}),  # noqa: S307
            pickle.loads(pickle.dumps(position)),  # noqa: S301
        ):
            assert again == position
            assert repr(again) == shown
            assert again.moves == position.moves


def test_equal_positions_may_have_different_moves() -> None:
    one, other, third = Position("123"), Position("321"), Position.from_key(Position("123").key)
    assert one == other == third
    assert len({one, other, third}) == 1
    assert (one.moves, other.moves, third.moves) == ("123", "321", None)
    assert third.play(0).moves is third.mirrored().moves is None
    assert one != Position("132")
    assert one != Position("321", board="8x6")
    assert Position() != "anything else"
    assert Position().__eq__("anything else") is NotImplemented


def test_positions_cannot_be_changed() -> None:
    position = Position("44")
    with pytest.raises(AttributeError):
        setattr(position, "ply", 3)  # noqa: B010  (the type checker would find this mistake)
    for made in (position, position.play(3), Position.from_key(position.key)):
        with pytest.raises(TypeError, match="immutable"):
            Position.__init__(made, "45")
    assert position == Position("44")
    assert Position.__new__(Position) == Position()


def test_arrays_round_trip() -> None:
    for moves, width, height in (("", 7, 6), ("4453", 7, 6), ("1122334", 7, 6), ("9ab", 12, 4)):
        position = Position(moves, board=(width, height))
        squares = position.to_array()
        assert (squares.shape, squares.dtype) == ((height, width), np.int8)
        drawn = "\n".join("".join(".xo"[square] for square in row) for row in squares)
        assert drawn == str(position)
        signed = np.where(squares == 2, -1, squares).astype(float)
        for array in (squares, signed):
            assert Position.parse(array, board=(width, height)) == position


def test_facts() -> None:
    position = Position("1122334")
    facts = position.to_dict()
    assert (facts["board"], facts["moves"], facts["ply"]) == ("7x6", "1122334", 7)
    assert (facts["side"], facts["over"], facts["winner"]) == ("o", True, "x")
    assert Position.from_grid(str(facts["grid"])) == position
    assert Position.from_key(int(facts["key"] or 0)) == position
