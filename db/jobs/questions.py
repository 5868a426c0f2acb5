"""One job for one question, even if several processes ask it in the same moment.

A process that is about to make a job holds its question first, and then looks once more whether
there is such a job. So for everybody else, looking for the job and making it are one step.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from sqlalchemy import func, select

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json


def hold_question(
    session: Session, *, kind: str, board: BoardSize, params: Json, engine_version: int
) -> None:
    """Hold this question until the end of the transaction; waits while another one holds it.

    Args:
        session: in a write transaction that has locked nothing yet.
        kind: as it is given to ``create_job``, like all that follows.
        board: likewise.
        params: likewise, or the part of them that identifies the question.
        engine_version: likewise.
    """
    # In SQLite a write transaction is alone from its beginning. Questions that get the same lock by
    # chance wait for each other, which does no harm.
    if session.connection().dialect.name == "postgresql":
        question = json.dumps([kind, *board, params, engine_version], sort_keys=True)
        digest = hashlib.blake2b(question.encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big", signed=True)
        session.execute(select(func.pg_advisory_xact_lock(number)))
