"""Data set splits: mirror images and transpositions share a part, and positions have lines."""

import numpy as np
from hypothesis import given, strategies as st

from c4core import Position
from c4core.arrays import are_over, split_keys, squares_of
from c4core.dataset.lots import Shares, are_mirrored, split_of
from c4core.dataset.records import line_to
from tests.support.boards.positions import games

SEEDS = st.integers(0, 2**63 - 1)
SHARES = st.builds(Shares, *[st.integers(1, 100)] * 3)


@given(game=games(minimum=4), seed=SEEDS, shares=SHARES)
def test_mirror_images_and_transpositions_are_in_the_same_part(
    game: tuple[Position, str], seed: int, shares: Shares
) -> None:
    position, moves = game
    width, height = position.board
    images = [position, position.mirrored(), Position(moves, width=width, height=height)]
    if not position.is_over:
        images.append(Position(line_to(position), width=width, height=height))
        assert images[-1] == position
    keys = np.array([image.canonical_key for image in images], dtype=np.uint64)
    assert len(set(split_of(keys, seed, shares).tolist())) == 1


@given(found=st.lists(games(minimum=4, max_cells=20), min_size=1), seed=SEEDS, shares=SHARES)
def test_a_position_is_split_independently_of_the_others(
    found: list[tuple[Position, str]], seed: int, shares: Shares
) -> None:
    keys = np.array([position.canonical_key for position, _ in found], dtype=np.uint64)
    singles = [keys[index : index + 1] for index in range(len(keys))]
    together = split_of(keys, seed, shares).tolist()
    assert together == [split_of(key, seed, shares)[0] for key in singles]
    assert are_mirrored(keys, seed).tolist() == [are_mirrored(key, seed)[0] for key in singles]


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
