"""Every program that measures runs with its smallest input. How fast anything is does not matter.

Those that take longer are in ``tests/release/long/test_benchmark_programs.py``.
"""

import re
import shlex
import shutil
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

import benchmarks.__main__ as engine_main
from benchmarks.certificates import narrow
from benchmarks.engine.plan import Plan
from benchmarks.engine.results import Results
from benchmarks.experiments import corpus, heuristics
from benchmarks.experiments import results as findings
from benchmarks.experiments.catalogue import EXPERIMENTS
from benchmarks.matches.outcomes import Outcomes
from benchmarks.page import DOCS, RESULTS
from benchmarks.scaling.costs import Measured
from benchmarks.web.questions import book_moves, position_targets, positions, steps
from c4core.position import Position
from tests.support.running.benchmarks import read, run, use_copies

C4SOLVER = f"c4={shlex.quote(sys.executable)} -m cli solve - --format c4solver --no-store"


def test_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program takes part: c4 itself, as a process."""
    classes = tmp_path / "classes"
    classes.mkdir()
    (classes / "end-easy.txt").write_text("2252576253462244111563365343671351441 -1\n")
    monkeypatch.setattr(engine_main, "QUICK", Plan(repeats=1, rival_repeats=1))
    out = tmp_path / "results.json"
    options = ("--quick", "--no-rivals", "--threads=1", f"--positions={classes}")
    run("", "run", *options, "--only=classes", f"--program={C4SOLVER}", "--output", str(out))
    found = Results.read(out)
    assert {each.group for each in found.measurements} == {"classes"}
    assert {each.solver for each in found.measurements} == {"C4", "c4"}
    assert found.wrong == 0
    assert str(tmp_path) not in out.read_text()


def test_positions_and_sample(tmp_path: Path) -> None:
    run("", "positions", str(tmp_path / "drawn"), "--count", "1", "--hard", "0")
    assert len((tmp_path / "drawn").read_text().splitlines()) == 5
    sample = (DOCS.parent / "cli" / "data" / "sample-positions.txt").read_text()
    assert [line for line in run("", "sample").splitlines() if line not in sample] == []


def test_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = use_copies(tmp_path, monkeypatch, "benchmarks.certificates.results")
    for limit in ("MOST_CELLS", "MOST_NARROW_CELLS"):
        monkeypatch.setattr(narrow, limit, 4)
    run("certificates", "boards", "4x4")
    run("certificates", "narrow")
    run("certificates", "tampered", "--files", "12")
    run("certificates", "games", "--certificate", "5x4", "--games", "4", "random", "perfect")
    found = read(figures)
    (proven,) = (entry for entry in found["boards"] if entry["board"] == "4x4")
    assert (proven["score"], proven["positions"] > 100) == (0, True)
    assert min(proven["make_seconds"], proven["check_seconds"], proven["python_seconds"]) > 0
    assert found["narrow"][-1]["boards"] == 8  # one to four columns of as many rows as fit
    for opponent in ("random", "perfect"):
        (played,) = (
            entry
            for entry in found["games"]
            if (entry["opponent"], entry["games"]) == (opponent, 4)
        )
        assert (played["below"], played["forfeits"], played["searches"]) == (0, 0, 0)


def test_deep_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = use_copies(tmp_path, monkeypatch, "benchmarks.deep.__main__", "PROOFS")
    run("deep", "boards", "4x4", "--threads=1", "--table-mb=1")
    (proof,) = (entry for entry in read(figures) if entry["board"] == "4x4")
    assert proof["score"] == 0
    assert min(proof["nodes"], proof["pieces"], proof["single_nodes"], proof["seconds"]) > 0
    assert "| 4x4 | 0 | " in (tmp_path / "deep.md").read_text()


def test_deep_simulation() -> None:
    lines = run("deep", "simulate", "4x4", "5x4", "--workers=1,3", "--table-mb=1").splitlines()
    assert [line.split(":")[0] for line in lines if "in one search" in line] == ["4x4", "5x4"]
    numbers = [line.split()[1] for line in lines if line.startswith("| ")]
    assert numbers == [*("workers", "1", "3", "workers", "1", "3")]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "SIZES", (0, 20))
    monkeypatch.setattr(heuristics, "DEPTHS", (2, 4))
    file = tmp_path / "figures.json"
    told = run("experiments", name, "--sample", "2", "--output", str(file))
    found = findings.read(file)[name].finding
    assert told == f"{name}: {found.found}\n"
    assert found.rows
    assert {len(row) for row in found.rows} == {len(found.headings)}
    assert not re.search(r"nan|inf\b", found.found)


def test_matches(tmp_path: Path) -> None:
    file = tmp_path / "matches.json"
    arguments = ["--db", str(tmp_path / "c4.db"), "--group", "line", "--output", str(file)]
    run("matches", "run", *arguments)
    first = Outcomes.read(file)
    assert [outcome.results.games for outcome in first.matches] == [500] * 2
    assert first.longer == []
    run("matches", "run", *arguments, "--games", "600")
    again = Outcomes.read(file)
    assert again.matches == first.matches
    assert [outcome.results.games for outcome in again.longer] == [600] * 2
    assert str(tmp_path) not in file.read_text()
    page = tmp_path / "matches.md"
    shutil.copy(DOCS / "matches.md", page)
    run("matches", "report", str(file), "--page", str(page))
    assert "not played yet" in page.read_text()


def test_scaling(tmp_path: Path) -> None:
    """What measures on servers is in ``tests/release/servers``."""
    options = ["--workers", "4", "--threads", "2", "--unit-seconds", "0.5"]
    told = run("scaling", "limits", str(RESULTS / "scaling.json"), *options)
    assert re.search(r"^units/s, at most +15\.\d$", told, re.MULTILINE)
    assert re.search(r"^threads that search +9\d\.\d%$", told, re.MULTILINE)
    assert "database serves" in told
    file = tmp_path / "scaling.json"
    shutil.copy(RESULTS / "scaling.json", file)
    run("scaling", "book", "12", "3.5", str(file))
    assert Measured.read(file).book_seconds[12] == 0.0035


def test_storage_overhead() -> None:
    told = run("storage", "overhead", "--positions=20", "--runs=1", "--threads=1")
    assert "a position alone" in told


def test_questions_to_the_server() -> None:
    """The load itself needs the program wrk."""
    openings = book_moves(1, 120)
    assert sorted({len(text) for text in openings}) == list(range(12))
    found = [Position(text) for text in positions(1, 50, 22)]
    assert len({position.canonical_key for position in found}) == 50
    assert not any(position.is_over for position in found)
    mine = steps(1, clients=3, games=2)[::3]  # one client's
    assert len(mine) == 2 * 12
    assert all(other.startswith(one) or not other for one, other in pairwise(mine))
    assert position_targets(["44"]) == ["/api/v1/position?moves=44"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--program", "x"), "is not NAME=COMMAND"),
        (("run", "--program", "x=/does/not/exist --fast"), "no program"),
        (("run", "--positions", "."), "none of end-easy"),
    ],
)
def test_engine_refuses(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(engine_main.main, arguments)
    assert done.exit_code != 0
    assert message in done.output
