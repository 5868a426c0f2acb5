"""Units of jobs of kind ``deep``: whether one position scores at least so much.

The payload is the piece; the result has the proven bounds::

    {"key": 4611, "beta": 1}                              canonical key, and the question

    {"lower": -3, "upper": 0,                             for the side to move
     "hard": false,                                       whether it was too much for one unit
     "nodes": 512000, "seconds": 0.04}

    {"cut": true}                                         the result was not needed any more

The bounds are also stored as an evaluation, even if they do not decide the piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.evaluation import score_limits
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db.decoding import decoding, field, number_field
from db.records.evaluations import StoredEvaluation
from db.records.jobs import UnitState
from workers.core.kinds import UnitOutcome
from workers.deep.asking import ask
from workers.deep.sharing import sharing
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds, Piece
from workers.positions.evaluate import look_up
from workers.positions.results import error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from db.database import Database
    from db.records.jobs import Claim, JobInfo, Json, UnitResult
    from workers.core.searching import Searcher

CUT: Json = {"cut": True}
"""The result of a unit that was ended because nothing needs its result any more."""


def payload_of(piece: Piece) -> Json:
    """The payload of the unit for a piece."""
    return {"key": piece.key, "beta": piece.beta}


def piece_of(payload: Json) -> Piece:
    """The piece that a unit is about.

    Raises:
        DamagedValueError: it cannot be read.
    """
    with decoding("a piece of a deep job"):
        return Piece(number_field(payload, "key", below=1 << 64), field(payload, "beta", int))


def solve_unit(
    claim: Claim, solver: Searcher, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Search a piece until it is decided, or has proven too hard for one unit.

    Args:
        claim: a unit of a job of this kind.
        solver: may be shared; the pieces of a job have many positions in common.
        database: where known evaluations are looked up. Nothing is written but what the workers of
            the job share.
        is_stopped: whether to give up: the unit was cut off, or the process must end.

    Raises:
        StorageError: the database cannot be read.
    """
    task = DeepTask.from_params(claim.params, claim.board)
    piece = piece_of(claim.payload)
    width, height = claim.board
    position = Position.from_key(piece.key, width=width, height=height)
    stored = look_up(database, [position]).get(piece.key)
    limits = Bounds(*score_limits(position.ply, width, height))
    with sharing(database, claim, solver):
        finding = ask(
            position,
            piece.beta,
            solver,
            known=limits if stored is None else Bounds(stored.lower, stored.upper),
            node_limit=task.unit_nodes,
            is_stopped=is_stopped,
        )
    lower, upper = finding.bounds
    is_news = finding.nodes > 0 and finding.bounds != limits
    return UnitOutcome(
        evaluations=[
            StoredEvaluation(
                piece.key, width, height, position.ply, lower, upper, finding.nodes, ENGINE_VERSION
            )
        ]
        if is_news
        else [],
        result={
            "lower": lower,
            "upper": upper,
            "hard": finding.is_hard,
            "nodes": finding.nodes,
            "seconds": finding.seconds,
        },
        nodes=finding.nodes,
        seconds=finding.seconds,
        costs={},  # of null windows with a limit: they would misguide the planning of batches
        with_columns=False,
        is_complete=finding.is_hard or finding.bounds.decides(piece.beta),
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has ended: one object, or none if it was cut off.

    Args:
        job: the job, of this kind.
        unit: one of its units; one that is not done has an error.
    """
    piece = piece_of(unit.payload)
    shown: dict[str, JsonValue] = {"key": piece.key, "board": str(job.board), "beta": piece.beta}
    if unit.state is not UnitState.DONE or not unit.result:
        error = f"not solved: {unit.error or unit.state}"
        yield shown | error_object(line=unit.seq + 1, error=error)
    elif unit.result != CUT:
        yield shown | unit.result
