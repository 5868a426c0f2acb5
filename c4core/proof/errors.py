"""Errors of certificates: their files, claims without a proof, and imported solutions."""

from __future__ import annotations

from c4core.errors import C4Error


class CertificateError(C4Error):
    """Base class of all errors of certificates.

    Attributes:
        path: the file; None if the error is not about a file.
    """

    path: str | None = None


class CertificateMissingError(CertificateError, ValueError):
    """No certificate of this board is shipped."""


class CertificateForeignError(CertificateError):
    """The file is not a certificate, or is one of a newer format."""


class CertificateDamagedError(CertificateError):
    """The file's bytes contradict its checksum, its format or each other."""


class CertificateWrongError(CertificateError):
    """The file is intact, but it does not prove its claim.

    Attributes:
        key: the canonical key of the position where the proof fails.
        ply: the number of stones on its board.
    """

    def __init__(self, message: str, *, key: int, ply: int) -> None:
        super().__init__(message)
        self.key = key
        self.ply = ply


class ClaimError(CertificateError, ValueError):
    """A claim is false, or no certificate can be made of it."""


class ProvingStoppedError(CertificateError):
    """The search for a proof was stopped."""


class WeakC4Error(CertificateError):
    """Base class of all errors of solutions in WeakC4's form."""


class SolutionFileError(WeakC4Error):
    """A file is not part of a solution; the message names the file and the place in it."""


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
