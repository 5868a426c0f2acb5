"""Hypothesis strategies for boards and for positions that play can reach."""

from collections.abc import Sequence

from hypothesis import strategies as st

from c4core import Position
from c4core.notation import (
    MAX_BITS,
    MAX_HEIGHT,
    MAX_WIDTH,
    NARROW_BITS,
    NARROW_HEIGHT,
    format_moves,
)

EVERY_SIZE = [
    (width, height)
    for width in range(1, MAX_WIDTH + 1)
    for height in range(1, MAX_HEIGHT + 1)
    if width * (height + 1) <= MAX_BITS
]
SIZES = [
    (width, height)
    for width, height in EVERY_SIZE
    if width <= 16 and height <= min(15, NARROW_HEIGHT) and width * (height + 1) <= NARROW_BITS
]


def boards(
    *, minimum: int = 1, max_cells: int = MAX_BITS, every: bool = False
) -> st.SearchStrategy[tuple[int, int]]:
    """Board sizes (width, height), small ones first; wide boards only with ``every``."""
    sizes = [
        (width, height)
        for width, height in (EVERY_SIZE if every else SIZES)
        if min(width, height) >= minimum and width * height <= max_cells
    ]
    return st.sampled_from(sorted(sizes, key=lambda size: size[0] * size[1]))


@st.composite
def games(
    draw: st.DrawFn,
    *,
    minimum: int = 1,
    max_cells: int = MAX_BITS,
    max_empty: int | None = None,
    every: bool = False,
    sizes: Sequence[tuple[int, int]] | None = None,
) -> tuple[Position, str]:
    """A position and the moves that lead to it, by random legal play on a random board.

    Play goes on until at most ``max_empty`` squares are empty or the game is over; with None, it
    stops anywhere. With ``every``, wide boards are included. With ``sizes``, the
    board is one of these.
    """
    width, height = draw(
        boards(minimum=minimum, max_cells=max_cells, every=every)
        if sizes is None
        else st.sampled_from(sizes)
    )
    cells = width * height
    if max_empty is None:
        plies = draw(st.integers(0, cells))
    else:
        plies = draw(st.integers(max(0, cells - max_empty), cells))
    choices = draw(st.binary(min_size=plies, max_size=plies))
    position, columns = Position(board=(width, height)), []
    for choice in choices:
        legal = position.legal_columns()
        if not legal:
            break
        columns.append(legal[choice % len(legal)])
        position = position.play(columns[-1])
    return position, format_moves(columns)
