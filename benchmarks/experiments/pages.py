"""The page of the experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.experiments.catalogue import EXPERIMENTS
from benchmarks.page import machine_line, span_text, table, versions_line

if TYPE_CHECKING:
    from benchmarks.experiments.results import Run


def sections(runs: dict[str, Run]) -> dict[str, str]:
    """The text of the page's only place.

    Raises:
        ValueError: an experiment was never run.
    """
    if missing := [name for name in EXPERIMENTS if name not in runs]:
        raise ValueError(f"these experiments were never run: {', '.join(missing)}")
    return {"experiments": "\n\n".join(_section(name, runs[name]) for name in EXPERIMENTS)}


def _section(name: str, run: Run) -> str:
    experiment = EXPERIMENTS[name]
    sample = f"{run.sample:,} games or positions a row"
    notes = (
        f"- Command: `{run.command}` ({run.date}, {sample}, {span_text(run.seconds)} of processor)",
        machine_line(run.machine),
        versions_line(run.versions),
    )
    return "\n\n".join(
        (
            f"## {experiment.title}",
            f"*The source:* {experiment.source}",
            f"*Here:* {run.finding.found}",
            table(run.finding.headings, run.finding.rows),
            "\n".join(notes),
        )
    )
