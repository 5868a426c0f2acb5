"""Views of jobs: rows, facts, a line of progress, and the tree of a deep job."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from c4core.notation import column_label, format_moves
from cli.output import progress
from cli.output.formats import Column
from cli.output.render import count, duration, score_text
from db.jobs.state import PLANNER_ALIVE_SECONDS
from db.records.jobs import JobState, UnitState
from workers.core.follow import UNDER_WAY
from workers.core.kinds import find_kind
from workers.text import time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cli.output.formats import Row
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.deep.answer import AtWork, DeepProgress

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
    if state is JobState.PLANNING and silent_seconds is not None:
        if silent_seconds < PLANNER_ALIVE_SECONDS:
            return None
        return f"The process that planned job {job_id} is gone: give its command again"
    if state is not JobState.RUNNING or not is_silent(state, silent_seconds):
        return None
    when = "yet" if silent_seconds is None else f"for {duration(silent_seconds)}"
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


MAX_SHOWN = 16


def tree_facts(tree: DeepProgress) -> dict[str, str]:
    """The tree of a deep job as names and values for people."""
    facts = {
        "score": _score(tree).removeprefix("score "),
        "columns": moves_text(tree),
        "pieces": pieces_text(tree),
    }
    for number, piece in enumerate(tree.at_work[:MAX_SHOWN], start=1):
        facts[f"at work {number}"] = _piece_text(piece)
    left = len(tree.at_work) - MAX_SHOWN
    if left > 0:
        facts["at work"] = f"and {left:,} more"
    return facts


def tree_line(tree: DeepProgress, nodes_per_second: float | None) -> str:
    """The tree of a deep job in one line."""
    parts = [_score(tree), pieces_text(tree)]
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


def pieces_text(tree: DeepProgress) -> str:
    """The number of pieces in each state."""
    parts = [
        f"{count(tree.decided, 'piece')} proven",
        f"{tree.split:,} split",
        f"{tree.cut:,} cut off",
        f"{tree.queued:,} open",
        f"{len(tree.at_work):,} at work",
    ]
    if tree.failed:
        parts.append(f"{tree.failed:,} failed")
    return ", ".join(parts)


def _score(tree: DeepProgress) -> str:
    lower, upper = score_text(tree.lower), score_text(tree.upper)
    if tree.lower == tree.upper:
        return f"score {lower}"
    asked = "" if tree.asked is None else f", asked: {score_text(tree.asked)} or more?"
    return f"score {lower} to {upper}{asked}"


def _piece_text(piece: AtWork) -> str:
    """A piece: its moves, and the score in question for its side to move."""
    if piece.columns is None:
        return "no longer wanted"
    return f"{format_moves(piece.columns) or 'the start'}: {score_text(piece.beta)} or more?"


class TreeWatch:
    """Follows the tree of a deep job."""

    def __init__(self, database: Database, job: JobInfo) -> None:
        from workers.deep.answer import Observer

        self._database = database
        self._observer = Observer(job)
        self._first: tuple[float, int] | None = None

    def look(self) -> DeepProgress:
        """Read the current tree."""
        with self._database.read() as session:
            return self._observer.look(session)

    def rate(self, job: JobInfo) -> float | None:
        """Nodes per second of the pieces completed since the first look; None while unknown."""
        now = time.monotonic()
        began, first_nodes = self._first = self._first or (now, job.nodes)
        nodes = job.nodes - first_nodes
        return nodes / (now - began) if nodes and now > began else None


@contextmanager
def drawn_progress(
    database: Database, job: JobInfo, *, shown: bool, remark: Callable[[], str] = lambda: ""
) -> Iterator[Callable[[JobInfo], None] | None]:
    """Draw a job's progress on the terminal.

    Call the context's value with each progress; it is None if nothing is drawn. ``remark`` returns
    the text beside the bar at every update.
    """
    from workers.deep.task import KIND as DEEP

    if not shown or job.kind != DEEP:
        with progress.solving(job.id, shown=shown, remark=remark) as update:
            yield update
        return
    from cli.output.render import console

    watch = TreeWatch(database, job)
    title = f"job {job.id}"
    with console(stderr=True).status(title, spinner="line") as status:
        yield lambda seen: status.update(f"{title}: {tree_line(watch.look(), watch.rate(seen))}")
