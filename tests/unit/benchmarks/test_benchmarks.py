"""Every benchmark runs with its smallest input, and the pages show the stored results.

Speed does not matter here. Longer programs are tested in ``tests/release``.
"""

import math
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
import scipy
from click.testing import CliRunner

from benchmarks.__main__ import PAGES, SUBJECTS, main
from benchmarks.engine import solvers
from benchmarks.matches.measure import Outcomes
from benchmarks.matches.pages import difference_p, leader, standard_errors
from benchmarks.matches.sources import all_matches
from benchmarks.page import DOCS, fill, span_text
from benchmarks.record import RESULTS, Results
from benchmarks.scaling import limits
from benchmarks.scaling.limits import Cost, Costs, Service, SharedCosts, UnitCost, UnitCosts
from c4core.arena.statistics import Tally
from c4core.players import parse_player
from cli.measuring import Lap
from tests.support.running.benchmarks import kept, run

C4SOLVER = f"c4={shlex.quote(sys.executable)} -m cli solve - --format c4solver --no-store"
SMALLEST = {
    "engine positions drawn --count 1 --hard 0": "",
    "engine sample": r"^\d{41}$",
    "certificates boards 4x4": "'score': 0, 'positions': 367",
    "certificates games --certificate 5x4 --games 4 random perfect": (
        "'perfect', 'games': 4.*'below': 0, 'forfeits': 0, 'searches': 0"
    ),
    "deep boards 4x4 --threads=1 --table-mb=1": "'board': '4x4', 'score': 0",
    "guesses boards 5x5 --count 2 --games 100": "'board': '5x5', 'games': 100, 'unsolved': 0",
    "matches run --db c4.db --group line": "^line: random - set:fallback=column: ",
    "matches run --db c4.db --group line --games 600": "^line: random - set:fallback=vector: ",
    "scaling limits --workers 4 --threads 2 --unit-seconds 0.5": r"^units/s, at most +15\.\d$",
    "scaling book 12 3.5": "",
}


@pytest.mark.parametrize("command", SMALLEST)
def test_smallest_input_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = Path(shutil.copytree(RESULTS, tmp_path / "results"))
    out = run(results, *command.split())
    assert re.search(SMALLEST[command], out, re.MULTILINE), out
    shutil.copytree(DOCS, "docs", ignore=shutil.ignore_patterns("*.png"))
    run(results, "render", "--no-plots", "--docs", "docs", command.partition(" ")[0])


def test_engine_is_compared_with_another_program(tmp_path: Path) -> None:
    (tmp_path / "end-easy.txt").write_text("2252576253462244111563365343671351441 -1\n")
    options = ("--quick", "--no-rivals", "--threads=1", "--only=classes", "--program", C4SOLVER)
    run(tmp_path, "engine", "run", *options, f"--positions={tmp_path}")
    found = kept(tmp_path, "engine")["run"]["measurements"]
    assert [(each["solver"], each["wrong"]) for each in found] == [("C4", 0), ("c4", 0)]
    assert str(tmp_path) not in (tmp_path / "engine.json").read_text()
    done = CliRunner().invoke(main, ["engine", "run", "--program=x=/does/not/exist --fast"])
    assert (done.exit_code, "no program" in done.output) == (1, True)


@pytest.mark.parametrize("name", PAGES)
def test_page_shows_the_stored_figures(name: str, tmp_path: Path) -> None:
    page = f"{SUBJECTS[name].page}.md"
    shown = (DOCS / page).read_text()
    emptied = re.sub(r"(<!-- begin \w+ -->\n).*?(<!-- end)", r"\1\2", shown, flags=re.DOTALL)
    (tmp_path / page).write_text(emptied)
    run(RESULTS, "render", "--no-plots", "--docs", str(tmp_path), name)
    assert (tmp_path / page).read_text() == shown


def test_places_files_and_times(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no place for run"):
        fill("", {"run": "text"})
    with pytest.raises(ValueError, match="a place with the unknown name 'odd'"):
        fill("<!-- begin odd -->\n<!-- end odd -->", {"run": "text"})
    (tmp_path / "web.json").write_text('{"format": 99}')
    done = CliRunner().invoke(main, ["--results", str(tmp_path), "render", "web"])
    assert (done.exit_code, "web.json does not hold" in done.output) == (1, True)
    seconds = (0.04, 59.97, 1101.26, 3599.6)
    assert [*map(span_text, seconds)] == ["0.0 s", "1 min 00 s", "18 min 21 s", "1 h 00 min"]


def test_every_quick_match_was_played() -> None:
    outcomes, matches = Outcomes.of(Results().read("matches")), all_matches()
    assert len({match.name for match in matches}) == len(matches)
    for match in matches:
        parse_player(match.a)
        parse_player(match.b)
        assert match.reported is None or match.reported.games == match.games, match.name
        outcome, longer = outcomes.find(match.name), outcomes.find(match.name, longer=True)
        assert match.is_slow or (outcome and longer), match.name
        assert outcome is None or outcome.results.games == match.games


def test_repetitions_are_interleaved_and_short_ones_repeated() -> None:
    order: list[str] = []
    least = solvers.LEAST_SECONDS

    def entry(name: str, repeats: int, seconds: float) -> solvers.Entry:
        def run() -> solvers.Run:
            order.append(name)
            return solvers.Run([1], Lap(seconds, seconds), 5)

        return solvers.Entry(name, run, repeats)

    entries = [entry("a", 3, 2 * least), entry("b", 2, least / 2)]
    first, second = solvers.compare("g", "c", [0], entries)
    assert order == list("ababbabb"), "a first pass that is short does not count"
    assert (first.wrong, first.nodes, first.count, len(first.cpu)) == (1, 5, 1, 3)
    assert second.cpu == pytest.approx([least / 2] * 2)


@pytest.mark.parametrize(
    ("one", "other"), [((26, 74, 0), (3, 97, 0)), ((3, 5, 4), (30, 10, 8)), ((2, 1, 7), (9, 9, 9))]
)
def test_difference_agrees_with_a_sum_over_all_divisions(
    one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    whole, games = [sum(pair) for pair in zip(one, other, strict=True)], sum(one)
    law = scipy.stats.multivariate_hypergeom(whole, games)
    mean = games * (whole[0] + whole[2] / 2) / sum(whole)
    away = abs(one[0] + one[2] / 2 - mean)
    divisions = [
        [wins, games - wins - draws, draws]
        for wins in range(games + 1)
        for draws in range(games - wins + 1)
        if abs(wins + draws / 2 - mean) >= away - 1e-9
    ]
    expected = law.pmf(divisions).sum()
    assert difference_p(Tally(*one), Tally(*other)) == pytest.approx(expected, rel=1e-9)
    # 20 of 100 and 30 of 100: the difference is 0.1, its standard error 0.0612.
    assert standard_errors(Tally(20, 80), Tally(30, 70)) == pytest.approx(1.633, abs=0.001)
    assert [leader(Tally(80, 20)), leader(Tally(20, 80)), leader(Tally(53, 40))] == ["a", "b", None]


def test_bounds_of_a_service() -> None:
    most = limits.bound(Costs(), Service(workers=8, threads=2, unit_seconds=0.5))
    assert (most.units_per_second, most.searching) == pytest.approx((16 / 0.5, 1.0))
    assert limits.thread_limits(Costs(), Service()).least == math.inf
    claim, complete = Cost(400e-6, 1e-3, 100e-6, 4), UnitCost(Cost(1e-3), Cost(7e-6, 4e-6))
    ring = Cost(40e-6, 500e-6, 0.0, 1)
    costs = Costs(UnitCosts(claim=UnitCost(claim), complete=complete), SharedCosts(ring=ring))
    service = Service(unit_seconds=0.01, unit_positions=100, distance=1e-3)
    parts = 1.5e-3 + (1e-3 + 100 * 11e-6) + 540e-6 + 5 * 1e-3
    assert limits.unit_cycle(costs, service) == pytest.approx(0.01 + parts)
    database = Costs(UnitCosts(complete=UnitCost(Cost(server=0.02))))
    planner = Costs(UnitCosts(plan=UnitCost(Cost(client=0.004, server=0.001))))
    broker = Costs(shared=SharedCosts(ring=Cost(0.001), take=Cost(0.004)))
    for costs, limit in ((database, 400.0), (planner, 200.0), (broker, 200.0)):
        service = Service(workers=1_000)
        alone = 1_000 / limits.unit_cycle(costs, service)
        assert limits.bound(costs, service).units_per_second == pytest.approx(min(alone, limit))
    idle = Costs(shared=SharedCosts(poll=Cost(0.01), ring=Cost(1e-4)))
    assert limits.bound(idle, Service(workers=99)).units_per_second > 0
    assert limits.bound(idle, Service(workers=101)).units_per_second == 0.0
