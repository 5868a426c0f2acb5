"""Stopping: every player of the registry ends its move soon when nobody waits for it any more."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from c4core import Position, Solver
from c4core.arena.clock import TimeControl
from c4core.arena.game import Ending, play_game
from c4core.certificate import make as make_certificate
from c4core.dice import Dice
from c4core.notation import BoardSize
from c4core.players import (
    ANY_PROGRAM,
    GameStart,
    Limits,
    Player,
    PlayerKind,
    Resources,
    Stop,
    StopPlaying,
    parse_player,
    player_kinds,
)
from c4core.players.minimax import minimax
from c4core.players.values import Whole
from tests.support.boards.learning import model_file

WIDE = Position("7777", width=12, height=4)
"""Many columns, so that even few plies are many boards; the middle one is full."""

QUICK = frozenset(
    {
        "blog-v1",
        "greedy",
        "learning-cnn",
        "learning-exact",
        "learning-residual",
        "learning-selfplay",
        "learning-tuples",
        "proof",
        "random",
        "set",
        "stupid",
    }
)
"""Players that cannot think for long, whatever their parameters. All others must be stopped."""

SOON = 20.0
"""Seconds for a player to end its move, on a machine that is busy: unstopped, it takes minutes."""

HANGING = {
    "exec": "read -r line; echo ready\nwhile read -r line; do sleep 0.1; done\n",
    "kaggle": "import time\ndef agent(o, c):\n    time.sleep(1000)\n",
    "python": "import time\ndef f(p, d, l):\n    time.sleep(1000)\n",
}
"""Programs that never answer, by the kind of player."""


class Ended(NamedTuple):
    """How a move came to its end."""

    was_thinking: bool
    seconds: float
    result: int | BaseException


def stopped(choose: Callable[[Stop], int], *, after: float = 0.3) -> Ended:
    """Let something be thought about in a thread, stop it, and wait for its end."""
    stop = Stop()
    results: list[int | BaseException] = []

    def think() -> None:
        try:
            results.append(choose(stop))
        except BaseException as error:  # noqa: BLE001 (looked at below)
            results.append(error)

    thread = threading.Thread(target=think, daemon=True)
    thread.start()
    thread.join(after)
    was_thinking = thread.is_alive()
    began = time.monotonic()
    while thread.is_alive() and time.monotonic() < began + 2 * SOON:
        stop.set()
        thread.join(0.05)
    return Ended(was_thinking, time.monotonic() - began, results[0])


@pytest.fixture
def slowest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Player]]:
    """Makes the player of a kind that thinks as long as any of it can."""
    made: list[Player] = []

    def argument(kind: PlayerKind) -> str:
        if kind.name == "proof":
            proven = tmp_path / "wide.c4proof"
            proven.write_bytes(make_certificate(WIDE, at_least=-22))
            return str(proven)
        path = tmp_path / "hanging.py"
        path.write_text(HANGING[kind.name])
        if kind.name == "exec":
            return f"sh {path}"
        monkeypatch.chdir(tmp_path)
        return "hanging:f" if kind.name == "python" else str(path)

    def make(kind: PlayerKind) -> Player:
        if kind.argument is not None:
            text = argument(kind)
        elif kind.name.startswith("learning-"):
            text = f"model={model_file(tmp_path, kind.name, BoardSize(12, 4))}"
            text += ",depth=12" * kind.name.endswith("-search")
        else:
            text = ",".join(
                f"{parameter.name}={parameter.values.high}"
                for parameter in kind.parameters
                if isinstance(parameter.values, Whole)
            )
        spec = parse_player(f"{kind.name}:{text}" if text else kind.name)
        made.append(spec.make(Resources(programs=ANY_PROGRAM)))
        return made[-1]

    yield make
    for player in made:
        player.close()


@pytest.mark.parametrize("kind", player_kinds(), ids=lambda kind: kind.name)
def test_every_player_ends_its_move_soon(
    slowest: Callable[[PlayerKind], Player], kind: PlayerKind
) -> None:
    player = slowest(kind)
    player.begin(GameStart(WIDE.board, "x", 1))
    after = 0.02 if kind.name == "minimax-squares" else 0.3
    ended = stopped(lambda stop: player.choose(WIDE, Dice(1), Limits(stop=stop)), after=after)
    assert ended.seconds < SOON
    if kind.name in QUICK:
        assert isinstance(ended.result, int)
    else:
        # Its deepest search takes 0.1 s: nobody can promise to stop it in that time.
        is_brief = kind.name == "minimax-squares" and not ended.was_thinking
        assert is_brief or ended.was_thinking
        assert is_brief or isinstance(ended.result, StopPlaying)


@pytest.mark.parametrize("kind", player_kinds(), ids=lambda kind: kind.name)
def test_every_player_is_held_to_its_time(
    slowest: Callable[[PlayerKind], Player], kind: PlayerKind
) -> None:
    """A player that thinks too long loses then, not when it has thought to the end."""
    player = slowest(kind)
    control = TimeControl(move=0.2, grace=0.05)
    player.begin(GameStart(WIDE.board, "x", 1))
    began = time.monotonic()
    record = play_game(player, parse_player("random").make(), time_control=control, start=WIDE)
    assert max(record.seconds) < 0.25 + SOON
    assert time.monotonic() - began < 2 * SOON
    if kind.name in {"minimax-windows", "blog-v4", "mcts-uct", "montecarlo-flat", "exec"}:
        assert (record.winner, record.ending) == ("o", Ending.TIME)


@pytest.mark.parametrize("name", ["exec", "minimax-windows", "perfect"])
def test_a_game_is_stopped_without_a_result(
    slowest: Callable[[PlayerKind], Player], name: str
) -> None:
    player = slowest(parse_kind(name))
    other = parse_player("random").make()
    ended = stopped(lambda stop: play_game(player, other, start=WIDE, stop=stop).length)
    assert ended.was_thinking
    assert ended.seconds < SOON
    assert isinstance(ended.result, StopPlaying)


def parse_kind(name: str) -> PlayerKind:
    return next(kind for kind in player_kinds() if kind.name == name)


def test_a_program_that_does_not_greet_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "mute.sh"
    path.write_text("sleep 1000\n")
    with parse_player(f"exec:sh {path}").make(Resources(programs=ANY_PROGRAM)) as player:
        ended = stopped(lambda stop: player.begin(GameStart(WIDE.board, "x", 1, stop)) or 0)
    assert ended.was_thinking
    assert ended.seconds < SOON
    assert isinstance(ended.result, StopPlaying)


def test_who_shares_a_solver_with_a_stopped_player_moves_as_ever() -> None:
    solver = Solver(table_mb=1)
    late = Position("4444442222226666")
    perfect = parse_player("perfect:choice=center").kind.cls(choice="center", analyst=solver)
    expected = perfect.choose(late, Dice(1))
    solver.clear()
    over = threading.Event()

    def disturb() -> None:
        while not over.wait(0.001):
            solver.stop()

    thread = threading.Thread(target=disturb)
    thread.start()
    time.sleep(0.01)
    threading.Timer(0.3, over.set).start()
    assert perfect.choose(late, Dice(1)) == expected
    thread.join()


class TestStop:
    def test_nobody_has_set_it(self) -> None:
        stop = Stop()
        assert not stop.is_over
        assert not stop.is_set
        stop.check()
        assert (
            minimax(Position(), heuristic="squares", depth=3, order=range(7), win=1000).depth == 3
        )

    def test_it_stays_set(self) -> None:
        stop = Stop()
        stop.set()
        assert stop.is_over
        assert stop.is_set
        with pytest.raises(StopPlaying) as caught:
            stop.check()
        assert caught.value.error is None

    def test_it_is_over_by_itself_after_some_time(self) -> None:
        stop = Stop()
        limited = stop.within(0.05)
        assert not limited.is_over
        deadline = time.monotonic() + SOON
        while not limited.is_over and time.monotonic() < deadline:
            time.sleep(0.005)
        assert limited.is_over
        assert not limited.is_set
        assert not stop.is_over

    def test_the_shorter_time_counts(self) -> None:
        assert Stop().within(0).within(1000).is_over
        assert Stop().within(1000).within(0).is_over

    def test_all_that_were_made_of_one_are_set_with_it(self) -> None:
        stop = Stop()
        limited = stop.within(1000).within(2000)
        stop.set()
        assert limited.is_set
        other = Stop()
        other.within(1000).set()
        assert other.is_set

    def test_it_calls_whoever_cannot_look(self) -> None:
        stop = Stop()
        calls: list[int] = []
        with stop.within(1000).calling(lambda: calls.append(1)):
            stop.set()
            stop.set()
        stop.set()
        assert calls == [1, 1]
