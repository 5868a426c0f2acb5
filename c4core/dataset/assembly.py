"""Makes the columns of every part from labelled positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.dataset.lots import SPLITS, in_order
from c4core.dataset.neighbours import divide
from c4core.dataset.records import make_records

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from c4core.dataset.card import Recipe
    from c4core.dataset.records import Array


def split_records(
    keys: NDArray[np.uint64], column_scores: NDArray[np.int8], recipe: Recipe
) -> dict[str, dict[str, Array]]:
    """The columns of every part that has a share, by its name.

    Args:
        keys: different canonical keys; their order does not change the result.
        column_scores: a row for each key, in the orientation of the canonical position.
        recipe: the seed, the shares, the choice about neighbours and the representations.

    Raises:
        DatasetError: no line of moves leads to a position that is represented by moves.
    """
    order = in_order(keys, recipe.seed)
    keys, column_scores = keys[order], column_scores[order]
    is_kept, places = divide(keys, recipe.board, recipe.seed, recipe.shares, recipe.neighbours)
    keys, column_scores = keys[is_kept], column_scores[is_kept]
    return {
        name: make_records(
            keys[places == SPLITS.index(name)],
            column_scores[places == SPLITS.index(name)],
            board=recipe.board,
            seed=recipe.seed,
            representations=recipe.representations,
        )
        for name in recipe.shares.names()
    }
