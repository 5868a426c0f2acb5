"""Consent: which programs may be started as players. Without anybody's word, none.

A player's description is data. It may stand in a file, a database or a message that a stranger has
written, and ``exec:``, ``kaggle:`` and ``python:`` name programs. So consent is a value of its own,
handed down from whoever can give it, in :class:`c4core.players.Resources`, to the player that
starts the process; there is no setting that a file or a message could change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from c4core.players.errors import ProgramRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Consent:
    """Which programs may be started."""

    everything: bool = False
    """Whatever is asked for: the person at this machine trusts whoever can ask."""
    descriptions: frozenset[str] = frozenset()
    """Players that the person has named, with every parameter."""

    @classmethod
    def to(cls, descriptions: Iterable[str]) -> Self:
        """Consent to just these players: full descriptions."""
        return cls(descriptions=frozenset(descriptions))

    def covers(self, description: str) -> bool:
        """Whether a player with this full description may be started."""
        return self.everything or description in self.descriptions

    def check(self, description: str) -> None:
        """Look whether a player may be started.

        Raises:
            ProgramRefusedError: it may not.
        """
        if not self.covers(description):
            raise ProgramRefusedError(
                f"{description} is a program, and started only with --allow-programs",
                player=description.partition(":")[0],
            )


NO_PROGRAM: Final = Consent()
"""Start none: what everybody begins with."""

ANY_PROGRAM: Final = Consent(everything=True)
"""Start whatever is asked for."""
