"""Properties of every position on every board."""

from hypothesis import given
from hypothesis import strategies as st

from c4core import Position
from tests.support.boards.positions import boards, games
from tests.support.boards.reference import columns_of, has_won


@given(games(every=True))
def test_keys_and_grids_round_trip(game: tuple[Position, str]) -> None:
    position, _ = game
    size = {"width": position.width, "height": position.height}
    assert Position.from_grid(str(position), **size) == position
    assert Position.from_key(position.key, **size) == position
    assert position.key < 1 << position.width * (position.height + 1)
    canonical = Position.from_key(position.canonical_key, **size)
    assert canonical in (position, position.mirrored())
    assert position.canonical_key == min(position.key, position.mirrored().key)


@given(games(every=True))
def test_text_and_columns_agree(game: tuple[Position, str]) -> None:
    position, moves = game
    assert Position(moves, width=position.width, height=position.height) == position
    assert position.moves == moves
    assert position.ply == len(moves) == sum(position.heights)


@given(games(every=True))
def test_mirror_is_its_own_inverse(game: tuple[Position, str]) -> None:
    position, _ = game
    mirrored = position.mirrored()
    assert mirrored.mirrored() == position
    assert mirrored.canonical_key == position.canonical_key
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
    assert bool(position.winning_squares()) == (position.winner is not None)
    assert all(
        position.stone_at(*square) == position.winner for square in position.winning_squares()
    )


@given(games(every=True))
def test_play_accepts_exactly_the_legal_columns(game: tuple[Position, str]) -> None:
    position, _ = game
    for column in range(-1, position.width + 1):
        assert position.is_legal(column) == (column in position.legal_columns())
    for column in position.legal_columns():
        after = position.play(column)
        assert position.is_winning(column) == (after.winner is not None)


@given(boards(every=True), st.text(max_size=12))
def test_any_text_is_a_position_or_a_value_error(size: tuple[int, int], text: str) -> None:
    width, height = size
    try:
        position = Position(text, width=width, height=height)
    except ValueError as error:
        assert str(error).startswith("move ")  # noqa: PT017
    else:
        assert position.ply == len(text)


@given(boards(every=True), st.integers(-(2**129), 2**129))
def test_any_number_is_a_position_or_a_value_error(size: tuple[int, int], number: int) -> None:
    width, height = size
    try:
        position = Position.from_key(number, width=width, height=height)
    except ValueError as error:
        assert str(number) in str(error)  # noqa: PT017
    else:
        assert position.key == number


@given(st.text(alphabet=".xo/\nz ", max_size=60))
def test_any_grid_is_a_position_or_a_value_error(text: str) -> None:
    try:
        position = Position.from_grid(text)
    except ValueError as error:
        assert str(error)  # noqa: PT017
    else:
        assert Position.from_grid(str(position)) == position
