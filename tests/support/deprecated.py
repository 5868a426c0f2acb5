"""Modules that warn when they are imported: what they have has another address now."""

DEPRECATED = ("c4core.players.base", "c4core.players.dice")
