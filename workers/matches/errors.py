"""What can be wrong with matches and games."""

from __future__ import annotations

from c4core.errors import C4Error


class MatchTermsError(C4Error, ValueError):
    """A match that cannot be played: no games, a board that is too small, a start that is over."""


class GameImportError(C4Error, ValueError):
    """A game that cannot be: moves that are illegal, or an end that does not fit them."""


class GameNotReplayableError(C4Error, ValueError):
    """A game that cannot be played again: its seed is not known, or its players are not."""
