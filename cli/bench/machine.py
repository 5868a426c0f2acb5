"""What machine this is, for figures that depend on it."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """The processor's name as the system tells it, or else its kind."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
