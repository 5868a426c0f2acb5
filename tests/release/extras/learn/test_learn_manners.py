"""``c4 learn`` as every other command: names that strangers gave, and folders that are missing."""

from pathlib import Path

import pytest
import torch  # noqa: F401 (without it, the commands do not come so far)

from tests.support.running.command_line import C4
from tests.support.strangers import COMMANDS, FILE, check_command, fill


@pytest.mark.parametrize("path", [path for path in COMMANDS if path.startswith("learn")])
def test_a_command_escapes_names_and_minds_no_closed_pipe(tmp_path: Path, path: str) -> None:
    directory = tmp_path / FILE
    directory.mkdir()
    fill(C4(directory))
    check_command(C4(directory), path)


def test_a_missing_folder_is_not_made(c4: C4) -> None:
    done = c4("learn", "train", "cnn", "--games", "10", "--output", "nowhere/deeper/x")
    assert done.code == 2
    assert "'nowhere/deeper/x': No such file or directory" in done.err
    assert not (c4.directory / "nowhere").exists()
