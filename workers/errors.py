"""What can go wrong between those who ask and those who work."""

from __future__ import annotations

from c4core.errors import C4Error


class BrokerError(C4Error):
    """Base class of what can be wrong with a broker."""


class BrokerUrlError(BrokerError, ValueError):
    """The URL cannot be read, or names a broker that cannot be used."""


class BrokerUnreachableError(BrokerError):
    """The broker does not answer, or refuses: no server, a refused login, no memory left."""


class NotSolvedError(C4Error):
    """Workers have given up on what somebody waits for, or it was cancelled."""


class AlreadyAskedError(C4Error):
    """Somebody has just made the job that was to be made."""


class LeaseLostError(C4Error):
    """The unit that is being worked on is somebody else's by now, or its job was cancelled."""


class MetricsError(C4Error):
    """The metrics cannot be told in the way that was asked for."""


class BookIncompleteError(C4Error):
    """Scores of a book are missing: its job was cancelled, or has units that failed.

    Attributes:
        job_id: the job's number.
    """

    def __init__(self, message: str, *, job_id: int) -> None:
        super().__init__(message)
        self.job_id = job_id


class DatasetIncompleteError(C4Error):
    """Labels of a data set are missing: their job was cancelled, or has units that failed.

    Attributes:
        job_id: the job's number.
    """

    def __init__(self, message: str, *, job_id: int) -> None:
        super().__init__(message)
        self.job_id = job_id
