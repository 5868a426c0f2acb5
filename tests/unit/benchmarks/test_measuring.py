"""What the benchmarks calculate from what they have measured."""

import math
import shlex
import sys

import pytest
from scipy import stats

from benchmarks.deep import Pair, pairs_row
from benchmarks.engine import solvers
from benchmarks.matches.comparison import difference_p, leader, standard_errors
from benchmarks.scaling import limits
from benchmarks.scaling.limits import Cost, Costs, Service, SharedCosts, UnitCost, UnitCosts
from benchmarks.scaling.meters import MeterError, database_meter
from c4core.arena.statistics import Tally
from cli.measuring import Lap, ScoredPosition

KNOWN = [ScoredPosition("52753311433677442422121", 8), ScoredPosition("271713432331713132", -11)]
ANSWERS = "import sys; [print(line.strip(), score, 10) for line, score in zip(sys.stdin, (8, -11))]"


def test_repetitions_are_interleaved_and_short_ones_repeated() -> None:
    order: list[str] = []

    def entry(name: str, repeats: int, seconds: float) -> solvers.Entry:
        def run() -> solvers.Run:
            order.append(name)
            return solvers.Run([1], Lap(seconds, seconds), 5)

        return solvers.Entry(name, run, repeats)

    first, second = solvers.compare(
        "g",
        "c",
        [0],
        [entry("a", 3, 2 * solvers.LEAST_SECONDS), entry("b", 2, solvers.LEAST_SECONDS / 2)],
    )
    assert order == list("ababbabb"), "a first pass that is short does not count"
    assert (first.wrong, first.nodes, first.count, len(first.cpu)) == (1, 5, 1, 3)
    assert second.cpu == pytest.approx([solvers.LEAST_SECONDS / 2] * 2)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (ANSWERS, ""),
        ("pass", "0 answers to 2 positions"),
        ("[print(line.strip(), 'draw') for line in open(0)]", "answers are not 'moves score'"),
        ("import sys; sys.exit(sys.stdin.read() != '')", "exit status 1"),
    ],
)
def test_programs_answer_with_scores(code: str, message: str) -> None:
    program = solvers.Program("other", shlex.join([sys.executable, "-Sc", code]))
    games = [position.moves for position in KNOWN]
    if message:
        with pytest.raises(solvers.ProgramError, match=message):
            program.run(games)
    else:
        found = program.run(games)
        assert (found.scores, found.nodes) == ([8, -11], 20)


def test_standard_errors_and_leaders() -> None:
    # 20 of 100 and 30 of 100: the difference is 0.1, its standard error 0.0612.
    few, more = Tally(20, 80), Tally(30, 70)
    assert standard_errors(few, more) == pytest.approx(1.633, abs=0.001)
    assert standard_errors(Tally(9, 0), Tally(5, 0)) == 0.0
    tallies = (Tally(80, 20), Tally(20, 80), Tally(53, 34, 13), Tally(0, 0, 9))
    assert [leader(tally) for tally in tallies] == ["a", "b", None, None]


@pytest.mark.parametrize(
    ("one", "other"), [((26, 74, 0), (3, 97, 0)), ((3, 5, 4), (30, 10, 8)), ((2, 1, 7), (9, 9, 9))]
)
def test_difference_is_that_of_all_divisions(
    one: tuple[int, int, int], other: tuple[int, int, int]
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
    assert difference_p(Tally(*one), Tally(*other)) == pytest.approx(expected, rel=1e-9)
    assert difference_p(Tally(0, 0), Tally(*other)) == 1


def cost_of(**phases: Cost) -> Costs:
    """Nothing costs anything but these phases of a unit."""
    return Costs(UnitCosts(**{name: UnitCost(cost) for name, cost in phases.items()}))


def test_threads_pay_for_every_part_of_a_unit() -> None:
    most = limits.bound(Costs(), Service(workers=8, threads=2, unit_seconds=0.5))
    assert (most.units_per_second, most.searching) == pytest.approx((16 / 0.5, 1.0))
    assert limits.thread_limits(Costs(), Service()).least == math.inf
    claim, complete = Cost(400e-6, 1e-3, 100e-6, 4), UnitCost(Cost(1e-3), Cost(7e-6, 4e-6))
    ring = Cost(40e-6, 500e-6, 0.0, 1)
    costs = Costs(UnitCosts(claim=UnitCost(claim), complete=complete), SharedCosts(ring=ring))
    service = Service(unit_seconds=0.01, unit_positions=100, distance=1e-3)
    parts = 1.5e-3 + (1e-3 + 100 * 11e-6) + 540e-6 + 5 * 1e-3
    assert limits.unit_cycle(costs, service) == pytest.approx(0.01 + parts)
    assert limits.bound(costs, service).units_per_second == pytest.approx(1 / (0.01 + parts))


def test_throughput_ends_where_a_resource_does() -> None:
    for costs, limit in (
        (cost_of(complete=Cost(server=0.02)), 400.0),
        (cost_of(plan=Cost(client=0.004, server=0.001)), 200.0),
        (Costs(shared=SharedCosts(ring=Cost(0.001), take=Cost(0.004))), 200.0),
    ):  # the database, the planner, the broker
        service = Service(workers=1_000)
        alone = 1_000 / limits.unit_cycle(costs, service)
        assert limits.bound(costs, service).units_per_second == pytest.approx(min(alone, limit))
        assert limits.thread_limits(costs, service).least == pytest.approx(limit)


def test_limits_of_a_process_and_of_idle_workers() -> None:
    costs = cost_of(complete=Cost(client=0.01))
    assert limits.threads_of_a_process(costs, Service()) == pytest.approx(100)
    most = limits.bound(costs, Service(threads=200))
    assert (most.python, most.searching) == (pytest.approx(1.0), pytest.approx(0.5))
    idle = Costs(shared=SharedCosts(poll=Cost(0.01), ring=Cost(1e-4)))
    assert limits.bound(idle, Service(workers=99)).units_per_second > 0
    assert limits.bound(idle, Service(workers=101)).units_per_second == 0.0


def test_real_workers() -> None:
    found = [
        Pair("7x7", seconds, 1000, 10.0, nodes)
        for seconds, nodes in ((15.0, 900), (20.0, 1100), (12.0, 1000))
    ]
    assert pairs_row(found) == "| 7x7 | 15.0 s | 10.0 s | 1.50 (1.20 to 2.00) | 1.00 |"
    with pytest.raises(MeterError, match="has to run on this machine"):
        database_meter("no_such_database")
