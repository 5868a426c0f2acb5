"""Every benchmark runs with its smallest input; other engines, and networks.

Speed does not matter here.
"""

import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import PAGES, main
from benchmarks.engine.solvers import BitBully
from benchmarks.learning import places
from benchmarks.page import DOCS
from benchmarks.record import RESULTS, Results
from c4core.notation import DEFAULT_BOARD
from tests.support.boards.learning import write_dataset
from tests.support.running.benchmarks import kept, run

C4SOLVER = f"c4={shlex.quote(sys.executable)} -m cli solve - --format c4solver --no-store"
SMALLEST = {
    "certificates boards 4x4": "'score': 0, 'positions': 367",
    "matches run --db c4.db --group line": "^line: random - set:fallback=column: ",
    "matches run --db c4.db --group line --games 600": "^line: random - set:fallback=vector: ",
}
GAMES = ["2252576253462244111563365343671351441", "52753311433677442422121", "271713432331713132"]


@pytest.mark.parametrize("command", SMALLEST)
def test_smallest_input_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = Path(shutil.copytree(RESULTS, tmp_path / "results"))
    out = run(results, *command.split())
    assert re.search(SMALLEST[command], out, re.MULTILINE), out
    shutil.copytree(DOCS, "docs", ignore=shutil.ignore_patterns("*.png"))
    if command.partition(" ")[0] in PAGES:
        run(results, "render", "--docs", "docs", command.partition(" ")[0])


def test_engine_is_compared_with_another_program(tmp_path: Path) -> None:
    (tmp_path / "end-easy.txt").write_text("2252576253462244111563365343671351441 -1\n")
    options = ("--quick", "--threads=1", "--only=classes", "--program", C4SOLVER)
    run(tmp_path, "engine", "run", *options, f"--positions={tmp_path}")
    found = kept(tmp_path, "engine")["run"]["measurements"]
    rivals = {BitBully.name: 0} if find_spec("bitbully") else {}
    assert {each["solver"]: each["wrong"] for each in found} == {"C4": 0, "c4": 0, **rivals}
    assert str(tmp_path) not in (tmp_path / "engine.json").read_text()
    done = CliRunner().invoke(main, ["engine", "run", "--program=x=/does/not/exist --fast"])
    assert (done.exit_code, "no program" in done.output) == (1, True)


def test_other_engine_runs() -> None:
    rival = BitBully()
    assert rival.solve(GAMES).scores == rival.run_columns(GAMES).scores == [-1, 8, -11]
    with pytest.raises(ValueError, match="cannot play"):
        rival.solve(["1111111"])


def test_networks_are_measured(tmp_path: Path) -> None:
    data = write_dataset(tmp_path / "tests", board=DEFAULT_BOARD, count=150, least_ply=8)
    small = ("--games", "2", "--sample", "5", "--threads", "1", "--table-mb", "64")
    run(tmp_path, "learning", "measure", "learning-residual", "--data", str(data), *small)
    measured = kept(tmp_path, "learning")["network-test"]["players"]
    assert [each["first"] for each in measured] == [[2, 0, 0]]
    texts = places(Results(tmp_path).read("learning"))
    assert "| `learning-residual` | " in texts["network"]
