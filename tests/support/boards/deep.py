"""Helpers that complete the pieces of deep jobs by hand, with any result."""

from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.records.evaluations import StoredEvaluation
from db.records.jobs import Claim
from workers.deep.job import go_on
from workers.deep.task import piece_of
from workers.deep.tree import Bounds


def conclude(database: Database, claim: Claim, bounds: Bounds, *, hard: bool = False) -> bool:
    """Complete a unit by hand, as run_unit does."""
    piece = piece_of(claim.payload)
    position = Position.from_key(piece.key, width=claim.board.width, height=claim.board.height)
    row = StoredEvaluation(piece.key, *claim.board, position.ply, *bounds, 7, ENGINE_VERSION)
    result = {"lower": bounds.lower, "upper": bounds.upper, "hard": hard, "nodes": 7, "seconds": 0}
    outcome = {"evaluations": [row], "result": result, "nodes": 7, "seconds": 0.0}
    with database.write() as session:
        done = jobs.complete(session, claim, **outcome, grows=True)
        if done:
            go_on(session, claim, database)
    with database.write() as session:
        jobs.finish_if_complete(session, claim.job_id)
    return done
