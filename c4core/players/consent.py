"""Consent: which programs may be started as players. By default none.

A player's description is data. A stranger may have written the file, the database or the message
that contains it, and ``exec:``, ``kaggle:`` and ``python:`` name programs. So consent is a value of
its own. The caller passes it on, in :class:`c4core.players.Resources`, to the player that starts
the process. No setting in a file or a message can give consent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from c4core.players.errors import ProgramRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Consent:
    """A set of programs that may be started."""

    everything: bool = False
    """All programs may be started: the user trusts everybody whose descriptions are read."""
    descriptions: frozenset[str] = frozenset()
    """The full descriptions of players that may be started."""

    @classmethod
    def to(cls, descriptions: Iterable[str]) -> Self:
        """Consent to these players only, by their full descriptions."""
        return cls(descriptions=frozenset(descriptions))

    def covers(self, description: str) -> bool:
        """Whether a player with this full description may be started."""
        return self.everything or description in self.descriptions

    def check(self, description: str) -> None:
        """Check that a player may be started.

        Raises:
            ProgramRefusedError: the player may not be started.
        """
        if not self.covers(description):
            raise ProgramRefusedError(
                f"{description} is a program, and started only with --allow-programs",
                player=description.partition(":")[0],
            )


NO_PROGRAM: Final = Consent()
"""No program may be started: the default."""

ANY_PROGRAM: Final = Consent(everything=True)
"""Every program may be started."""
