"""Views of jobs: rows, facts, a line of progress, and the tree of a deep job."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from c4core.notation import column_label
from cli.output import progress
from cli.output.formats import Column
from cli.output.render import duration, score_text
from db.records.jobs import JobState, UnitState
from workers.core.follow import UNDER_WAY
from workers.core.kinds import find_kind
from workers.deep.answer import Observer
from workers.deep.task import KIND as DEEP
from workers.text import count, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cli.output.formats import Row
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.deep.answer import DeepProgress

STATE_STYLES = {
    "planning": "cyan",
    "running": "cyan",
    "done": "green",
    "failed": "red",
    "cancelled": "yellow",
}

SILENT_SECONDS = 10.0
"""A running job is silent after this time without a sign of life: the duration of a lease."""


def is_silent(state: JobState, silent_seconds: float | None) -> bool:
    """Whether no process seems to work on an open job."""
    return state in UNDER_WAY and (silent_seconds is None or silent_seconds >= SILENT_SECONDS)


def state_text(state: JobState, silent_seconds: float | None) -> str:
    """The state of a job, and its last sign of life if that was some time ago."""
    if not is_silent(state, silent_seconds):
        return str(state)
    if silent_seconds is None:
        return f"{state}, no sign of life yet"
    return f"{state}, last sign of life {duration(silent_seconds)} ago"


def silence_sentence(
    job_id: int, state: JobState, silent_seconds: float | None, *, has_workers: bool
) -> str | None:
    """A sentence that says what to do for a silent job; None for other jobs.

    ``has_workers``: there are workers that take such jobs.
    """
    if not is_silent(state, silent_seconds):
        return None
    when = "yet" if silent_seconds is None else f"for {duration(silent_seconds)}"
    if state is JobState.PLANNING:
        return (
            f"No process has planned job {job_id} {when}: if its command has ended, give it again, "
            f"and delete this job with c4 jobs delete {job_id}"
        )
    todo = f"start workers, or continue with c4 jobs resume {job_id}"
    if has_workers:
        todo = "the workers are busy with other jobs"
    return f"No process has worked on job {job_id} {when}: {todo}"


def content(kind: str) -> str:
    """The noun for the items in a kind of job's units, in the singular."""
    found = find_kind(kind)
    return "position" if found is None else found.noun


def job_row(job: JobInfo) -> Row:
    """A job as a row of a list."""
    return {
        "job": job.id,
        "kind": job.kind,
        "board": str(job.board),
        "state": str(job.state),
        "silent_seconds": job.silent_seconds,
        "positions": sum(job.positions.values()),
        "done": job.positions[UnitState.DONE],
        "failed": job.positions[UnitState.FAILED],
        "nodes": job.nodes,
        "created": time_text(job.created_at),
        "label": job.label,
    }


COLUMNS = (
    Column("job", 4, lambda row: str(row["job"]), right=True),
    Column("kind", 7, lambda row: row["kind"]),
    Column("board", 5, lambda row: row["board"]),
    Column(
        "state", 9, lambda row: row["state"], style=lambda row: STATE_STYLES.get(row["state"], "")
    ),
    Column("silent", 6, lambda row: _silence_text(row["silent_seconds"]), right=True),
    Column("done/positions", 14, lambda row: f"{row['done']:,}/{row['positions']:,}", right=True),
    Column("created (UTC)", 16, lambda row: row["created"].replace("T", " ")[:16]),
    Column("label", 0, lambda row: row["label"] or ""),
)
"""The table for people: 80 characters wide with a short label."""


def _silence_text(silent_seconds: float | None) -> str:
    return "" if silent_seconds is None else duration(silent_seconds)


def job_facts(job: JobInfo) -> dict[str, str]:
    """A job as names and values for people."""
    positions, units = sum(job.positions.values()), sum(job.units.values())
    by_state = ", ".join(f"{number:,} {state}" for state, number in job.units.items() if number)
    facts = {
        "job": f"{job.id}{f' ({job.label})' if job.label else ''}",
        "kind": f"{job.kind}, board {job.board}",
        "state": state_text(job.state, job.silent_seconds),
        **({"priority": str(job.priority)} if job.priority else {}),
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


def tree_facts(tree: DeepProgress) -> dict[str, str]:
    """The tree of a deep job as names and values for people."""
    return {"score": _score(tree).removeprefix("score "), "columns": moves_text(tree)}


def tree_line(tree: DeepProgress, nodes_per_second: float | None) -> str:
    """The tree of a deep job in one line."""
    parts = [_score(tree)]
    if nodes_per_second is not None:
        parts.append(f"{nodes_per_second / 1e6:,.1f} M nodes/s")
    return ", ".join(parts)


def moves_text(tree: DeepProgress, *, zero_based: bool = False) -> str:
    """The proven bounds of every column: ``1: -2 or less, 2: -1, 3: ?``."""
    parts = []
    for column, bounds in enumerate(tree.moves):
        if bounds is None:
            continue
        if bounds.lower == bounds.upper:
            text = score_text(bounds.lower)
        elif bounds.lower <= tree.limits.lower and bounds.upper >= tree.limits.upper:
            text = "?"
        elif bounds.lower <= tree.limits.lower:
            text = f"{score_text(bounds.upper)} or less"
        elif bounds.upper >= tree.limits.upper:
            text = f"{score_text(bounds.lower)} or more"
        else:
            text = f"{score_text(bounds.lower)} to {score_text(bounds.upper)}"
        parts.append(f"{column_label(column, zero_based=zero_based)}: {text}")
    return ", ".join(parts)


def _score(tree: DeepProgress) -> str:
    lower, upper = score_text(tree.lower), score_text(tree.upper)
    if tree.lower == tree.upper:
        return f"score {lower}"
    asked = "" if tree.asked is None else f", asked: {score_text(tree.asked)} or more?"
    return f"score {lower} to {upper}{asked}"


class JobLine:
    """The progress of a job in one line, on a bar or in the output."""

    def __init__(self, database: Database, job: JobInfo) -> None:
        self._database = database
        self._noun = content(job.kind)
        self._observer = Observer(job) if job.kind == DEEP else None
        self._first: tuple[float, int] | None = None

    def tree(self) -> DeepProgress | None:
        """The current tree of a deep job; None for other jobs."""
        if self._observer is None:
            return None
        return self._database.ask(self._observer.look)

    def text(self, job: JobInfo) -> str:
        """The line: ``job 3 running: 12 of 50 positions, 8.1/s, 0:05 left``."""
        is_at_work = not is_silent(job.state, job.silent_seconds)
        tree = self.tree()
        if tree is not None:
            parts = [tree_line(tree, self._node_rate(job) if is_at_work else None)]
        else:
            done, positions = job.positions_ended, sum(job.positions.values())
            parts = [f"{done:,} of {count(positions, self._noun)}"]
            if failed := job.units[UnitState.FAILED]:
                parts.append(f"{count(failed, 'unit')} failed")
            if is_at_work and (rate := job.positions_per_second):
                parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")  # noqa: PLR2004
            if is_at_work and done < positions and job.state in UNDER_WAY:
                parts.append(remaining_text(job.eta_seconds))
        return f"job {job.id} {state_text(job.state, job.silent_seconds)}: {', '.join(parts)}"

    def _node_rate(self, job: JobInfo) -> float | None:
        """Nodes per second of the work completed since the first look; None while unknown."""
        now = time.monotonic()
        began, first_nodes = self._first = self._first or (now, job.nodes)
        nodes = job.nodes - first_nodes
        return nodes / (now - began) if nodes and now > began else None


def remaining_text(seconds: float | None) -> str:
    """Remaining time; a dash if unknown."""
    if seconds is None:
        return "-:-- left"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"


@contextmanager
def drawn_progress(
    line: JobLine, *, shown: bool, remark: Callable[[], str] = lambda: ""
) -> Iterator[Callable[[JobInfo], None] | None]:
    """Draw a job's progress on the terminal.

    Call the context's value with each progress; it is None if nothing is drawn. ``remark`` returns
    the end of the line at every update.
    """
    if not shown:
        yield None
        return
    with progress.bar(shown=True, total=1) as update:

        def draw(job: JobInfo) -> None:
            update(
                description=", ".join(filter(None, (line.text(job), remark()))),
                completed=job.positions_ended,
                total=sum(job.positions.values()),
            )

        yield draw
