"""The certificate that a job of kind ``prove`` has found, put together from its units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.proof.errors import ClaimError
from c4core.proof.format import pack
from c4core.proof.making import frontier, write_half
from db.decoding import decoding
from db.records.jobs import JobState
from workers.certificates.stages import Piece, read_payload
from workers.certificates.task import KIND, ProofTask, read_score
from workers.core.follow import iterate_units, read_job, why_not_done
from workers.errors import CertificateIncompleteError

if TYPE_CHECKING:
    from c4core.proof.certificate import Ply
    from c4core.proof.format import HalfInfo
    from c4core.proof.making import Bound
    from db.database import Database
    from db.records.jobs import Json


def read_certificate(database: Database, job_id: int) -> bytes:
    """The certificate of a job, as the bytes of its file.

    They are those of :func:`c4core.proof.make`, whoever has worked on the job, in whatever
    order, and whatever was stopped or killed meanwhile.

    Args:
        database: where the job is.
        job_id: its number.

    Raises:
        CertificateIncompleteError: the job is not done, or is of another kind.
        ClaimError: its claim is wrong.
        StorageError: the database cannot be read, or what it says about the job cannot.
    """
    job = read_job(database, job_id)
    if job.kind != KIND:
        raise CertificateIncompleteError(
            f"job {job_id} is of kind {job.kind}: it makes no certificate", job_id=job_id
        )
    if job.state is not JobState.DONE:
        raise CertificateIncompleteError(why_not_done(job), job_id=job_id)
    task = ProofTask.from_params(job.params, job.board)
    found = _Found(task)
    for unit in iterate_units(database, job_id):
        with decoding(f"unit {unit.seq} of job {job_id}"):
            found.add(unit.payload, unit.result or {})
    if found.wrong is not None:
        raise found.wrong
    with decoding(f"the proof of job {job_id}"):
        halves = [found.half(bound) for bound in task.bounds(found.score)]
    return pack(task.start, task.rules, halves, engine_version=job.engine_version)


class _Found:
    """What the units of a job have found.

    Attributes:
        score: the exact score, where that was asked for.
        wrong: says which bound does not hold; None if both do.
    """

    def __init__(self, task: ProofTask) -> None:
        self._task = task
        self._pieces: dict[tuple[bool, int | None], tuple[Piece, list[Ply]]] = {}
        self.score: int | None = None
        self.wrong: ClaimError | None = None

    def add(self, payload: Json, result: Json) -> None:
        """Read one unit."""
        piece = read_payload(self._task, payload)
        if piece is None:
            self.score = read_score(result, "score")
            return
        first = None if piece.keys is None else int(piece.keys[0])
        try:
            self._pieces[piece.bound.upper, first] = piece, piece.read_result(result)
        except ClaimError as error:
            self.wrong = self.wrong or error

    def half(self, bound: Bound) -> tuple[HalfInfo, bytes]:
        """A half of the certificate.

        Raises:
            LookupError: a part is missing, or is another one.
        """
        trunk = self._plies(Piece(bound))
        firsts, ply = frontier(bound, trunk)
        return write_half(bound, trunk, [self._plies(Piece(bound, keys, ply)) for keys in firsts])

    def _plies(self, wanted: Piece) -> list[Ply]:
        first = None if wanted.keys is None else int(wanted.keys[0])
        piece, plies = self._pieces[wanted.bound.upper, first]
        if piece.as_payload() != wanted.as_payload():
            raise LookupError(f"the part at ply {wanted.first} is another one")
        return plies
