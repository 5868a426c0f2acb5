"""The file of measurements of books, and the page that shows them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from benchmarks.books.building import Building
from benchmarks.books.sampling import Sample
from benchmarks.books.ways import Ways, way_lines
from benchmarks.page import DOCS, RESULTS, fill_file, span_text
from benchmarks.record import write_json

if TYPE_CHECKING:
    Figures = dict[str, list[dict[str, Any]]]

FIGURES: Final = RESULTS / "books.json"
PAGE: Final = DOCS / "books.md"

KINDS: Final[dict[type, str]] = {Building: "built", Sample: "sampled", Ways: "compared"}

COLUMNS: Final = (
    "plies",
    "positions of the last",
    "of all",
    "nodes",
    "time",
    "threads",
    "processor time",
    "memory",
    "file",
    "bytes a position",
)


def keep(figure: Building | Sample | Ways) -> None:
    """Keep a figure in place of an older one for the same plies, and write the page again."""
    figures: Figures = {kind: [] for kind in KINDS.values()}
    if FIGURES.exists():
        figures |= json.loads(FIGURES.read_text(encoding="utf-8"))
    kind = KINDS[type(figure)]
    others = [entry for entry in figures[kind] if entry["plies"] != figure.plies]
    figures[kind] = sorted([*others, asdict(figure)], key=lambda entry: entry["plies"])
    write_json(FIGURES, figures)
    fill_file(PAGE, page_parts(figures))


def page_parts(figures: Figures) -> dict[str, str]:
    """The text for every place of the page, in Markdown."""
    times = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    times += [_row(Building(**entry)) for entry in figures["built"]]
    processors = sorted({str(entry["processor"]) for entry in figures["built"]})
    times += ["", f"By `python -m benchmarks.books build` on: {', '.join(processors)}."]
    for entry in figures["sampled"]:
        times += ["", _estimate(Sample(**entry))]
    ways: list[str] = []
    for entry in figures["compared"]:
        compared = Ways.from_json(entry)
        command = f"python -m benchmarks.books ways {compared.plies} --units {compared.units}"
        told = f"By `{command}`; processor time of one thread, {compared.processor}."
        ways += [*way_lines(compared), "", told, ""]
    return {"times": "\n" + "\n".join(times) + "\n", "ways": "\n" + "\n".join(ways)}


def _row(built: Building) -> str:
    return (
        f"| {built.plies} | {built.positions:,} | {built.all_positions:,} | "
        f"{built.nodes / 1e9:,.1f} G | {span_text(built.seconds)} | {built.threads} | "
        f"{span_text(built.processor_seconds)} | {built.peak_mb:,.0f} MB | "
        f"{built.file_bytes:,} bytes | {built.file_bytes / built.all_positions:.2f} |"
    )


def _estimate(sampled: Sample) -> str:
    return (
        f"To ply {sampled.plies}: {sampled.positions:,} positions, {sampled.searched:,} to be "
        f"searched; {sampled.units} of the units, {sampled.unit_positions:,} positions, took "
        f"{sampled.seconds:.0f} s of one thread, {sampled.nodes / sampled.unit_positions:,.0f} "
        f"nodes a position: {sampled.hours:.1f} core-hours for all "
        f"(`python -m benchmarks.books sample {sampled.plies} --units {sampled.units}`, "
        f"{sampled.processor})."
    )
