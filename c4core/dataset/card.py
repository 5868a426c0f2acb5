"""Makes the data card of a data set."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset import card_wording as wording
from c4core.dataset.card_census import census
from c4core.dataset.neighbours import linked
from c4core.dataset.records import CARD_FORMAT, columns_of
from c4core.version import ENGINE_VERSION, __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.dataset.lots import Shares
    from c4core.dataset.neighbours import Neighbours
    from c4core.dataset.records import Array
    from c4core.dataset.sample import Sample
    from c4core.notation import BoardSize

    Json = dict[str, Any]

JSON_NAME: Final = "card.json"
PAGE_NAME: Final = "README.md"
OLD_PAGE_NAME: Final = "card.md"
"""The name of the page beside cards of format 1."""

LICENSE: Final = "cc0-1.0"
"""Scores are facts: whoever makes a data set and names no license gives them away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a data set is made. Its bytes depend only on this and on its source."""

    command: str
    """The command that makes it."""
    board: BoardSize
    source: Mapping[str, Any]
    """The source of the positions; its other fields depend on ``kind``."""
    seed: int
    count: int
    """Positions that were asked for."""
    shares: Shares
    representations: tuple[str, ...]
    neighbours: Neighbours = "keep"
    """What happens to positions of different parts that are a single move apart."""
    quiet: bool = False
    """Whether only quiet positions were taken."""
    decisive: bool = False
    """Whether only decisive positions were kept."""
    license: str = LICENSE
    """The identifier of the license under which the data set is given to others."""


def make_card(recipe: Recipe, parts: Mapping[str, Mapping[str, Array]], sample: Sample) -> Json:
    """The card, without its files.

    Args:
        recipe: how the data set was made.
        parts: the columns of every part, by its name.
        sample: the positions, and how many were drawn to find them.
    """
    positions = sum(len(records["key"]) for records in parts.values())
    board = recipe.board
    kind = str(recipe.source["kind"])
    is_together = recipe.neighbours == "together"
    return {
        "format": CARD_FORMAT,
        "title": f"{positions:,} positions of {board}, with exact scores",
        "license": recipe.license,
        "command": recipe.command,
        "board": str(board),
        "source": dict(recipe.source),
        "seed": recipe.seed,
        "asked": recipe.count,
        "positions": positions,
        "is_all": sample.is_all,
        "drawn": sample.drawn,
        "duplicates": sample.duplicates,
        "filters": {
            "quiet": recipe.quiet,
            "decisive": recipe.decisive,
            "left_out": sample.left_out,
        },
        "neighbours": {
            "choice": recipe.neighbours,
            "dropped": len(sample.keys) - positions,
            "linked": linked(
                {name: part["key"].astype(np.uint64) for name, part in parts.items()}, board
            ),
        },
        "representation": list(recipe.representations),
        "c4_version": __version__,
        "engine_version": ENGINE_VERSION,
        "columns": [
            {
                "name": column.name,
                "dtype": column.dtype.format(C=board.cells),
                "shape": column.shape,
                "unit": column.unit,
                "meaning": column.meaning,
            }
            for column in columns_of(recipe.representations)
        ],
        "split": {
            "shares": str(recipe.shares),
            "rule": wording.TOGETHER_RULE if is_together else wording.SPLIT_RULE,
        },
        "sampling": wording.SAMPLING.get(kind, ""),
        "labels": wording.LABELS,
        "orientation": wording.ORIENTATION,
        "order": wording.ORDER,
        "limitations": wording.limitations(kind, quiet=recipe.quiet, decisive=recipe.decisive),
        "splits": {name: census(records) for name, records in parts.items()},
    }


def as_text(card: Json) -> str:
    """The text of ``card.json``."""
    return json.dumps(card, indent=1) + "\n"
