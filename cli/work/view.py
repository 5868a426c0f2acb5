"""How jobs are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.output.formats import Column
from cli.output.render import count, duration
from db.records.jobs import JobState, UnitState
from workers.core.kinds import find_kind
from workers.wording import time_text

if TYPE_CHECKING:
    from cli.output.formats import Row
    from db.records.jobs import JobInfo

STATE_STYLES = {
    "planning": "cyan",
    "running": "cyan",
    "done": "green",
    "failed": "red",
    "cancelled": "yellow",
    "interrupted": "red",
    "waiting": "yellow",
    "queued": "yellow",
}

IDLE = {
    "waiting": "yet: c4 jobs resume {job} begins with it, and so do workers with a broker",
    "queued": "yet: the workers are at work on other jobs",
    "interrupted": (
        "any more: c4 jobs resume {job} goes on with it, and so do workers with a broker"
    ),
}
"""What follows "nobody is at work on it", by the state of the job."""

NEVER_PLANNED = "any more: give the command again; c4 jobs cancel {job} puts this one away"
"""The same for a job whose planning was interrupted."""


def idle_sentence(job: JobInfo, state: str) -> str | None:
    """A sentence for a job that nobody is at work on, with what to do; None in other states."""
    todo = _todo(job, state)
    return None if todo is None else f"Nobody is at work on job {job.id} {todo}"


def _todo(job: JobInfo, state: str) -> str | None:
    if state not in IDLE:
        return None
    text = NEVER_PLANNED if job.state is JobState.PLANNING else IDLE[state]
    return text.format(job=job.id)


def content(kind: str) -> str:
    """What the units of a kind of job hold, in the singular."""
    found = find_kind(kind)
    return "position" if found is None else found.noun


def as_row(job: JobInfo, state: str) -> Row:
    """A job as a row of a list, shown with this state."""
    return {
        "job": job.id,
        "kind": job.kind,
        "board": str(job.board),
        "state": state,
        "positions": sum(job.positions.values()),
        "done": job.positions[UnitState.DONE],
        "failed": job.positions[UnitState.FAILED],
        "nodes": job.nodes,
        "created": time_text(job.created_at),
        "label": job.label,
    }


COLUMNS = (
    Column("job", 5, lambda row: str(row["job"]), right=True),
    Column("kind", 7, lambda row: row["kind"]),
    Column("board", 5, lambda row: row["board"]),
    Column(
        "state", 11, lambda row: row["state"], style=lambda row: STATE_STYLES.get(row["state"], "")
    ),
    Column("done/positions", 15, lambda row: f"{row['done']:,}/{row['positions']:,}", right=True),
    Column("created (UTC)", 19, lambda row: row["created"].replace("T", " ").removesuffix("Z")),
    Column("label", 0, lambda row: row["label"] or ""),
)
"""The table for people: 80 characters wide with a short label."""


def as_facts(job: JobInfo, state: str) -> dict[str, str]:
    """A job as names and values for people, shown with this state."""
    positions, units = sum(job.positions.values()), sum(job.units.values())
    by_state = ", ".join(f"{number:,} {state}" for state, number in job.units.items() if number)
    facts = {
        "job": f"{job.id}{f' ({job.label})' if job.label else ''}",
        "kind": f"{job.kind}, board {job.board}",
        "state": state,
        **({"priority": str(job.priority)} if job.priority else {}),
        **({"at work": f"nobody {todo}"} if (todo := _todo(job, state)) else {}),
        f"{content(job.kind)}s": f"{job.positions[UnitState.DONE]:,} of {positions:,} done",
        "units": f"{units:,}{f': {by_state}' if by_state else ''}",
        "effort": f"{count(job.nodes, 'node')}, {duration(job.seconds)} of solving",
        "created": time_text(job.created_at) or "-",
        "started": time_text(job.started_at) or "-",
        "finished": time_text(job.finished_at) or "-",
    }
    for number, error in enumerate(job.errors, start=1):
        facts[f"error {number}"] = error
    return facts
