"""Errors of solutions in WeakC4's form: of their files, and of what they leave open."""

from __future__ import annotations

from c4core.proof.errors import CertificateError


class WeakC4Error(CertificateError):
    """Base class of all errors of such solutions."""


class SolutionFileError(WeakC4Error):
    """A file is no part of a solution; the message names the file and the place in it."""


class HoleError(WeakC4Error):
    """The solution does not win against every reply.

    Attributes:
        moves: the 0-based columns that lead from the start to the hole.
    """

    def __init__(self, message: str, *, moves: tuple[int, ...]) -> None:
        super().__init__(message)
        self.moves = moves


class TooLargeError(WeakC4Error):
    """A solution leads to more positions than are held in memory."""
