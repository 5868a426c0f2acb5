"""Write the figures of the last run of the suite into the documents: ``python -m ...report``."""

from pathlib import Path
from typing import Final

from benchmarks.page import fill

ROOT: Final = Path(__file__).parents[3]
FIGURES: Final = ROOT / "build" / "faults.md"
DOCUMENT: Final = ROOT / "docs" / "reliability-log.md"


def main() -> None:
    page = fill(DOCUMENT.read_text(encoding="utf-8"), {"figures": f"\n{FIGURES.read_text()}\n"})
    DOCUMENT.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
