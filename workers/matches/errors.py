"""Errors about matches and games."""

from __future__ import annotations

from c4core.errors import C4Error


class MatchTermsError(C4Error, ValueError):
    """A match that cannot be played: no games, a board that is too small, a start that is over."""


class GameImportError(C4Error, ValueError):
    """A game that is impossible: its moves are illegal, or its end does not fit them."""


class GameNotReplayableError(C4Error, ValueError):
    """A game that cannot be played again: its seed or its players are not known."""
