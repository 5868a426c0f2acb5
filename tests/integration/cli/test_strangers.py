"""Untrusted names are shown escaped, and commands end quietly if their output is not read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.running.command_line import C4
from tests.support.running.console import on_screen
from tests.support.strangers import COMMANDS, FILE, check_command, fill, is_safe


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("names") / FILE
    directory.mkdir()
    fill(C4(directory))
    return directory


@pytest.fixture
def c4(filled: Path, tmp_path: Path) -> C4:
    return C4(Path(shutil.copytree(filled, tmp_path / FILE)))


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_escapes_names_and_survives_a_closed_pipe(c4: C4, path: str) -> None:
    check_command(c4, path)


@pytest.mark.parametrize(
    "path", ["jobs list", "jobs show", "games show", "games report", "book info", "status"]
)
def test_names_are_escaped_on_a_terminal(c4: C4, path: str) -> None:
    written = on_screen(c4, (*path.split(), *COMMANDS[path]), coloured=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written)
    assert plain != written
    assert r"\x1b]0;owned\x07\x1b[2J" in plain
    assert is_safe(plain)
