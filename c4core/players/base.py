"""Deprecated: the former module of ``Player``. It stays for one release."""

from warnings import warn

from c4core.players.player import NO_LIMITS, GameStart, Limits, Player

__all__ = ["NO_LIMITS", "GameStart", "Limits", "Player"]

warn("import from c4core.players, not c4core.players.base", DeprecationWarning, stacklevel=2)
