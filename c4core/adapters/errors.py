"""What is wrong with what another package has handed over."""

from __future__ import annotations

from c4core.errors import C4Error


class AdapterError(C4Error, ValueError):
    """A foreign observation, state or setting that is none of a game that is played here.

    Attributes:
        field: the part of it that is wrong, by the name that the other package has for it.
    """

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field
