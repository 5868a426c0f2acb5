from collections.abc import Sequence
from typing import Literal, NamedTuple

from c4core.players.stopping import Stop
from c4core.position import Position

class Found(NamedTuple):
    column: int
    value: int
    depth: int
    nodes: int
    scores: tuple[int | None, ...] | None

def minimax(
    position: Position,
    *,
    heuristic: str,
    depth: int,
    order: Sequence[int],
    root_order: Sequence[int] | None = None,
    win: int,
    prunes: bool = True,
    pvs: bool = False,
    killer_moves: bool = False,
    wins_at_once: bool = False,
    all_scores: bool = False,
    deepens: bool = False,
    keep_answer_if_lost: bool = False,
    stop_when_decided: bool = True,
    seconds: float | None = None,
    cache: Literal["off", "exact", "mirror", "zobrist"] = "off",
    cache_size: int = 0,
    features: str = "1234",
    stop: Stop | None = None,
) -> Found: ...
