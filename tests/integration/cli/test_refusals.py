"""Bad command lines are refused before anything is done.

The command lines are in ``refusals.txt``, their messages in the snapshots.
"""

import shlex
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.running.command_line import C4

REFUSED = Path(__file__).with_name("refusals.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A letter, a folder, and a database in which job 1 has played match 1."""
    c4 = C4(tmp_path_factory.mktemp("refusals"))
    assert c4("match", "random", "stupid", "--games", "2", "--judge", "none", "-q").code == 0
    (c4.directory / "notes").write_text("a letter to my aunt")
    (c4.directory / "files").mkdir()
    for name in ("entries.json", "diagrams.json"):
        (c4.directory / name).write_text("{}")
    return c4.directory


@pytest.fixture
def c4(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> C4:
    monkeypatch.delenv("C4_BROKER", raising=False)
    return C4(Path(shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)))


@pytest.mark.parametrize("line", REFUSED)
def test_a_command_line_is_refused(c4: C4, line: str, snapshot: SnapshotAssertion) -> None:
    before = {path.name for path in c4.directory.iterdir()}
    done = c4(*shlex.split(line))
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert "hunter2" not in done.err
    assert done.err.replace(str(c4.directory), "DIRECTORY") == snapshot
    # Nothing was started: no file, no job and no match.
    assert {path.name for path in c4.directory.iterdir()} - before <= {"data"}
    assert (c4.directory / "notes").read_text() == "a letter to my aunt"
    assert [row["job"] for row in c4("jobs", "list", "--jsonl").objects] == [1]
