"""Runs programs that measure, and lets them fill copies of the documents."""

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner


def run(name: str, *arguments: str) -> str:
    """What ``python -m benchmarks.NAME`` prints; it must succeed."""
    module = ".".join(filter(None, ("benchmarks", name, "__main__")))
    done = CliRunner().invoke(
        importlib.import_module(module).main, arguments, catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.output


def use_copies(
    directory: Path, monkeypatch: pytest.MonkeyPatch, module: str, figures: str = "FIGURES"
) -> Path:
    """Let a module fill copies of its page and of its figures, which are returned."""
    found = importlib.import_module(module)
    for name in (figures, "PAGE"):
        path: Path = getattr(found, name)
        shutil.copy(path, directory)
        monkeypatch.setattr(found, name, directory / path.name)
    copied: Path = getattr(found, figures)
    return copied


def read(path: Path) -> Any:  # noqa: ANN401
    """Figures, as JSON."""
    return json.loads(path.read_text(encoding="utf-8"))
