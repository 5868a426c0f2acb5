"""Errors of jobs, of brokers and of workers."""

from __future__ import annotations

from c4core.errors import C4Error


class BrokerError(C4Error):
    """Base class of errors about a broker."""


class BrokerUrlError(BrokerError, ValueError):
    """The URL cannot be read, or its broker cannot be used."""


class BrokerUnreachableError(BrokerError):
    """The broker does not answer, or refuses: no server, a refused login, no memory left."""


class NotSolvedError(C4Error):
    """A question stays unanswered: workers have given up on the job, or it was cancelled."""


class JobIncompleteError(C4Error):
    """Base class of errors about a job that was cancelled, or has units that failed."""

    def __init__(self, message: str, *, job_id: int) -> None:
        super().__init__(message)
        self.job_id = job_id


class BookIncompleteError(JobIncompleteError):
    """Scores of a book are missing."""


class CertificateIncompleteError(JobIncompleteError):
    """A job's certificate cannot be written, perhaps because its kind makes none."""


class DatasetIncompleteError(JobIncompleteError):
    """Labels of a data set are missing."""
