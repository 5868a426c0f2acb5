"""Games between two players: rules, clocks, seeds, and failing players."""

import errno
from types import SimpleNamespace

import pytest

from c4core import Position
from c4core.arena import game as game_module
from c4core.arena.game import Clock, Ending, TimeControl, game_seed, play_game, side_seed
from c4core.dice import Dice
from c4core.players import Limits, Player, parse_player
from c4core.players.errors import Failing, PlayerFailure, StopPlaying
from c4core.players.player import NO_LIMITS, GameStart, PlayerKind
from tests.support.running.databases import FakeClock


class Scripted(Player):
    """A player that makes scripted moves; it is not in the registry."""

    kind = PlayerKind("scripted", "test", "Does as told.", None, (), (), Player)

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.seen: list[object] = []
        self.limits: list[Limits] = []

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        self.limits.append(limits)
        answer = self.answers.pop(0) if self.answers else dice.pick(position.legal_columns())
        return answer() if callable(answer) else answer  # type: ignore[return-value]

    def begin(self, game: GameStart) -> None:
        self.seen.append(game)

    def end(self, result: str) -> None:
        self.seen.append(result)


def test_a_won_game() -> None:
    first, second = Scripted(3, 3, 3, 3), Scripted(2, 2, 2)
    record = play_game(first, second, seed=5)
    assert first.seen == [GameStart(Position().board, "x", side_seed(5, "x")), "win"]
    assert second.seen == [GameStart(Position().board, "o", side_seed(5, "o")), "loss"]
    assert (record.winner, record.ending, record.moves) == ("x", Ending.FOUR, "4343434")
    assert (record.is_forfeit, record.length) == (False, 7)
    assert record.final().winner == "x"
    assert len(record.seconds) == 7
    assert all(seconds >= 0 for seconds in record.seconds)
    assert record.seconds_of("x") + record.seconds_of("o") == pytest.approx(sum(record.seconds))
    # A draw:
    columns = [int(digit) for digit in "333333451222151121266215555666644400440000"]
    record = play_game(Scripted(*columns[::2]), Scripted(*columns[1::2]))
    assert (record.winner, record.ending, record.length) == (None, Ending.FULL, 42)


@pytest.mark.parametrize(("faulty", "winner"), [("x", "o"), ("o", "x")])
def test_an_exception_in_begin_loses_the_game(faulty: str, winner: str) -> None:
    class Unready(Scripted):
        def begin(self, game: GameStart) -> None:
            raise OSError(f"no model for {game.side}")

    seats = {side: Unready() if side == faulty else Scripted() for side in ("x", "o")}
    record = play_game(seats["x"], seats["o"])
    assert (record.winner, record.ending, record.columns) == (winner, Ending.ERROR, ())
    assert record.detail == f"OSError: no model for {faulty}"
    assert seats[winner].seen[-1] == "win"


def test_an_exception_in_end_changes_nothing() -> None:
    class Sulking(Scripted):
        def end(self, result: str) -> None:
            super().end(result)
            raise RuntimeError("that was not fair")

    first, second = Sulking(3, 3, 3, 3), Sulking(2, 2, 2)
    record = play_game(first, second)
    assert (record.winner, record.ending) == ("x", Ending.FOUR)
    assert (first.seen[-1], second.seen[-1]) == ("win", "loss")


def test_an_exception_in_before_move_ends_the_game() -> None:
    def fail() -> None:
        calls.append(1)
        if len(calls) == 4:
            raise PlayerFailure(Failing.ERROR, "somebody else's")

    calls: list[int] = []
    first, second = Scripted(3, 3, 3, 3), Scripted(2, 2, 2)
    with pytest.raises(PlayerFailure, match="somebody else's"):
        play_game(first, second, before_move=fail)
    assert (len(first.answers), len(second.answers)) == (2, 2)
    assert "loss" not in first.seen + second.seen


def test_a_start_position() -> None:
    start = Position("44444")
    record = play_game(Scripted(), Scripted(1, 2), seed=3, start=start)
    assert record.columns[0] == 1  # o moves first there
    assert record.start == start
    assert record.final().ply == 5 + record.length
    with pytest.raises(ValueError, match="the game is already over in the start position"):
        play_game(Scripted(), Scripted(), start=Position("1212121"))


NO_FAILURES = (
    MemoryError(),
    *(OSError(number, "is exhausted") for number in (errno.EMFILE, errno.EAGAIN, errno.ENOMEM)),
    RuntimeError("can't start new thread"),
    KeyboardInterrupt(),
    SystemExit(3),
    StopPlaying(),
)
"""Exceptions that are not the player's fault."""


def raising() -> int:
    raise KeyError("lost\nmy notes")


@pytest.mark.parametrize(
    ("answer", "ending", "detail"),
    [
        (7, Ending.ILLEGAL, "column 8 is outside the board"),
        (-1, Ending.ILLEGAL, "column 0 is outside the board"),
        (2**70, Ending.ILLEGAL, "outside the board"),
        (0, Ending.ILLEGAL, "column 1 is full"),
        ("3", Ending.NONSENSE, "answered '3'"),
        (None, Ending.NONSENSE, "answered None"),
        (3.0, Ending.NONSENSE, "answered 3.0"),
        (raising, Ending.ERROR, "KeyError: 'lost\\nmy notes'"),
    ],
)
def test_a_failure_loses_the_game(answer: object, ending: Ending, detail: str) -> None:
    start = Position("111111")
    for first, second, winner in (
        (Scripted(answer), Scripted(), "o"),
        (Scripted(3), Scripted(answer), "x"),
    ):
        record = play_game(first, second, start=start)
        assert (record.winner, record.ending) == (winner, ending)
        assert record.is_forfeit
        assert detail in record.detail
        assert len(record.seconds) == record.length + 1


@pytest.mark.parametrize("error", NO_FAILURES, ids=repr)
def test_a_failure_of_the_machine_gives_no_result(error: BaseException) -> None:
    def fail() -> int:
        raise error

    class Unready(Scripted):
        def begin(self, game: GameStart) -> None:  # noqa: ARG002
            raise error

    for first, second in (
        (Scripted(fail), Scripted()),
        (Scripted(3), Scripted(fail)),
        (Scripted(), Unready()),
    ):
        with pytest.raises(type(error)):
            play_game(first, second, time_control=TimeControl(move=1000))
        assert "win" not in first.seen + second.seen


def test_raises_faults_raises_bugs_of_players() -> None:
    with pytest.raises(KeyError):
        play_game(Scripted(raising), Scripted(), raises_faults=True)
    assert play_game(Scripted(9), Scripted(), raises_faults=True).ending == Ending.ILLEGAL


def test_lenient_games_replace_illegal_moves() -> None:
    start = Position("111111")
    record = play_game(Scripted(0, 9, 1), Scripted(2, 2, 2), start=start, lenient=True, seed=1)
    assert record.columns[0] == 1
    assert record.replaced[:2] == (0, 2)
    assert not record.is_forfeit
    # An answer that is not a column at all is not replaced.
    assert play_game(Scripted("x"), Scripted(), lenient=True).ending == Ending.NONSENSE


def test_a_slow_player_loses_on_time(monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> None:
    def slow() -> int:
        clock.time += 1.25
        return 3

    monkeypatch.setattr(game_module, "time", SimpleNamespace(perf_counter=clock))
    control = TimeControl(move=0.5, grace=0.5)
    record = play_game(Scripted(3, slow), Scripted(2), time_control=control)
    assert (record.winner, record.ending) == ("o", Ending.TIME)
    assert record.length == 2
    assert "0.500 s were left" in record.detail
    assert record.seconds[-1] == 1.25


def test_a_clock_covers_the_whole_game() -> None:
    clock = Clock(TimeControl(move=2.0, game=5.0, grace=0.1))
    assert clock.limits("x") == Limits(2.0, 0.1)
    assert not clock.take("x", 2.05)  # within the grace, but subtracted from the clock
    assert not clock.take("x", 2.0)
    assert clock.limits("x").seconds == pytest.approx(0.95)
    assert clock.limits("o").seconds == 2.0
    assert clock.take("x", 1.06)
    assert clock.limits("x").seconds == 0.0
    player = Scripted(3, 3, 3, 3)
    play_game(player, Scripted(2, 2, 2), time_control=TimeControl(game=1000.0))
    left = [limits.seconds for limits in player.limits]
    assert left == sorted(left, reverse=True)
    assert left[0] == 1000.0


@pytest.mark.parametrize("bad", [{"move": 0}, {"game": -1}, {"grace": -0.1}])
def test_bad_time_controls_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must be positive|cannot be negative"):
        TimeControl(**bad)


@pytest.mark.parametrize(
    "text", ["set", "blog-v6:depth=2", "mcts-uct:iterations=50", "minimax-windows"]
)
def test_the_same_seed_gives_the_same_game(text: str) -> None:
    player = parse_player(text).make()
    games = [play_game(player, player, seed=seed).columns for seed in (1, 2, 3, 4, 1)]
    assert games[0] == games[4]
    assert len(set(games)) > 1
    assert game_seed(1, 0) == 15088009739970707332
    assert len({game_seed(match, number) for match in range(30) for number in range(100)}) == 3000
    assert side_seed(7, "x") != side_seed(7, "o")


def test_one_players_random_draws_do_not_affect_the_other() -> None:
    opponents = Scripted(0, 0), Scripted(6, 6)
    games = [play_game(parse_player("random").make(), other, seed=9) for other in opponents]
    assert games[0].columns[0:4:2] == games[1].columns[0:4:2]
