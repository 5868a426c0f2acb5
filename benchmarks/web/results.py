"""The file of figures, and the tables of ``docs/web.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.page import machine_line, table, versions_line
from benchmarks.record import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT: Final = 2


def read(path: Path) -> dict[str, Any]:
    """The figures.

    Raises:
        ValueError: it is another file.
    """
    return read_json(path, what="figures of the server", form=FORMAT)


def sections(figures: Mapping[str, Any]) -> dict[str, str]:
    """The tables, by the names of their places in the page."""
    return {
        "run": _run(figures),
        "loads": _loads(figures["loads"]),
        "asked": _asked(figures["asked"]),
        "memory": _memory(figures["memory"]),
    }


def _run(figures: Mapping[str, Any]) -> str:
    return "\n".join(
        [
            f"- Day: {figures['date']}",
            machine_line(figures["machine"]),
            versions_line(figures["versions"]),
            f"- Command: `{figures['command']}`",
        ]
    )


def _loads(loads: list[dict[str, Any]]) -> str:
    return table(
        ["what is asked", "connections", "answers/s", "median", "99th percentile", "failed"],
        [
            [
                entry["what"],
                str(entry["connections"]),
                f"{entry['requests'] / entry['seconds']:,.0f}",
                _milliseconds(entry["p50_ms"]),
                _milliseconds(entry["p99_ms"]),
                str(entry["failed"]),
            ]
            for entry in loads
        ],
    )


def _asked(asked: list[dict[str, Any]]) -> str:
    return table(
        ["one client asks", "batches", "median", "99th percentile", "longest"],
        [
            [
                entry["what"],
                batches,
                *(_milliseconds(entry[case][name]) for name in ("p50_ms", "p99_ms", "longest_ms")),
            ]
            for entry in asked
            for case, batches in (("alone", "none"), ("beside", "two"))
        ],
    )


def _memory(memory: list[dict[str, Any]]) -> str:
    return table(
        ["most memory while this is asked", "the first time", "the second time"],
        [
            [entry["what"], *(f"{megabytes:.0f} MB" for megabytes in entry["most_mb"])]
            + [""] * (2 - len(entry["most_mb"]))
            for entry in memory
        ],
    )


def _milliseconds(value: float) -> str:
    return f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"  # noqa: PLR2004
