"""Descriptions of players: reading, checking, writing and listing them."""

import itertools
import math
from dataclasses import FrozenInstanceError

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.arena.game import play_game
from c4core.players import LEVELS, PlayerError, PlayerKind, parse_player, player_kinds
from c4core.players.registry import parse_players
from c4core.players.roster.blog import BlogV6
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


@pytest.mark.parametrize(
    "text",
    [
        "blog-v6",
        " blog-v6 : depth = 2 ",
        "minimax-windows:randomize_order=off,depth=3",
        "set:fallback=vector",
        "random",
        "minimax-threats:max_depth=6,time_ms=none",
        "montecarlo-flat:center_weight=1.50",
        "perfect:blunder=0.10",
        "exec:cat -u --x=1,2:3",
        "python:a.b:c",
    ],
)
def test_descriptions_round_trip(text: str, snapshot: SnapshotAssertion) -> None:
    spec = parse_player(text)
    assert (spec.text, spec.full) == snapshot
    assert parse_player(spec.text) == parse_player(spec.full) == spec
    assert spec.text == str(spec) == str(spec.make())


def test_a_player_is_a_value() -> None:
    player = BlogV6(depth=2)
    assert player == parse_player("blog-v6:depth=2").make()
    assert repr(player) == "BlogV6(depth=2, missed_win_rounds='round3+')"
    with pytest.raises(FrozenInstanceError):
        player.depth = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("blog-v7", None),
        ("", None),
        ("blog-v6:depth=9", "depth"),
        ("blog-v6:depth=", "depth"),
        ("blog-v6:depth", "depth"),
        ("blog-v6:depth=1.5", "depth"),
        ("blog-v6:depth=none", "depth"),
        ("blog-v6:deep=1", "deep"),
        ("random:depth=1", "depth"),
        ("blog-v6:depth=1,depth=2", "depth"),
        ("blog-v6:depth=1,", ""),
        ("set:fallback=row", "fallback"),
        ("minimax-runs:alpha_beta=yes", "alpha_beta"),
        ("minimax-features:features=21", "features"),
        ("perfect:blunder=2", "blunder"),
        ("perfect:blunder=nan", "blunder"),
        ("perfect:blunder=x", "blunder"),
        ("perfect:blunder=1,temperature=1", "temperature"),
        ("montecarlo-timed:time_ms=none", "playouts"),
        ("minimax-threats:time_ms=none", "max_depth"),
        ("learning-cnn", "model"),
        ("learning-cnn:model=", "model"),
        ("learning-cnn:model=x,weights=xyz", "weights"),
        ("exec", None),
        ("exec:no-such-program-anywhere", None),
        ('exec:cat "', None),
        ("kaggle:no/such/file.py", None),
        pytest.param(f"kaggle:{'9' * 5_000}", None, id="kaggle-long"),
        ("python:module", None),
    ],
)
def test_bad_descriptions_are_refused(
    text: str, parameter: str | None, snapshot: SnapshotAssertion
) -> None:
    with pytest.raises(PlayerError) as caught:
        parse_player(text)
    assert (caught.value.player, caught.value.parameter) == (text.partition(":")[0], parameter)
    # The list of all players changes with each new one.
    assert str(caught.value).partition(" (there are: ")[0][:200] == snapshot
    assert isinstance(caught.value, ValueError)


def test_python_callers_are_checked_too() -> None:
    with pytest.raises(PlayerError, match="parameter depth cannot be 99"):
        BlogV6(depth=99)
    with pytest.raises(PlayerError, match="cannot be True"):
        BlogV6(depth=True)
    with pytest.raises(PlayerError, match="cannot be inf"):
        Perfect(temperature=math.inf)


def test_players_state_whether_they_use_chance_or_time() -> None:
    told = {
        text: (player.is_random, player.is_timed)
        for text in (
            "stupid",
            "random",
            "minimax-threats",
            "minimax-threats:time_ms=none,max_depth=3",
        )
        for player in [parse_player(text).make()]
    }
    assert list(told.values()) == [(False, False), (True, False), (False, True), (False, False)]


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


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("set", ["set"]),
        ("blog-v6:depth=0..2", ["blog-v6:depth=0", "blog-v6:depth=1", "blog-v6:depth=2"]),
        ("pvs:depth=2/4/6..7", [f"pvs:depth={depth}" for depth in (2, 4, 6, 7)]),
        (
            "mcts-uct:iterations=10/20",
            ["mcts-uct:iterations=10", "mcts-uct:iterations=20"],
        ),
        ("perfect:blunder=0.25", ["perfect:blunder=0.25"]),
        ("exec:cat a..b/c", ["exec:cat a..b/c"]),
    ],
)
def test_a_range_expands_to_several_players(text: str, players: list[str]) -> None:
    assert [spec.text for spec in parse_players(text)] == players


def test_ranges_expand_to_all_combinations() -> None:
    found = parse_players("montecarlo-flat:simulations=1..2,center_weight=1/2")
    assert [(spec.values[0], spec.values[1]) for spec in found] == [(1, 1), (1, 2), (2, 1), (2, 2)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("blog-v6:depth=4..2", "depth=4..2: 4 is more than 2"),
        ("blog-v6:depth=1..99", "cannot be '9'"),
        ("blog-v6:depth=1/x", "cannot be 'x'"),
        ("montecarlo-flat:simulations=1..2000", "more than 1,000 values"),
        ("montecarlo-flat:simulations=1..900,center_weight=1/2", "stands for 1,800 players"),
        ("nobody:depth=1..2", "no player is called 'nobody'"),
    ],
)
def test_bad_ranges_are_refused(text: str, words: str) -> None:
    with pytest.raises(PlayerError, match=words.replace("(", r"\(")):
        parse_players(text)
