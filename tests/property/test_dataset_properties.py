"""Data set splits: mirror images and transpositions share a part, and positions have lines."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from c4core import BoardSize, Position
from c4core.arrays import are_over, split_keys, squares_of
from c4core.dataset.lots import CHOICES, SPLITS, Shares, are_mirrored, divide, linked, split_of
from c4core.dataset.records import line_to
from tests.support.boards.positions import games

SEEDS = st.integers(0, 2**63 - 1)
SHARES = st.builds(Shares, *[st.integers(1, 100)] * 3)


def part(position: Position, seed: int, shares: Shares) -> int:
    keys = np.array([position.canonical_key], dtype=np.uint64)
    return int(split_of(keys, seed, shares)[0])


@given(game=games(minimum=4), seed=SEEDS, shares=SHARES)
def test_a_mirror_image_is_in_the_same_part(
    game: tuple[Position, str], seed: int, shares: Shares
) -> None:
    position, _ = game
    assert part(position, seed, shares) == part(position.mirrored(), seed, shares)


@given(game=games(minimum=4), seed=SEEDS, shares=SHARES)
def test_a_transposition_is_in_the_same_part(
    game: tuple[Position, str], seed: int, shares: Shares
) -> None:
    position, moves = game
    if position.is_over:
        return
    width, height = position.board
    other = Position(line_to(position), width=width, height=height)
    played = Position(moves, width=width, height=height)
    assert other == played
    assert part(other, seed, shares) == part(played, seed, shares)


@given(found=st.lists(games(minimum=4, max_cells=20), min_size=1), seed=SEEDS, shares=SHARES)
def test_a_position_is_split_independently_of_the_others(
    found: list[tuple[Position, str]], seed: int, shares: Shares
) -> None:
    keys = np.array([position.canonical_key for position, _ in found], dtype=np.uint64)
    for decide in (
        lambda some: split_of(some, seed, shares),
        lambda some: are_mirrored(some, seed),
    ):
        together = decide(keys).tolist()
        assert together == [decide(keys[index : index + 1])[0] for index in range(len(keys))]


@given(game=games())
def test_bit_words_match_the_positions(game: tuple[Position, str]) -> None:
    position, _ = game
    keys = np.array([position.key], dtype=np.uint64)
    to_move, taken = split_keys(keys, position.board)
    own, both = (squares_of(words, position.board)[0] for words in (to_move, taken))
    for column in range(position.width):
        for row in range(position.height):
            stone = position.stone_at(column, row)
            assert both[row, column] == (stone is not None)
            assert own[row, column] == (stone == position.turn)
    assert are_over(keys, position.board).tolist() == [position.is_over]


@given(found=st.lists(games(minimum=4, max_cells=20), min_size=1), seed=SEEDS, shares=SHARES)
def test_positions_and_neighbours_are_in_one_part_only(
    found: list[tuple[Position, str]], seed: int, shares: Shares
) -> None:
    """Tests all positions of a game and their mirror images."""
    board = found[0][0].board
    keys = sorted(
        {
            each.canonical_key
            for position, moves in found
            if position.board == board
            for each in along(moves, board)
        }
    )
    different = np.array(keys, dtype=np.uint64)
    for choice in CHOICES:
        is_kept, places = divide(different, board, seed, shares, choice)
        kept = different[is_kept]
        parts = {name: kept[places == index] for index, name in enumerate(SPLITS)}
        assert sum(map(len, parts.values())) == len(set(kept.tolist())) == is_kept.sum()
        assert is_kept.all() or choice == "drop"
        assert choice == "keep" or not any(linked(parts, board).values())


def along(moves: str, board: BoardSize) -> list[Position]:
    """The positions of a game, and their mirror images, that are not over."""
    width, height = board
    played = [Position(moves[:ply], width=width, height=height) for ply in range(len(moves) + 1)]
    both = [image for position in played for image in (position, position.mirrored())]
    return [position for position in both if not position.is_over]
