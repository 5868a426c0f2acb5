"""The file of measurements of data sets, and the page that shows them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from benchmarks.datasets.building import Building
from benchmarks.page import DOCS, RESULTS, fill_file
from benchmarks.record import write_json

FIGURES: Final = RESULTS / "datasets.json"
PAGE: Final = DOCS / "datasets.md"

COLUMNS: Final = (
    "plies",
    "positions",
    "threads",
    "time",
    "positions/s",
    "of it searching, all threads",
    "nodes a position",
    "processor time",
    "memory",
    "files",
)


def keep(building: Building) -> None:
    """Keep a figure in place of an older one for the same case, and write the page again."""
    figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else []
    others = [entry for entry in figures if _case(entry) != _case(asdict(building))]
    figures = sorted([*others, asdict(building)], key=_case)
    write_json(FIGURES, figures)
    table = "\n".join(page_lines(figures))
    fill_file(PAGE, {"times": f"\n{table}\n"})


def page_lines(figures: list[dict[str, Any]]) -> list[str]:
    """The table, in Markdown."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    for entry in figures:
        built = Building(**entry)
        lines.append(
            f"| {built.plies} | {built.positions:,} | {built.threads} | {built.seconds:.1f} s | "
            f"{built.rate:,.0f} | {built.search_seconds:.1f} s | "
            f"{built.nodes / built.positions:,.0f} | {built.processor_seconds:.1f} s | "
            f"{built.peak_mb:,.0f} MB | {built.file_bytes / 1e6:.2f} MB |"
        )
    processors = sorted({str(entry["processor"]) for entry in figures})
    return [*lines, "", f"By `python -m benchmarks.datasets` on: {', '.join(processors)}."]


def _case(entry: dict[str, Any]) -> tuple[str, int, int]:
    return entry["plies"], entry["positions"], entry["threads"]
