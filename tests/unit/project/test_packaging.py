"""The installed packages are exactly the five of the project, and hints in messages work."""

import re
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from c4core import extras

ROOT = Path(__file__).parents[3]
TOPS = ("c4core", "db", "workers", "web", "cli")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
INSTALL = re.compile(r"\bpip install .*")


def names(requirements: Iterable[str]) -> set[str]:
    """The required distributions, without extras and versions."""
    return {re.split(r"[\[<>=,; ]", requirement)[0] for requirement in requirements}


def test_every_folder_of_modules_is_a_package() -> None:
    """Other folders would exist in a checkout and be missing in an installation."""
    folders = {path.parent for top in TOPS for path in (ROOT / top).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("name", ["plot", "parquet", "pictures", "learn", "mcp", "onnx", "web"])
def test_messages_name_the_packages_of_the_extra(name: str) -> None:
    extra: extras.Extra = getattr(extras, name.upper())
    brought = names(PROJECT["optional-dependencies"][name])
    # Training can draw a plot; the module that does so has a message of its own.
    assert set(extra.packages) == brought - ({"matplotlib"} if name == "learn" else set())


def test_several_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    some = extras.Extra("both need", ("one", "other"))
    with pytest.raises(
        ValueError, match=r"need the packages one and other: pip install one other$"
    ):
        extras.require(some, ValueError)


def test_every_hint_can_be_followed() -> None:
    """The program is on no package index, so its own name is not a hint."""
    listed = ("git", "ls-files", "*.py", "*.md", ":!tests", ":!docs/cli.md")  # which is generated
    files = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    present = [path for path in map(ROOT.joinpath, files.split()) if path.exists()]
    hints = [(path.name, hint) for path in present for hint in INSTALL.findall(path.read_text())]
    assert len(hints) > 10
    assert [hint for hint in hints if PROJECT["name"] in hint[1]] == []
