"""``c4core.players.blog`` for wide boards."""

include "../blog.pyx"
