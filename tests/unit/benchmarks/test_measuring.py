"""What the benchmarks compute from what they have measured."""

import math
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks.books import ways
from benchmarks.engine import classes, positions
from benchmarks.engine.compare import LEAST_SECONDS, Entry, compare
from benchmarks.engine.plan import Plan
from benchmarks.engine.programs import Program, ProgramError
from benchmarks.engine.solvers import C4, Run
from benchmarks.experiments.playing import made, play, play_both
from benchmarks.learning.plots import win_shares
from benchmarks.matches import agreement, comparison
from benchmarks.matches.outcomes import Outcomes
from benchmarks.matches.sources import all_matches
from benchmarks.page import RESULTS
from benchmarks.record import without_directories
from benchmarks.scaling.costs import Cost, Costs, Measured, SharedCosts, UnitCost, UnitCosts
from benchmarks.scaling.limits import (
    Service,
    bound,
    thread_limits,
    threads_of_a_process,
    unit_cycle,
)
from c4core import Position, Solver
from c4core.arena.statistics import Tally
from c4core.notation import DEFAULT_BOARD
from cli.bench.positions import Scored, class_of
from cli.bench.timing import Lap
from tests.support.boards import learning

KNOWN = [
    Scored("2252576253462244111563365343671351441", -1),
    Scored("52753311433677442422121", 8),
    Scored("271713432331713132", -11),
]
GAMES = [position.moves for position in KNOWN]
SCORES = [position.score for position in KNOWN]


class TestEngine:
    """The solver alone and beside others."""

    def test_drawing_repeats_itself(self) -> None:
        wanted = {"end-easy": 5, "middle-easy": 2}
        drawn = positions.draw(7, wanted)
        assert drawn == positions.draw(7, wanted) != positions.draw(8, wanted)
        assert {name: len(scored) for name, scored in drawn.items() if scored} == wanted
        for name, scored in drawn.items():
            assert all(class_of(position) == name for position in scored)
            for position in [Position(moves) for moves, _ in scored]:
                assert not any(map(position.is_winning, position.legal_columns()))

    def test_bad_line_of_a_class_names_its_file(self, tmp_path: Path) -> None:
        (tmp_path / "end-easy.txt").write_text("4453 -2\n")
        assert positions.read_directory(tmp_path) == {"end-easy": [("4453", -2)]}
        (tmp_path / "end-easy.txt").write_text("4453\n")
        with pytest.raises(ValueError, match=r"end-easy\.txt: line 1"):
            positions.read_directory(tmp_path)

    def test_repetitions_are_interleaved(self) -> None:
        order: list[str] = []

        def entry(name: str, repeats: int) -> Entry:
            def run() -> Run:
                order.append(name)
                return Run([1], Lap(2 * LEAST_SECONDS, 2 * LEAST_SECONDS), 5)

            return Entry(name, run, repeats)

        first, second = compare("g", "c", [0], [entry("a", 3), entry("b", 2)])
        assert order == ["a", "b", "a", "b", "a"]
        assert (len(first.cpu), len(second.cpu)) == (3, 2)
        assert (first.wrong, first.nodes, first.count) == (1, 5, 1)

    def test_short_passes_are_repeated(self) -> None:
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

    def test_rivals_are_compared_on_their_share(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("benchmarks.engine.compare.LEAST_SECONDS", 0)
        plan = Plan(repeats=1, rival_repeats=1, rival_positions={"middle-easy": 1})
        rival = C4(table_mb=1)
        rival.name = "rival"
        scored = {"middle-easy": KNOWN[1:]}
        found = list(classes.measure(plan, scored, C4(table_mb=1), [rival], fresh=False))
        counts = [(one.solver, one.count) for one in found]
        assert counts == [("C4", 2), ("C4", 1), ("rival", 1)]
        assert not any(one.wrong for one in found)

    def test_paths_of_a_machine_are_not_published(self) -> None:
        command = (
            "run --positions /home/me/set --output build/x.json --program 'P=/opt/p/solver -w'"
        )
        shown = "run --positions set --output build/x.json --program 'P=solver -w'"
        assert without_directories(command) == shown


class TestPrograms:
    """Other solvers, which read moves and write scores."""

    ANSWERS = (
        "import sys; scores = dict(zip(sys.argv[1].split(','), sys.argv[2].split(',')));"
        "[print(line.strip(), scores[line.strip()], 10) for line in sys.stdin]"
    )
    """A program that knows some positions, each after searching ten."""

    @staticmethod
    def program(code: str, *arguments: str) -> Program:
        """Python with some code."""
        return Program("other", shlex.join([sys.executable, "-Sc", code, *arguments]))

    @pytest.mark.parametrize("fresh", [False, True])
    def test_fed_and_timed(self, *, fresh: bool) -> None:
        program = self.program(self.ANSWERS, ",".join(GAMES), ",".join(map(str, SCORES)))
        found = program.run(GAMES, fresh=fresh)
        assert (found.scores, found.nodes) == (SCORES, 30)

    @pytest.mark.parametrize(
        ("code", "message"),
        [
            ("pass", "0 answers to 3 positions"),
            ("[print(line.strip(), 'draw') for line in open(0)]", "answers are not 'moves score'"),
            ("import sys; sys.exit(sys.stdin.read() != '')", "exit status 1"),
        ],
    )
    def test_without_scores(self, code: str, message: str) -> None:
        with pytest.raises(ProgramError, match=message):
            self.program(code).run(GAMES)


def test_every_way_to_solve_a_book_solves_every_position() -> None:
    drawn = learning.random_positions(40, board=DEFAULT_BOARD, least_ply=24)
    keys = np.array(sorted({position.key for position in drawn}), dtype=np.uint64)
    alone = [ways._emptied_table(keys[index : index + 1], 1).nodes[0] for index in range(len(keys))]
    assert ways._emptied_table(keys, 1).nodes.tolist() == alone
    for related in (True, False):
        kept = ways._kept_table([keys[:20], keys[20:]], 1, related=related)
        at_once = Solver(table_mb=1).solve_many(keys, related=related)
        assert kept.nodes.tolist() == at_once.nodes.tolist()


class TestExperiments:
    """Games that experiments play."""

    def test_games_are_seen_by_both_players(self) -> None:
        a, b = made("set"), made("random")
        games = play(a, b, 20, 1)
        seen = games.reversed()
        assert (games.results.wins, games.won_moves) == (seen.results.losses, seen.lost_moves)
        assert (games.results.games, games.score > 0.8) == (20, True)
        assert games.score + seen.score == pytest.approx(1)
        assert play(a, b, 20, 1).text == games.text
        assert play_both(a, b, 5, 1).results.games == 5


def test_draws_count_as_games() -> None:
    assert list(win_shares("wdlw")) == [1, 1 / 2, 1 / 3, 1 / 2]


class TestMatches:
    """Results of sources and of c4 are compared."""

    def test_standard_errors_and_leaders(self) -> None:
        # 20 of 100 and 30 of 100: the difference is 0.1, its standard error 0.0612.
        few, more = Tally(20, 80), Tally(30, 70)
        assert comparison.standard_errors(few, more) == pytest.approx(1.633, abs=0.001)
        assert comparison.standard_errors(more, few) == pytest.approx(-1.633, abs=0.001)
        assert comparison.standard_errors(Tally(0, 0, 50), Tally(25, 25)) == 0.0
        assert comparison.standard_errors(Tally(9, 0), Tally(5, 0)) == 0.0
        tallies = (Tally(80, 20), Tally(20, 80), Tally(53, 34, 13), Tally(0, 0, 9))
        assert [comparison.leader(tally) for tally in tallies] == ["a", "b", None, None]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ((26, 74, 0), (3, 97, 0)),
            ((10, 0, 0), (9, 1, 0)),
            ((3, 5, 4), (30, 10, 8)),
            ((2, 1, 7), (9, 9, 9)),
        ],
    )
    def test_difference_is_that_of_all_divisions(
        self, one: tuple[int, int, int], other: tuple[int, int, int]
    ) -> None:
        whole, games = [sum(pair) for pair in zip(one, other, strict=True)], sum(one)
        law = stats.multivariate_hypergeom(whole, games)
        mean = games * (whole[0] + whole[2] / 2) / sum(whole)
        away = abs(one[0] + one[2] / 2 - mean)
        expected = sum(
            law.pmf([wins, games - wins - draws, draws])
            for wins in range(games + 1)
            for draws in range(games - wins + 1)
            if abs(wins + draws / 2 - mean) >= away - 1e-9
        )
        found = comparison.difference_p(Tally(*one), Tally(*other))
        assert found == pytest.approx(expected, rel=1e-9)
        if one[2] == other[2] == 0:  # without draws, and of samples of one size, it is Fisher's
            fisher = stats.fisher_exact([one[:2], other[:2]]).pvalue
            assert found == pytest.approx(fisher, rel=1e-9)

    def test_differences_at_the_ends(self) -> None:
        assert comparison.difference_p(Tally(5, 0), Tally(2000, 0)) == 1
        assert comparison.difference_p(Tally(0, 0), Tally(3, 4)) == 1
        assert comparison.difference_p(Tally(100, 0), Tally(0, 0, 2000)) < 1e-100

    def test_result_of_a_source_counts_once(self) -> None:
        outcomes = Outcomes.read(RESULTS / "matches.json")
        for longer in (False, True):
            found = agreement.comparisons(outcomes, longer=longer)
            assert len({each.match.result for each in found}) == len(found)
        counted = agreement.comparisons(outcomes, longer=False)
        assert not any(each.match.reading_of for each in counted)
        assert len(counted) == len({match.result for match in all_matches() if match.reported})


COSTS = Costs(
    UnitCosts(
        plan=UnitCost(Cost(50e-6, 100e-6), Cost(1e-6, 2e-6)),
        claim=UnitCost(Cost(400e-6, 1e-3, 100e-6, 4)),
        solve=UnitCost(Cost(150e-6, 500e-6, 50e-6, 3), Cost(1e-6, 6e-6)),
        complete=UnitCost(Cost(1e-3, 3e-3, 200e-6, 16), Cost(7e-6, 4e-6)),
    ),
    SharedCosts(
        ring=Cost(40e-6, 500e-6, 0.0, 1),
        take=Cost(90e-6, 1e-3, 0.0, 3),
        heartbeat=Cost(300e-6, 700e-6),
        turn=Cost(130e-6, 800e-6),
        beat=Cost(500e-6, 2e-3),
        sweep=Cost(2e-3, 12e-3),
        poll=Cost(300e-6),
    ),
)


def cost_of(**phases: Cost) -> Costs:
    """Nothing costs anything but these phases of a unit."""
    return Costs(UnitCosts(**{name: UnitCost(cost) for name, cost in phases.items()}))


class TestScaling:
    """What the costs of single steps make of a service: bounds worked out by hand."""

    MEASURED = Measured.read(RESULTS / "scaling.json")

    def test_threads_that_pay_for_nothing_only_search(self) -> None:
        most = bound(Costs(), Service(workers=8, threads=2, unit_seconds=0.5))
        assert most.units_per_second == pytest.approx(16 / 0.5)
        assert most.searching == pytest.approx(1.0)
        assert most[2:] == (0.0, 0.0, 0.0, 0.0)
        assert thread_limits(Costs(), Service()).least == math.inf

    def test_one_thread_pays_for_every_part_of_a_unit(self) -> None:
        service = Service(unit_seconds=0.01, unit_positions=100, distance=1e-3)
        unit, shared = COSTS.unit, COSTS.shared
        parts = [unit.claim.of(100), unit.solve.of(100), unit.complete.of(100)]
        cycle = 0.01 + sum(
            part.server + part.client + part.wait + 1e-3 * part.round_trips
            for part in [*parts, shared.ring, shared.take]
        )
        assert unit_cycle(COSTS, service) == pytest.approx(cycle)
        assert bound(COSTS, service).units_per_second == pytest.approx(1 / cycle)
        assert bound(COSTS, service).searching == pytest.approx(0.01 / cycle)

    @pytest.mark.parametrize(
        ("costs", "cores", "limit"),
        [
            (cost_of(complete=Cost(server=0.01)), 4, 400.0),
            (cost_of(plan=Cost(client=0.004, server=0.001)), 8, 200.0),
            (Costs(shared=SharedCosts(ring=Cost(0.001), take=Cost(0.004))), 8, 200.0),
        ],
        ids=["database", "planner", "broker"],
    )
    def test_throughput_ends_where_a_resource_does(
        self, costs: Costs, cores: int, limit: float
    ) -> None:
        service = Service(workers=1_000, database_cores=cores)
        alone = 1_000 / unit_cycle(costs, service)
        assert bound(costs, service).units_per_second == pytest.approx(min(alone, limit))
        assert thread_limits(costs, service).least == pytest.approx(limit)

    def test_limits_of_a_process_a_planner_and_idle_workers(self) -> None:
        costs = cost_of(complete=Cost(client=0.01))
        assert threads_of_a_process(costs, Service()) == pytest.approx(100)
        most = bound(costs, Service(threads=200))
        assert (most.python, most.searching) == (pytest.approx(1.0), pytest.approx(0.5))
        planner = cost_of(plan=Cost(client=0.1))
        assert bound(planner, Service(workers=100)).units_per_second == pytest.approx(10)
        before = bound(planner, Service(workers=100), planned=True)
        assert before.units_per_second == pytest.approx(100)
        idle = Costs(COSTS.unit, replace(COSTS.shared, poll=Cost(0.01)))
        assert bound(idle, Service(workers=99)).units_per_second > 0
        assert bound(idle, Service(workers=101)).units_per_second == 0.0
