from collections.abc import Iterable
from typing import Literal

from c4core.players.stopping import Stop
from c4core.position import Position

def blog_weights(
    position: Position,
    *,
    depth: int,
    scale: Literal["even", "falling", "held"],
    missed: Literal["none", "round3", "round3+"] = "none",
    missed_extra: int = 0,
    stops_early: bool = False,
    flat_later: bool = False,
    keep_wins: bool = False,
    candidates: Iterable[int] | None = None,
    stop: Stop | None = None,
) -> tuple[int | None, ...]: ...
