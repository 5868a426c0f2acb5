"""The benchmarks: what they compare, how they keep and show it. Not how fast anything is."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.engine import boards, calls, classes, plot, positions, tables
from benchmarks.engine.compare import LEAST_SECONDS, Entry, compare
from benchmarks.engine.plan import Plan
from benchmarks.engine.programs import Program, ProgramError
from benchmarks.engine.results import Measurement, Results
from benchmarks.engine.solvers import C4, BitBully, Run
from benchmarks.page import fill
from benchmarks.record import this_machine, without_directories
from c4core import Position, Solver
from cli.bench.positions import CLASSES, Scored, by_class, class_of, read_scored, shipped_set
from cli.bench.timing import Lap, Spread, lap, three_digits, time_text

ROOT = Path(__file__).parents[3]
KNOWN = [
    Scored("2252576253462244111563365343671351441", -1),
    Scored("52753311433677442422121", 8),
    Scored("271713432331713132", -11),
]
GAMES = [position.moves for position in KNOWN]
SCORES = [position.score for position in KNOWN]


@pytest.fixture(scope="module")
def own() -> C4:
    return C4(table_mb=1)


@pytest.mark.parametrize(
    ("moves", "score", "name"),
    [
        ("2252576253462244111563365343671351441", -1, "end-easy"),
        ("52753311433677442422121", 8, "middle-easy"),
        ("274552224131661", 0, "middle-medium"),
        ("32164625", 11, "begin-easy"),
        ("32751571231557", -3, "begin-medium"),
        ("13712", 3, "begin-hard"),
        ("", 1, "begin-hard"),
    ],
)
def test_class_of_a_position(moves: str, score: int, name: str) -> None:
    assert class_of(Scored(moves, score)) == name


def test_scored_lines_are_read() -> None:
    assert read_scored(["4453 -2\n", "\n", "45 0 123 extra\n"]) == [("4453", -2), ("45", 0)]


@pytest.mark.parametrize("line", ["4453", "4453 x"])
def test_a_line_without_a_score_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="line 2 is not 'moves score'"):
        read_scored(["4453 -2", line])


def test_shipped_set_has_every_class_and_no_position_twice() -> None:
    classes_ = shipped_set()
    assert list(classes_) == list(CLASSES)
    everything = [position for scored in classes_.values() for position in scored]
    keys = {Position(position.moves).canonical_key for position in everything}
    assert len(keys) == len(everything)
    assert all(len(scored) >= 20 for scored in classes_.values())


def test_shipped_scores_are_right() -> None:
    scored = [one for name, part in shipped_set().items() if "easy" in name for one in part]
    found = Solver().solve_many([position.moves for position in scored])
    assert found.scores.tolist() == [position.score for position in scored]


def test_drawing_repeats_itself() -> None:
    wanted = {"end-easy": 5, "middle-easy": 2}
    drawn = positions.draw(7, wanted)
    assert drawn == positions.draw(7, wanted)
    assert drawn != positions.draw(8, wanted)
    assert {name: len(scored) for name, scored in drawn.items() if scored} == wanted
    for name, scored in drawn.items():
        assert all(class_of(position) == name for position in scored)
        for position in [Position(moves) for moves, _ in scored]:
            assert not any(map(position.is_winning, position.legal_columns()))


def test_a_directory_holds_classes(tmp_path: Path) -> None:
    (tmp_path / "end-easy.txt").write_text("4453 -2\n")
    assert positions.read_directory(tmp_path) == {"end-easy": [("4453", -2)]}


def test_a_directory_without_classes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none of end-easy"):
        positions.read_directory(tmp_path)


def test_a_bad_line_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "end-easy.txt").write_text("4453\n")
    with pytest.raises(ValueError, match=r"end-easy\.txt: line 1"):
        positions.read_directory(tmp_path)


def test_lap_adds_up() -> None:
    result, took = lap(lambda: 7)
    assert result == 7
    assert took.cpu >= 0
    assert took.wall >= 0
    assert (Lap(1, 2) + Lap(4, 5) - Lap(1, 1)) / 2 == Lap(2, 3)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "-"),
        (2.5e-9, "2.50 ns"),
        (3.42e-5, "34.2 µs"),
        (0.9996e-3, "1.00 ms"),
        (0.0999, "99.9 ms"),
        (1234.5, "1,234 s"),
    ],
)
def test_times_have_three_digits(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


def test_three_digits() -> None:
    assert [three_digits(n) for n in (0.001, 9.994, 9.996, 99.96)] == [
        "0.00",
        "9.99",
        "10.0",
        "100",
    ]


def test_own_solver_runs(own: C4) -> None:
    run = own.run(GAMES)
    assert run.scores == SCORES
    assert run.nodes
    assert own.run_columns(GAMES).scores == SCORES
    assert own.run(GAMES).nodes == run.nodes, "a pass starts with an empty table"
    assert own.run(GAMES, fresh=True).scores == SCORES


def test_rival_runs() -> None:
    pytest.importorskip("bitbully")
    rival = BitBully()
    assert rival.run(GAMES).scores == SCORES
    assert rival.run_columns(GAMES).scores == SCORES
    assert rival.ready("") == rival.ready("")
    with pytest.raises(ValueError, match="cannot play"):
        rival.ready("1111111")


ANSWERS = (
    "import sys; scores = dict(zip(sys.argv[1].split(','), sys.argv[2].split(',')));"
    "[print(line.strip(), scores[line.strip()], 10) for line in sys.stdin]"
)
"""A program that knows some positions, each after searching ten."""


def program(code: str, *arguments: str) -> Program:
    return Program("other", shlex.join([sys.executable, "-c", code, *arguments]))


@pytest.mark.parametrize("fresh", [False, True])
def test_a_program_is_fed_and_timed(*, fresh: bool) -> None:
    run = program(ANSWERS, ",".join(GAMES), ",".join(map(str, SCORES))).run(GAMES, fresh=fresh)
    assert run.scores == SCORES
    assert run.nodes == 30


def test_a_program_may_tell_no_nodes() -> None:
    assert program("[print(line.strip(), 1) for line in open(0)]").run(["44"]).nodes is None


def test_c4_itself_is_such_a_program() -> None:
    c4 = Program("c4", f"{sys.executable} -m cli solve - --format c4solver --no-store")
    assert c4.run(GAMES).scores == SCORES


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(ProgramError, match="no program"):
        Program("other", "/does/not/exist --fast")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("pass", "0 answers to 3 positions"),
        ("[print(line.strip(), 'draw') for line in open(0)]", "answers are not 'moves score'"),
        ("import sys; sys.exit(sys.stdin.read() != '')", "exit status 1"),
    ],
)
def test_a_program_that_gives_no_scores(code: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        program(code).run(GAMES)


def test_repetitions_are_interleaved() -> None:
    order: list[str] = []

    def entry(name: str, repeats: int) -> Entry:
        def run() -> Run:
            order.append(name)
            return Run([1], Lap(2 * LEAST_SECONDS, 2 * LEAST_SECONDS), 5)

        return Entry(name, run, repeats)

    first, second = compare("g", "c", [0], [entry("a", 3), entry("b", 2)])
    assert order == ["a", "b", "a", "b", "a"]
    assert len(first.cpu) == 3
    assert len(second.cpu) == 2
    assert (first.wrong, first.nodes, first.count) == (1, 5, 1)


def test_short_passes_are_repeated() -> None:
    part = Lap(LEAST_SECONDS / 4, LEAST_SECONDS / 4)
    passes: list[int] = []

    def run() -> Run:
        passes.append(1)
        return Run([1, 2], part)

    (measured,) = compare("g", "c", [1, 2], [Entry("a", run, 2)])
    assert len(passes) == 1 + 2 * 4, "one to warm up, and two repetitions of four"
    assert measured.cpu == pytest.approx([part.cpu] * 2)
    assert measured.each.median == pytest.approx(part.cpu / 2)
    assert measured.nodes is None


def test_rivals_are_compared_on_their_share(own: C4) -> None:
    plan = Plan(repeats=1, rival_repeats=1, rival_positions={"middle-easy": 1})
    scored = {"middle-easy": KNOWN[1:]}
    rival = C4(table_mb=1)
    rival.name = "rival"
    found = list(classes.measure(plan, scored, own, [rival], fresh=False))
    assert [(one.solver, one.count) for one in found] == [("C4", 2), ("C4", 1), ("rival", 1)]
    assert not any(one.wrong for one in found)


def test_boards_are_solved(own: C4) -> None:
    assert boards.solve_board(own, "5x4").scores == [0]
    assert boards.solve_board(own, "5x4", weak=True).scores == [0]


def test_calls_have_one_move_left() -> None:
    position = Position(calls.ONE_MOVE_LEFT)
    assert not position.is_over
    assert len(position.legal_columns()) == 1
    assert Solver().solve(position).score == 0


def results() -> Results:
    own = Measurement("classes", "end-easy", "C4", 10, [1e-4, 3e-4, 2e-4], [1e-4] * 3, 500)
    rival = replace(own, solver="Other", cpu=[1e-3], wall=[1e-3])
    return Results(
        date="2026-01-31",
        command="python -m benchmarks run",
        positions="some",
        table="kept",
        machine=this_machine(),
        versions={"C4": "1"},
        measurements=[own, rival],
    )


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.json"
    results().write(path)
    assert Results.read(path) == results()


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"format": 99}')
    with pytest.raises(ValueError, match="no results of a benchmark"):
        Results.read(path)


def test_spread() -> None:
    assert results().measurements[0].elapsed == Spread(1e-4, 1e-4, 1e-4)
    assert results().measurements[0].each.median == pytest.approx(2e-5)


def test_paths_of_a_machine_are_not_published() -> None:
    command = "run --positions /home/me/set --output build/x.json --program 'P=/opt/p/solver -w'"
    assert without_directories(command) == (
        "run --positions set --output build/x.json --program 'P=solver -w'"
    )


def test_tables() -> None:
    texts = tables.sections(results())
    assert "| end-easy | 10 | 20.0 µs | 10.0 to 30.0 µs | 50 | 0 |" in texts["classes"]
    assert "| end-easy | 10 | 20.0 µs | 100 µs | 5.00 |" in texts["rivals"]
    assert texts["boards"] == tables.NOT_MEASURED


def test_the_page_has_every_place() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    once = fill(page, tables.sections(results()))
    assert "20.0 µs" in once
    assert fill(once, tables.sections(results())) == once


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("", "no place for run"),
        ("<!-- begin odd -->\n<!-- end odd -->", "a place for 'odd'"),
    ],
)
def test_a_page_with_other_places_is_refused(page: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fill(page, {"run": "text"})


def test_plot_is_drawn_the_same_twice(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot.draw(results(), tmp_path / "one")
    plot.draw(results(), tmp_path / "two")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.png").stat().st_size > 0


def test_classes_are_sorted_out() -> None:
    assert by_class(KNOWN)["middle-easy"] == KNOWN[1:]
