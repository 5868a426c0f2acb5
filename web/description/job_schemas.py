"""How jobs look in the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from db.records.jobs import UnitState
from web.description.words import FLAG, NUMBER, TEXT, WHOLE, array, nullable, place, record, ref
from workers.core.follow import STATES

if TYPE_CHECKING:
    from web.description.words import Schema

STATE: Final[Schema] = {"enum": list(STATES)}
LARGEST_JOB: Final = 2**63 - 1
JOB_NUMBER: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": LARGEST_JOB}
JOB_PLACE: Final = place("job", JOB_NUMBER, "The job's number.", example=1)

_BY_STATE: Final = record({str(state): WHOLE for state in UnitState})
_BOUNDS: Final = record({"lower": WHOLE, "upper": WHOLE})

TREE: Final = record(
    {
        "lower": WHOLE,
        "upper": WHOLE,
        "asked": nullable(WHOLE),
        "moves": array(nullable(_BOUNDS)),
        "decided": WHOLE,
        "split": WHOLE,
        "cut": WHOLE,
        "queued": WHOLE,
        "failed": WHOLE,
        "at_work": array(record({"moves": nullable(TEXT), "beta": WHOLE})),
    }
) | {"description": "What a job of kind deep has proven. Scores are for the side to move."}

PROGRESS: Final = record(
    {
        "job_id": WHOLE,
        "state": STATE,
        "units": WHOLE,
        "units_done": WHOLE,
        "units_failed": WHOLE,
        "units_leased": WHOLE,
        "positions": WHOLE,
        "positions_done": WHOLE,
        "positions_failed": WHOLE,
        "nodes": WHOLE,
        "seconds": NUMBER,
        "positions_per_second": nullable(NUMBER),
        "eta_seconds": nullable(NUMBER),
        "tree": ref("JobTree"),
    },
    optional=("tree",),
)

JOB: Final = record(
    {
        "id": WHOLE,
        "kind": TEXT,
        "board": TEXT,
        "state": STATE,
        "label": nullable(TEXT),
        "params": {"type": "object"},
        "priority": WHOLE,
        "engine_version": WHOLE,
        "created_at": TEXT,
        "started_at": nullable(TEXT),
        "finished_at": nullable(TEXT),
        "units": _BY_STATE,
        "positions": _BY_STATE,
        "nodes": WHOLE,
        "seconds": NUMBER,
        "errors": array(TEXT),
    }
)

JOB_WITH_PROGRESS: Final = {
    "allOf": [ref("Job"), record({"progress": ref("JobProgress")})],
}

_WORKER: Final = record(
    {
        "name": TEXT,
        "host": TEXT,
        "pid": WHOLE,
        "threads": WHOLE,
        "table_mb": WHOLE,
        "version": TEXT,
        "engine_version": WHOLE,
        "queues": array(TEXT),
        "units_done": WHOLE,
        "positions_done": WHOLE,
        "nodes": WHOLE,
        "seconds": NUMBER,
        "note": nullable(TEXT),
        "started_at": TEXT,
        "seen_at": TEXT,
        "nodes_per_second": nullable(NUMBER),
    }
)

WORKERS: Final = record(
    {
        "workers": array(_WORKER),
        "status": record(
            {
                "jobs": record(dict.fromkeys(STATES, WHOLE)),
                "queued_units": WHOLE,
                "running_units": WHOLE,
                "failed_units": WHOLE,
                "queued_positions": WHOLE,
                "running_positions": WHOLE,
                "positions_per_second": nullable(NUMBER),
                "eta_seconds": nullable(NUMBER),
                "oldest_queued_seconds": nullable(NUMBER),
                "workers": WHOLE,
            }
        ),
        "server": record({"threads": WHOLE, "jobs": array(WHOLE), "is_writable": FLAG}),
    }
)

SCHEMAS: Final[dict[str, Any]] = {
    "Job": JOB,
    "JobWithProgress": JOB_WITH_PROGRESS,
    "JobProgress": PROGRESS,
    "JobTree": TREE,
    "Workers": WORKERS,
}
