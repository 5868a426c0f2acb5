"""Deprecated: the former module of ``Dice``. It stays for one release."""

from warnings import warn

from c4core.dice import Dice

__all__ = ["Dice"]

warn("import Dice from c4core.dice, not c4core.players.dice", DeprecationWarning, stacklevel=2)
