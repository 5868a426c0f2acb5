"""Properties of every position on every board."""

from hypothesis import given, strategies as st

from c4core import Position
from tests.support.boards.positions import boards, games
from tests.support.boards.reference import columns_of, has_won


@given(games(every=True))
def test_texts_keys_and_grids_round_trip(game: tuple[Position, str]) -> None:
    position, moves = game
    board = position.board
    for again in (
        Position(moves, board=board),
        Position.from_grid(str(position), board=board),
        Position.from_key(position.key, board=board),
        position.mirrored().mirrored(),
    ):
        assert again == position
    assert position.moves == moves
    assert position.ply == len(moves) == sum(position.heights)
    assert position.key < 1 << position.width * (position.height + 1)
    mirrored = position.mirrored()
    assert Position.from_key(position.canonical_key, board=board) in (position, mirrored)
    assert position.canonical_key == mirrored.canonical_key == min(position.key, mirrored.key)
    assert mirrored.heights == position.heights[::-1]
    assert (mirrored.winner, mirrored.ply) == (position.winner, position.ply)


@given(games(every=True))
def test_winner_agrees_with_a_check_of_every_line(game: tuple[Position, str]) -> None:
    position, _ = game
    columns = columns_of(position)
    for side in "xo":
        assert (position.winner == side) == has_won(columns, side)
    is_full = position.ply == position.width * position.height
    assert position.is_over == (position.winner is not None or is_full)
    squares = position.winning_squares()
    assert bool(squares) == (position.winner is not None)
    assert all(position.stone_at(*square) == position.winner for square in squares)
    for column in range(-1, position.width + 1):
        assert position.is_legal(column) == (column in position.legal_columns())
    for column in position.legal_columns():
        assert position.is_winning(column) == (position.play(column).winner is not None)


@given(boards(every=True), st.integers(-(2**129), 2**129))
def test_any_number_is_a_position_or_a_value_error(size: tuple[int, int], number: int) -> None:
    try:
        position = Position.from_key(number, board=size)
    except ValueError as error:
        assert str(number) in str(error)  # noqa: PT017
    else:
        assert position.key == number
