"""The costs of players' parameters, and the limits for untrusted descriptions."""

import subprocess
import sys

import pytest

from c4core.players import LEVELS, PlayerCostError, parse_player, player_kinds
from c4core.players.parameters import FREE, MOST_BYTES, Real, Whole
from c4core.players.registry import check_costs, memory_of, untrusted_limit

WITHOUT_COST = {
    "blunder",
    "center_weight",
    "exploration",
    "min_games",
    "stop_after",
    "stop_gap",
    "temperature",
}
"""Numeric parameters that affect neither memory nor time."""


def test_every_number_has_a_cost_or_is_listed_as_free() -> None:
    numbers = {
        (parameter.name, parameter.cost == FREE)
        for kind in player_kinds()
        for parameter in kind.parameters
        if isinstance(parameter.values, Whole | Real)
    }
    assert {name for name, is_free in numbers if is_free} == WITHOUT_COST


def test_defaults_and_levels_are_within_the_limits() -> None:
    for name in [*LEVELS, *(kind.name for kind in player_kinds() if kind.stands_alone)]:
        check_costs(parse_player(name, checked=False))


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("minimax-threats:cache=exact,cache_size=100000000", "cache_size"),
        ("mcts-uct:iterations=5000000", "iterations"),
        ("alphabeta:depth=20", "depth"),
        ("minimax-runs:time_ms=none", "max_depth"),
        ("minimax-runs:time_ms=3600000", "time_ms"),
        ("minimax-threats:time_ms=3600000", "time_ms"),
    ],
)
def test_costly_descriptions_are_refused(text: str, parameter: str) -> None:
    with pytest.raises(PlayerCostError) as refusal:
        check_costs(parse_player(text))
    assert refusal.value.parameter == parameter
    message = str(refusal.value)
    assert f"{parameter}=" in message
    assert "the limit is" in message
    assert "--allow-programs" in message


@pytest.mark.parametrize(
    "text",
    [
        "minimax-runs:time_ms=none,max_depth=11",
        "minimax-runs:time_ms=1000,max_depth=64",
        "minimax-threats:time_ms=none,max_depth=8",
        "montecarlo-timed:time_ms=3600000,playouts=1000",
    ],
)
def test_the_first_limit_reached_ends_the_move(text: str) -> None:
    check_costs(parse_player(text))


@pytest.mark.parametrize(
    ("name", "parameter", "others"),
    [
        ("mcts-uct", "iterations", ""),
        ("minimax-threats", "cache_size", ",cache=exact,time_ms=none,max_depth=10"),
    ],
)
def test_the_costliest_move_stays_within_its_stated_memory(
    name: str, parameter: str, others: str
) -> None:
    kind = next(kind for kind in player_kinds() if kind.name == name)
    declared = next(each for each in kind.parameters if each.name == parameter)
    text = f"{name}:{parameter}={untrusted_limit(kind, declared):.0f}{others}"
    assert 0.9 * MOST_BYTES < memory_of(parse_player(text)) <= MOST_BYTES
    program = (
        "import resource, sys\n"
        "from c4core import Position\n"
        "from c4core.dice import Dice\n"
        "from c4core.players import parse_player\n"
        "parse_player('random').make().choose(Position('44'), Dice(1))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "parse_player(sys.argv[1]).make().choose(Position('44'), Dice(1))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    grown = int(subprocess.check_output([sys.executable, "-c", program, text]))
    unit = 1 if sys.platform == "darwin" else 1024
    assert grown * unit < MOST_BYTES + (8 << 20)
