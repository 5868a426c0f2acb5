"""Run benchmark programs, and read the results that they store."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from benchmarks.__main__ import main


def run(results: Path, *arguments: str) -> str:
    """Return the output of ``python -m benchmarks --results RESULTS``, which must succeed."""
    done = CliRunner().invoke(main, ["--results", str(results), *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def kept(results: Path, subject: str) -> dict[str, Any]:
    """The stored figures of every part of a subject."""
    parts = json.loads((results / f"{subject}.json").read_text(encoding="utf-8"))["parts"]
    return {name: part["figures"] for name, part in parts.items()}
