"""Stopping: every player of the registry ends its move when it is stopped."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from c4core import Position, Solver
from c4core.arena.game import Ending, TimeControl, play_game
from c4core.dice import Dice
from c4core.players import (
    ANY_PROGRAM,
    GameStart,
    Limits,
    Player,
    Resources,
    Stop,
    StopPlaying,
    parse_player,
    player_kinds,
)
from c4core.players.parameters import Whole
from c4core.proof import make as make_certificate
from tests.support.running.interrupts import stopped
from tests.support.running.waiting import HANG_SECONDS, await_that

WIDE = Position("7777", board="12x4")
"""Many columns, so that few plies already give many boards; the middle column is full."""

WITH_PYTORCH = {"learning-cnn"}
"""They look one ply ahead; tests/release/extras/ covers their moves."""

AGENT = """\
import pathlib, time
def f(*_):
    pathlib.Path("{asked}").touch()
    time.sleep(1000)
"""
HANGING = {
    "exec": """\
read -r line
echo ready
while read -r line; do
    case "$line" in go*) touch {asked} ;; esac
done
sleep 1000
""",
    "kaggle": AGENT,
    "python": AGENT,
}
"""Programs that never answer, by kind of player."""

TIMED = {"depth", "max_depth", "time_ms", "iterations", "simulations", "playouts"}
"""Parameters that make a move slow."""

KINDS = {kind.name: kind for kind in player_kinds() if kind.name not in WITH_PYTORCH}
THINKERS = {
    name
    for name, kind in KINDS.items()
    if {"analyst", "programs"} & {*kind.resources}
    or TIMED & {parameter.name for parameter in kind.parameters}
}
"""Players that search, run a program, or have a parameter that makes a move slow."""


class Slowest:
    """Make the player of a kind that thinks as long as possible."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.asked = directory / "asked"
        """A program touches this file when it is to move."""
        self.made: list[Player] = []

    def __call__(self, name: str) -> Player:
        text = self._argument(name)
        made = parse_player(f"{name}:{text}" if text else name)
        player = made.make(Resources(programs=ANY_PROGRAM))
        self.made.append(player)
        player.begin(GameStart(self.position(name).board, "x", 1))
        return player

    def position(self, name: str) -> Position:
        """The position to think about; the shipped network knows 7x6 only."""
        return Position() if name.startswith("learning-residual") else WIDE

    def _argument(self, name: str) -> str:
        if name == "proof":
            proven = self.directory / "wide.c4proof"
            proven.write_bytes(make_certificate(WIDE, at_least=-22))
            return str(proven)
        if name in HANGING:
            path = self.directory / "hanging.py"
            path.write_text(HANGING[name].replace("{asked}", str(self.asked)))
            return {"exec": f"sh {path}", "kaggle": str(path), "python": "hanging:f"}[name]
        return ",".join(
            f"{parameter.name}={parameter.values.high}"
            for parameter in KINDS[name].parameters
            if isinstance(parameter.values, Whole)
        )


@pytest.fixture
def slowest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slowest]:
    """Make players that are closed at the end."""
    monkeypatch.chdir(tmp_path)
    makes = Slowest(tmp_path)
    yield makes
    for player in makes.made:
        player.close()


@pytest.mark.parametrize("name", sorted(THINKERS - {"minimax-squares"}))
def test_a_player_ends_its_move_when_it_is_stopped(slowest: Slowest, name: str) -> None:
    """The player would think for 0.2 s to minutes without a stop."""
    player, position = slowest(name), slowest.position(name)
    ended = stopped(
        lambda stop: player.choose(position, Dice(1), Limits(stop=stop)),
        is_thinking=slowest.asked.exists if name in HANGING else None,
    )
    assert ended.was_thinking
    assert isinstance(ended.result, StopPlaying)


@pytest.mark.parametrize("name", sorted(THINKERS - HANGING.keys()))
def test_a_player_ends_its_move_when_its_time_is_over(slowest: Slowest, name: str) -> None:
    player = slowest(name)
    limits = Limits(stop=Stop().within(0))
    with pytest.raises(StopPlaying):
        player.choose(slowest.position(name), Dice(1), limits)


@pytest.mark.parametrize(
    "name", ["minimax-windows", "blog-v4", "mcts-uct", "montecarlo-flat", "exec"]
)
def test_a_player_that_thinks_too_long_loses_at_the_limit(slowest: Slowest, name: str) -> None:
    """The game ends at the limit, not when the player has finished thinking."""
    control = TimeControl(move=0.05, grace=0.05)
    record = play_game(
        slowest(name), parse_player("random").make(), time_control=control, start=WIDE
    )
    assert (record.winner, record.ending, record.length) == ("o", Ending.TIME, 0)


@pytest.mark.parametrize("name", ["exec", "minimax-windows", "perfect"])
def test_a_game_is_stopped_without_a_result(slowest: Slowest, name: str) -> None:
    player, other = slowest(name), parse_player("random").make()
    ended = stopped(
        lambda stop: play_game(player, other, start=WIDE, stop=stop),
        is_thinking=slowest.asked.exists if name in HANGING else None,
    )
    assert ended.was_thinking
    assert isinstance(ended.result, StopPlaying)


def test_the_game_does_not_wait_for_a_program_that_does_not_greet(tmp_path: Path) -> None:
    path, started = tmp_path / "mute.sh", tmp_path / "started"
    path.write_text(f"touch {started}\nsleep 1000\n")
    with parse_player(f"exec:sh {path}").make(Resources(programs=ANY_PROGRAM)) as player:
        ended = stopped(
            lambda stop: player.begin(GameStart(WIDE.board, "x", 1, stop)),
            is_thinking=started.exists,
        )
    assert ended.was_thinking
    assert isinstance(ended.result, StopPlaying)


def test_a_stop_does_not_affect_other_users_of_the_solver() -> None:
    class Counting(Solver):
        calls = 0

        def analyze(self, *arguments: object, **options: object) -> object:
            self.calls += 1
            return super().analyze(*arguments, **options)  # type: ignore[arg-type]

    solver = Counting(table_mb=1)
    late = Position("4444442222226666")
    perfect = parse_player("perfect:choice=center").kind.cls(choice="center", analyst=solver)
    expected = perfect.choose(late, Dice(1))
    solver.clear()
    over = threading.Event()

    def disturb() -> None:
        while solver.calls < 5 and not over.wait(0.001):
            solver.stop()

    thread = threading.Thread(target=disturb)
    thread.start()
    assert perfect.choose(late, Dice(1)) == expected
    over.set()
    thread.join()


def test_a_stop_stays_set() -> None:
    stop = Stop()
    assert (stop.is_over, stop.is_set) == (False, False)
    stop.check()
    stop.set()
    assert (stop.is_over, stop.is_set) == (True, True)
    with pytest.raises(StopPlaying) as caught:
        stop.check()
    assert caught.value.error is None


def test_the_shortest_time_limit_counts() -> None:
    stop = Stop()
    limited = stop.within(0.02)
    await_that(lambda: limited.is_over, seconds=HANG_SECONDS)
    assert (limited.is_set, stop.is_over) == (False, False)
    assert stop.within(0).within(1000).is_over
    assert stop.within(1000).within(0).is_over


def test_derived_stops_are_set_together() -> None:
    stop, other, calls = Stop(), Stop(), list[int]()
    limited = stop.within(1000).within(2000)
    assert not limited.is_over
    with limited.calling(lambda: calls.append(1)):
        stop.set()
        assert limited.is_set
        stop.set()
    stop.set()
    assert calls == [1, 1]
    other.within(1000).set()
    assert other.is_set
