"""The texts of ``docs/web.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.page import run_lines, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.record import Part


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The texts of the page."""
    found = parts["measure"].figures
    loads = [each | {"rate": each["requests"] / each["seconds"]} for each in found["loads"]]
    asked = [
        {"what": each["what"], "batches": batches, **each[case]}
        for each in found["asked"]
        for case, batches in (("alone", "none"), ("beside", "two"))
    ]
    memory = [
        {"what": each["what"], "first": each["most_mb"][0], "second": (*each["most_mb"], None)[1]}
        for each in found["memory"]
    ]
    return {
        "run": run_lines(parts["measure"].made),
        "loads": table(
            "what is asked | connections | answers/s | median | 99th percentile | failed",
            loads,
            "{what} | {connections} | {rate:,.0f} | {p50_ms:ms} | {p99_ms:ms} | {failed}",
        ),
        "asked": table(
            "one client asks | batches | median | 99th percentile | longest",
            asked,
            "{what} | {batches} | {p50_ms:ms} | {p99_ms:ms} | {longest_ms:ms}",
        ),
        "memory": table(
            "most memory while this is asked | the first time | the second time",
            memory,
            "{what} | {first:.0f} MB | {second:.0f} MB",
        ),
    }
