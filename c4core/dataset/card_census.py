"""The numbers of positions of a data set's parts: by value, by ply, and of special kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from c4core.dataset.records import Array

    Json = dict[str, Any]

OUTCOMES: Final = {"win": 1, "draw": 0, "loss": -1}
"""The values for the side to move, by name."""

TRAITS: Final = ("win_in_one", "forced_block", "quiet", "decisive", "quiet_decisive")
"""Special kinds of positions, in cards from format 2 on. A forced block is a position without a win
in one, in which the opponent threatens to win with its next stone."""


def counted(card_format: int) -> tuple[str, ...]:
    """The names of the numbers in a part of a card of this format."""
    return ("positions", *OUTCOMES, *(TRAITS if card_format > 1 else ()))


def census(records: Mapping[str, Array]) -> Json:
    """The numbers of positions of a part, by value, by ply, and by trait if it has the columns."""
    plies = records["ply"]
    rows = {"positions": np.ones(len(plies), dtype=np.bool_), **_kinds(records)}
    return {
        **{name: int(row.sum()) for name, row in rows.items()},
        "plies": [
            {"ply": ply, **{name: int(row[plies == ply].sum()) for name, row in rows.items()}}
            for ply in np.unique(plies).tolist()
        ],
    }


def _kinds(records: Mapping[str, Array]) -> dict[str, Any]:
    """Which positions are of which value and which trait, by name."""
    values = records["value"]
    kinds = {name: values == value for name, value in OUTCOMES.items()}
    if "quiet" in records:
        quiet, decisive = records["quiet"] == 1, records["decisive"] == 1
        wins = kinds["win"] & (records["distance"] == 1)
        traits = (wins, ~(quiet | wins), quiet, decisive, quiet & decisive)
        kinds |= dict(zip(TRAITS, traits, strict=True))
    return kinds


def total(splits: Mapping[str, Json]) -> Json:
    """The :func:`census` of all parts together."""
    rows = [row for part in splits.values() for row in part["plies"]]
    plies = sorted({row["ply"] for row in rows})
    return {
        **_sum(list(splits.values())),
        "plies": [
            {"ply": ply, **_sum([row for row in rows if row["ply"] == ply])} for ply in plies
        ],
    }


def _sum(tallies: Sequence[Json]) -> Json:
    names = [name for name in counted(2) if any(name in each for each in tallies)]
    return {name: sum(each[name] for each in tallies) for name in names}
