"""One job for one question, however many ask it in the same moment.

Whoever is about to make a job that others may have made holds its question first, and then looks
once more whether there is one. So the look and the making are one step for everybody.
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
    """Let nobody else hold this question until the end of the transaction; waits for who does.

    Args:
        session: in a write transaction, before anything was locked in it.
        kind: as it is given to ``create_job``, like all that follows.
        board: likewise.
        params: likewise, or that part of it which makes the question the same.
        engine_version: likewise.
    """
    # In SQLite a write transaction is alone from its first moment on. Questions that share a
    # number by chance wait for each other, and no harm is done.
    if session.connection().dialect.name == "postgresql":
        question = json.dumps([kind, *board, params, engine_version], sort_keys=True)
        digest = hashlib.blake2b(question.encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big", signed=True)
        session.execute(select(func.pg_advisory_xact_lock(number)))
