"""``c4core.players.playouts`` for wide boards."""

include "../playouts.pyx"
