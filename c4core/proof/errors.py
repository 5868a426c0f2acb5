"""Errors of certificates: of their files, and of claims that cannot be proven."""

from __future__ import annotations

from c4core.errors import C4Error


class CertificateError(C4Error):
    """Base class of all errors of certificates.

    Attributes:
        path: the file, or None where the error concerns none.
    """

    path: str | None = None


class CertificateMissingError(CertificateError, ValueError):
    """No certificate of this board is shipped."""


class CertificateForeignError(CertificateError):
    """The file is no certificate, or one of a newer format."""


class CertificateDamagedError(CertificateError):
    """The file's bytes contradict its checksum, its format or each other."""


class CertificateWrongError(CertificateError):
    """The file is whole, but what it says is no proof of its claim.

    Attributes:
        key: the canonical key of the position where the proof fails.
        ply: its stones.
    """

    def __init__(self, message: str, *, key: int, ply: int) -> None:
        super().__init__(message)
        self.key = key
        self.ply = ply


class ClaimError(CertificateError, ValueError):
    """A claim that is not true, or that no certificate can be made of."""


class ProvingStoppedError(CertificateError):
    """Somebody has stopped the search for a proof."""
