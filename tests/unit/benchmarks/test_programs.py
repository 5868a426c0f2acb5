"""Every program that measures runs with its smallest input, and the pages show what was kept.

How fast anything is does not matter. Programs that take longer are tested in ``tests/release``.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import certificates
from benchmarks.__main__ import PAGES, SUBJECTS, main
from benchmarks.experiments import sources
from benchmarks.experiments.sources import EXPERIMENTS
from benchmarks.learning.pages import NOT_MEASURED, PARTS
from benchmarks.matches.measure import Outcomes
from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.page import DOCS, fill, span_text
from benchmarks.record import RESULTS, Results
from benchmarks.scaling.measure import main as scaling
from c4core.players import parse_player
from c4core.proof.certificate import BOARDS, shipped_file
from cli.measuring import shipped_set
from tests.support.running.benchmarks import kept, run

C4SOLVER = f"c4={shlex.quote(sys.executable)} -m cli solve - --format c4solver --no-store"
SMALLEST = {
    "engine positions drawn --count 1 --hard 0": "",
    "engine sample": r"^\d{41}$",
    "certificates boards 4x4": "'score': 0, 'positions': 367",
    "certificates narrow": "'boards': 8,",  # one to four columns of as many rows as fit
    "certificates tampered --files 12": "'files': 12,",
    "certificates games --certificate 5x4 --games 4 random perfect": (
        "'perfect', 'games': 4.*'below': 0, 'forfeits': 0, 'searches': 0"
    ),
    "deep boards 4x4 --threads=1 --table-mb=1": "'board': '4x4', 'score': 0",
    "matches run --db c4.db --group line": "^line: random - set:fallback=column: ",
    "matches run --db c4.db --group line --games 600": "^line: random - set:fallback=vector: ",
    "scaling limits --workers 4 --threads 2 --unit-seconds 0.5": r"^units/s, at most +15\.\d$",
    "scaling book 12 3.5": "",
    "storage overhead --positions=20 --runs=1 --threads=1": "a position alone",
    **{f"experiments {name} --sample 2": f"^{name}: [^:]" for name in EXPERIMENTS},
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the results; everything is small."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(certificates, "MOST_NARROW_CELLS", 4)
    monkeypatch.setattr(sources, "CORPUS_SIZES", (0, 20))
    monkeypatch.setattr(sources, "DEPTHS", (2, 4))
    return Path(shutil.copytree(RESULTS, tmp_path / "results"))


@pytest.mark.parametrize("command", SMALLEST)
def test_smallest_input(command: str, results: Path) -> None:
    out = run(results, *command.split())
    assert re.search(SMALLEST[command], out, re.MULTILINE), out
    subject = command.partition(" ")[0]
    if SUBJECTS[subject].page:  # what was kept can be shown, beside the rest
        shutil.copytree(DOCS, "docs", ignore=shutil.ignore_patterns("*.png"))
        run(results, "render", "--no-plots", "--docs", "docs", subject)


def test_engine_and_another_program(tmp_path: Path) -> None:
    (tmp_path / "end-easy.txt").write_text("2252576253462244111563365343671351441 -1\n")
    options = ("--quick", "--no-rivals", "--threads=1", "--only=classes", "--program", C4SOLVER)
    run(tmp_path, "engine", "run", *options, f"--positions={tmp_path}")
    found = kept(tmp_path, "engine")["run"]["measurements"]
    assert [(each["solver"], each["wrong"]) for each in found] == [("C4", 0), ("c4", 0)]
    assert str(tmp_path) not in (tmp_path / "engine.json").read_text()


def test_engine_refuses(tmp_path: Path) -> None:
    for option, message in (
        ("--program=x", "is not NAME=COMMAND"),
        ("--program=x=/does/not/exist --fast", "no program"),
        (f"--positions={tmp_path}", "none of end-easy"),
    ):
        done = CliRunner().invoke(main, ["engine", "run", option])
        assert (done.exit_code > 0, message in done.output) == (True, True), done.output


@pytest.mark.parametrize("name", PAGES)
def test_page_shows_the_figures_that_were_kept(name: str, tmp_path: Path) -> None:
    page = f"{SUBJECTS[name].page}.md"
    shown = (DOCS / page).read_text()
    emptied = re.sub(r"(<!-- begin \w+ -->\n).*?(<!-- end)", r"\1\2", shown, flags=re.DOTALL)
    (tmp_path / page).write_text(emptied)
    run(RESULTS, "render", "--no-plots", "--docs", str(tmp_path), name)
    assert (tmp_path / page).read_text() == shown


def test_places_and_files_that_do_not_fit(tmp_path: Path) -> None:
    with_places = {path.stem for path in DOCS.glob("*.md") if "<!-- begin" in path.read_text()}
    assert with_places - {"reliability", "cli"} == {SUBJECTS[name].page for name in PAGES}
    with pytest.raises(ValueError, match="no place for run"):
        fill("", {"run": "text"})
    with pytest.raises(ValueError, match="a place for 'odd'"):
        fill("<!-- begin odd -->\n<!-- end odd -->", {"run": "text"})
    for text in ("[]", '{"format": 99}'):
        (tmp_path / "web.json").write_text(text)
        done = CliRunner().invoke(main, ["--results", str(tmp_path), "render", "web"])
        assert (done.exit_code, "web.json does not hold" in done.output) == (1, True)


def test_spans() -> None:
    seconds = (0.04, 59.4, 59.97, 1101.26, 3599.6, 9480.0)
    texts = ["0.0 s", "59.4 s", "1 min 00 s", "18 min 21 s", "1 h 00 min", "2 h 38 min"]
    assert [span_text(each) for each in seconds] == texts


def test_what_pages_promise() -> None:
    scores = {position.moves: position.score for position in shipped_set()["begin-hard"]}
    for name, each in kept(RESULTS, "certificates").items():
        assert not name.startswith("positions ") or scores[each["moves"]] == each["score"]
        assert not name.startswith("games ") or each["below"] == each["searches"] == 0
    named = " and ".join([", ".join(map(str, BOARDS[:-1])), str(BOARDS[-1])])
    page = (DOCS / "certificates.md").read_text()
    assert f"the empty boards {named} come with the program" in page
    assert all(shipped_file(board).stat().st_size <= 2_000_000 for board in BOARDS)
    page = (DOCS / "scaling.md").read_text()
    assert set(re.findall(r"python -m benchmarks scaling (\w+)", page)) == set(scaling.commands)
    assert set(kept(RESULTS, "learning")) == set(PARTS)
    assert NOT_MEASURED not in (DOCS / "learning.md").read_text()
    for name, each in kept(RESULTS, "experiments").items():
        assert each["sample"] == EXPERIMENTS[name].sample


def test_every_quick_match_was_played() -> None:
    outcomes = Outcomes.of(Results().read("matches"))
    matches = all_matches()
    assert len({match.name for match in matches}) == len(matches)
    assert {match.group for match in matches} == set(GROUPS)
    for match in matches:
        parse_player(match.a)
        parse_player(match.b)
        assert match.reported is None or match.reported.games == match.games, match.name
        outcome, longer = outcomes.find(match.name), outcomes.find(match.name, longer=True)
        assert match.is_slow or (outcome and longer), match.name
        assert outcome is None or outcome.results.games == match.games
