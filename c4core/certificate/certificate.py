"""``Certificate``: a file, and the check whether it is a proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from c4core.certificate.errors import CertificateDamagedError, CertificateError
from c4core.certificate.layout import HEADER_BYTES, check_header, unpack
from c4core.certificate.proof import Proof, ProofHalf
from c4core.certificate.walk import Half
from c4core.files import check_plain

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from c4core.certificate.layout import CertificateInfo, HalfInfo
    from c4core.certificate.proof import Ply
    from c4core.position import Side


class Certificate:
    """A certificate whose bytes are whole. Whether it proves anything :meth:`check` says.

    Args:
        data: the whole file.
        path: its name, for messages.

    Raises:
        CertificateForeignError: it is no certificate, or one of another version.
        CertificateDamagedError: its bytes contradict each other.
    """

    def __init__(self, data: bytes, *, path: str | None = None) -> None:
        self.path = path
        try:
            self._info, self._codes = unpack(data)
        except CertificateError as error:
            raise _named(error, path) from None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file.

        Raises:
            CertificateForeignError: it is no certificate, or one of another version.
            CertificateDamagedError: its bytes contradict each other.
            OSError: it cannot be read.
        """
        file = Path(path)
        check_plain(file)
        with file.open("rb") as stream:
            header = stream.read(HEADER_BYTES)
            try:
                check_header(header, file.stat().st_size)
            except CertificateError as error:
                raise _named(error, str(path)) from None
            return cls(header + stream.read(), path=str(path))

    @property
    def info(self) -> CertificateInfo:
        """What the certificate says about itself."""
        return self._info

    def check(
        self,
        progress: Callable[[int], object] = lambda _positions: None,
        *,
        prover: Side | None = None,
    ) -> Proof:
        """Check the proof, without any search.

        Args:
            progress: is called now and then with the number of positions checked so far in a half.
            prover: only what this side proves is checked, and is in the proof; None for everything.

        Returns:
            The proof, which can be asked about its positions.

        Raises:
            CertificateWrongError: it proves nothing; says where it fails.
            CertificateDamagedError: it has more or fewer positions than it says.
        """
        try:
            halves = [
                self._check_half(half, code, progress)
                for half, code in zip(self.info.halves, self._codes, strict=True)
                if prover in {None, self.info.prover(upper=half.upper)}
            ]
        except CertificateError as error:
            raise _named(error, self.path) from None
        return Proof(self.info, tuple(halves))

    def _check_half(
        self, said: HalfInfo, code: bytes, progress: Callable[[int], object]
    ) -> ProofHalf:
        half = Half(
            self.info.start, upper=said.upper, bound=said.bound, rules=self.info.rules, code=code
        )
        first = self.info.start.ply
        keys = half.first()
        plies: list[Ply] = []
        done = 0
        while keys.size:
            ply = first + len(plies)
            if len(plies) >= len(said.plies) or said.plies[len(plies)] != len(keys):
                raise CertificateDamagedError(
                    f"wrong: ply {ply} has {len(keys):,} positions, and the file says otherwise"
                )
            values = half.read(keys, ply=ply)
            plies.append((keys, values))
            keys = half.follow(keys, values, ply=ply)
            done += len(values)
            progress(done)
        if len(plies) != len(said.plies):
            raise CertificateDamagedError(
                f"wrong: the proof ends after {len(plies)} plies, and the file says otherwise"
            )
        if not half.is_read():
            raise CertificateDamagedError("wrong: something is left when the proof is complete")
        return ProofHalf(half.upper, half.bound, half.least, tuple(plies))


def _named(error: CertificateError, path: str | None) -> CertificateError:
    """The error with the file's name in front of it."""
    if path is not None and error.path is None:
        error.path = path
        error.args = (f"{path}: {error.args[0]}", *error.args[1:])
    return error
