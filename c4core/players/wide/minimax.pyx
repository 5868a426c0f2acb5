"""``c4core.players.minimax`` for wide boards."""

include "../minimax.pyx"
