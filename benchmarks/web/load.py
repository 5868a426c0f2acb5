"""``wrk``, which asks as fast as it is answered, over connections that stay open."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCRIPT: Final = """
local targets = {}
for line in io.lines("%s") do targets[#targets + 1] = line end
local next_one = 0
request = function()
  next_one = next_one %% #targets + 1
  return wrk.format("GET", targets[next_one])
end
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\\nRESULT {"requests": %%d, "microseconds": %%d, "p50": %%d, "p99": %%d, "longest": %%d, ' ..
    '"failed": %%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency.max, e.connect + e.read + e.write + e.status + e.timeout))
end
"""
"""Asks one address after the other, and says what came of it. Times are in microseconds."""


@dataclass(frozen=True, slots=True)
class Load:
    """What came of some seconds of questions."""

    connections: int
    requests: int
    seconds: float
    p50_ms: float
    """Half of the answers came in this time, in milliseconds."""
    p99_ms: float
    longest_ms: float
    failed: int
    """Answers that were errors, and connections that broke."""

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.requests / self.seconds


def require_wrk() -> None:
    """Check that it is installed.

    Raises:
        click.ClickException: it is not.
    """
    if shutil.which("wrk") is None:
        raise click.ClickException("wrk is not installed: Debian's package wrk")


def load(
    url: str, targets: Sequence[str], directory: Path, *, connections: int, seconds: int
) -> Load:
    """Ask for some seconds.

    Args:
        url: of the server.
        targets: what is asked, in turn, again from the first one after the last.
        directory: for the program's files.
        connections: open at the same time; each has one question at a time.
        seconds: how long.

    Raises:
        click.ClickException: wrk fails.
    """
    questions, script = directory / "targets.txt", directory / "ask.lua"
    questions.write_text("".join(f"{target}\n" for target in targets), encoding="ascii")
    script.write_text(SCRIPT % questions, encoding="ascii")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout=30s", f"-s{script}"]
    ended = subprocess.run([*command, url], capture_output=True, text=True, check=False)
    _, _, result = ended.stdout.partition("RESULT ")
    if not result:
        raise click.ClickException(f"wrk: {ended.stdout} {ended.stderr}")
    found = json.loads(result)
    return Load(
        connections=connections,
        requests=found["requests"],
        seconds=found["microseconds"] / 1e6,
        p50_ms=found["p50"] / 1e3,
        p99_ms=found["p99"] / 1e3,
        longest_ms=found["longest"] / 1e3,
        failed=found["failed"],
    )
