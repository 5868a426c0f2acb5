"""Exact values of every reachable position of a small board, by minimax over whole plies.

This code shares nothing with the search. It enumerates positions ply by ply and computes values
backwards from the end, with numpy arrays of whole plies.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


def split_keys(keys: Words, width: int, height: int) -> tuple[Words, Words]:
    """The stones of the side to move, and of both sides, for every key."""
    mask = np.zeros_like(keys)
    for column in range(width):
        shift = np.uint64(column * (height + 1))
        bits = (keys >> shift) & np.uint64((2 << height) - 1)
        for step in (1, 2, 4, 8):
            bits |= bits >> np.uint64(step)
        mask |= (bits >> np.uint64(1)) << shift
    return keys & mask, mask


def fours(stones: Words, height: int) -> NDArray[np.bool_]:
    """Whether each word contains four in a row."""
    found = np.zeros(stones.shape, dtype=bool)
    for step in (1, height, height + 1, height + 2):
        pairs = stones & (stones >> np.uint64(step))
        found |= (pairs & (pairs >> np.uint64(2 * step))) != 0
    return found


def mirrored(keys: Words, width: int, height: int) -> Words:
    stride = height + 1
    result = np.zeros_like(keys)
    for column in range(width):
        bits = (keys >> np.uint64(column * stride)) & np.uint64((2 << height) - 1)
        result |= bits << np.uint64((width - 1 - column) * stride)
    return result


def plies(*, width: int = 7, height: int = 6, canonical: bool = False) -> Iterator[Words]:
    """The sorted keys of all reachable positions, finished games included, for each ply."""
    stride = height + 1
    bottom = np.uint64(sum(1 << (column * stride) for column in range(width)))
    keys = np.array([bottom], dtype=np.uint64)
    while keys.size:
        yield keys
        stones, mask = split_keys(keys, width, height)
        is_open = ~fours(stones ^ mask, height)
        stones, mask = stones[is_open], mask[is_open]
        children = []
        for column in range(width):
            has_room = (mask & np.uint64(1 << (column * stride + height - 1))) == 0
            before = mask[has_room]
            after = before | (before + np.uint64(1 << (column * stride)))
            found = (stones[has_room] ^ before) | (after + bottom)
            children.append(
                np.minimum(found, mirrored(found, width, height)) if canonical else found
            )
        keys = np.unique(np.concatenate(children))


def exhaustive_scores(width: int, height: int) -> list[tuple[Words, NDArray[np.int8]]]:
    """The sorted canonical keys of all reachable positions, and their scores, for each ply."""
    stride, cells = height + 1, width * height
    bottom = np.uint64(sum(1 << (column * stride) for column in range(width)))
    levels = list(plies(width=width, height=height, canonical=True))
    result: list[tuple[Words, NDArray[np.int8]]] = []
    for ply in range(len(levels) - 1, -1, -1):
        keys = levels[ply]
        stones, mask = split_keys(keys, width, height)
        lost = fours(stones ^ mask, height)
        scores = np.full(keys.shape, -cells, dtype=np.int8)
        for column in range(width):
            top = np.uint64(1 << (column * stride + height - 1))
            playable = ((mask & top) == 0) & ~lost
            if not playable.any():
                continue
            children = mask[playable]
            child_stones = stones[playable] ^ children
            children = children | (children + np.uint64(1 << (column * stride)))
            child_keys = child_stones | (children + bottom)
            child_keys = np.minimum(child_keys, mirrored(child_keys, width, height))
            known_keys, known = result[-1]
            values = -known[np.searchsorted(known_keys, child_keys)]
            scores[playable] = np.maximum(scores[playable], values)
        scores[lost] = -((cells + 2 - ply) // 2)
        if ply == cells:
            scores[~lost] = 0
        result.append((keys, scores))
    return result[::-1]
