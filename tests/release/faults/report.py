"""Write the figures of the last run of the suite into the documents: ``python -m ...report``."""

import os
import platform
from pathlib import Path
from typing import Final

from benchmarks.page import fill
from tests.release.faults.figures import load, table

ROOT: Final = Path(__file__).parents[3]
FIGURES: Final = ROOT / "build" / "faults.json"
DOCUMENT: Final = ROOT / "docs" / "reliability-log.md"


def main() -> None:
    found = load(FIGURES)
    where = (
        f"On {os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, "
        f"jobs of {found[0].positions:,} positions:"
    )
    lines = "\n".join([where, "", *table(found)])
    page = fill(DOCUMENT.read_text(encoding="utf-8"), {"figures": f"\n{lines}\n"})
    DOCUMENT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
