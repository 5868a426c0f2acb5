"""Descriptions of players: reading, checking, writing and listing them, and their costs."""

import itertools
import math
import subprocess
import sys

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.arena.game import play_game
from c4core.players import (
    LEVELS,
    PlayerError,
    PlayerKind,
    parse_player,
    player_kinds,
)
from c4core.players.roster.blog import BlogV6
from c4core.players.roster.montecarlo import MOST_ITERATIONS
from c4core.players.roster.perfect import Perfect


@pytest.mark.parametrize("kind", player_kinds(), ids=lambda kind: kind.name)
def test_every_kind_is_documented(kind: PlayerKind) -> None:
    assert kind.summary.endswith(".")
    assert kind.source
    assert kind.usage.startswith(kind.name)
    for parameter in kind.parameters:
        assert parameter.about
        assert parameter.allowed
        if not parameter.is_required:
            assert parameter.holds(parameter.default)
            assert parameter.parse(parameter.format(parameter.default)) == parameter.default
    required = any(parameter.is_required for parameter in kind.parameters)
    assert kind.stands_alone == (kind.argument is None and not required)


DESCRIPTIONS = [
    "blog-v6", " blog-v6 : depth = 2 ", "minimax-windows:randomize_order=off,depth=3",
    "set:fallback=vector", "random", "minimax-threats:max_depth=6,time_ms=none",
    "montecarlo-flat:center_weight=1.50", "perfect:blunder=0.10", "exec:cat -u --x=1,2:3",
    "python:a.b:c",
]  # fmt: skip


def test_descriptions_round_trip(snapshot: SnapshotAssertion) -> None:
    found = {}
    for text in DESCRIPTIONS:
        spec = parse_player(text)
        assert parse_player(spec.text) == parse_player(spec.full) == spec
        assert spec.text == str(spec) == str(spec.make())
        found[text] = (spec.text, spec.full)
    assert found == snapshot


def test_a_player_is_a_value() -> None:
    player = BlogV6(depth=2)
    assert player == parse_player("blog-v6:depth=2").make()
    assert repr(player) == "BlogV6(depth=2, missed_win_rounds='round3+')"
    assert hash(player) == hash(BlogV6(depth=2))


BAD_DESCRIPTIONS = """
blog-v7 blog-v6:depth=9 blog-v6:depth= blog-v6:depth blog-v6:depth=1.5 blog-v6:depth=none
blog-v6:deep=1 random:depth=1 blog-v6:depth=1,depth=2 blog-v6:depth=1, set:fallback=row
minimax-runs:alpha_beta=yes minimax-features:features=21 minimax-threats:time_ms=none
perfect:blunder=2 perfect:blunder=nan perfect:blunder=x
montecarlo-timed:time_ms=none learning-cnn learning-cnn:model= learning-cnn:model=x,weights=xyz
exec exec:no-such-program-anywhere kaggle:no/such/file.py python:module
"""


def test_bad_descriptions_are_refused(snapshot: SnapshotAssertion) -> None:
    found = {}
    for text in ["", 'exec:cat "', f"kaggle:{'9' * 5_000}", *BAD_DESCRIPTIONS.split()]:
        with pytest.raises(PlayerError) as caught:
            parse_player(text)
        assert caught.value.player == text.partition(":")[0]
        # The list of all players changes with each new one.
        message = str(caught.value).partition(" (there are: ")[0][:200]
        found[text[:40]] = (caught.value.parameter, message)
    assert found == snapshot
    assert issubclass(PlayerError, ValueError)


def test_python_callers_are_checked_too() -> None:
    with pytest.raises(PlayerError, match="parameter depth cannot be 99"):
        BlogV6(depth=99)
    with pytest.raises(PlayerError, match="cannot be True"):
        BlogV6(depth=True)
    with pytest.raises(PlayerError, match="cannot be inf"):
        Perfect(blunder=math.inf)


def test_levels_are_names_for_players() -> None:
    for name, level in LEVELS.items():
        assert parse_player(f" {name} ") == parse_player(level.player)
        assert parse_player(name).full == parse_player(level.player).full
    with pytest.raises(PlayerError, match="hard is a level and has no parameters; it stands for"):
        parse_player("hard:iterations=5")
    with pytest.raises(PlayerError, match="did you mean medium"):
        parse_player("medum")


def test_each_level_is_stronger_than_the_one_before() -> None:
    """A few games with a fixed seed; docs/players.md has many, also of expert."""
    for weaker, stronger in itertools.pairwise(list(LEVELS)[:-1]):
        one, other = parse_player(weaker).make(), parse_player(stronger).make()
        won = sum(
            play_game(*((one, other) if number % 2 else (other, one)), seed=number).winner
            == ("o" if number % 2 else "x")
            for number in range(16)
        )
        assert won >= 11, (weaker, stronger, won)


def test_the_largest_tree_takes_little_memory() -> None:
    text = f"mcts-uct:iterations={MOST_ITERATIONS}"
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
    assert grown * unit < 72 << 20
