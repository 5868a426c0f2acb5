"""``c4core.players.heuristics`` for wide boards."""

include "../heuristics.pxd"
