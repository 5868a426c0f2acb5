"""A move by any player, for a position without a match."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from c4core.notation import BoardSize
from c4core.players import (
    ANY_PROGRAM,
    LEVELS,
    PlayerError,
    PlayerFailure,
    ProgramRefusedError,
    Stop,
    StopPlaying,
    player_kinds,
)
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from tests.support.boards.finished_games import finished_games
from tests.support.boards.matches import note_choices
from tests.support.running.waiting import HANG_SECONDS
from workers.answers.service import AnswerService
from workers.match.files import game_of, import_games
from workers.match.moving import choose_move, read_player

ENDLESS = "montecarlo-flat:simulations=10000000,stop_gap=1"
ALONE = [kind.name for kind in player_kinds() if kind.stands_alone]
MIDDLE = Position("44444325333255")


@pytest.fixture
def service() -> Iterator[AnswerService]:
    found = AnswerService(None, threads=1, table_mb=1)
    yield found
    found.close()


@pytest.mark.parametrize("name", [*ALONE, *LEVELS])
def test_every_player_moves_reproducibly(name: str, service: AnswerService) -> None:
    spec = read_player(name)
    first, second = (
        choose_move(MIDDLE, spec, service=service, seed=3, seconds=20) for _ in range(2)
    )
    assert MIDDLE.is_legal(first.column)
    assert first.player == spec.full
    if not spec.make().is_timed:
        assert second.column == first.column


def test_other_seeds_give_other_moves(service: AnswerService) -> None:
    spec = read_player("random")
    columns = {choose_move(MIDDLE, spec, service=service, seed=seed).column for seed in range(30)}
    assert len(columns) > 2


def test_each_move_of_a_game_has_its_own_random_draws(service: AnswerService) -> None:
    spec, position, columns = read_player("random"), Position(width=9, height=6), []
    for _ in range(8):
        columns.append(choose_move(position, spec, service=service, seed=1).column)
        position = position.play(columns[-1])
    assert len(set(columns)) > 2


def test_perfect_uses_the_service(service: AnswerService) -> None:
    best = Solver(table_mb=1).analyze(MIDDLE).best
    move = choose_move(MIDDLE, read_player("perfect"), service=service)
    assert move.column in best


def test_perfect_moves_when_its_time_is_over(service: AnswerService) -> None:
    empty = Position(width=9, height=6)
    move = choose_move(empty, read_player("perfect"), service=service, seconds=0.1)
    assert empty.is_legal(move.column)


def test_a_slow_player_fails(service: AnswerService) -> None:
    with pytest.raises(PlayerFailure, match=r"has not found a move in 0\.05 s"):
        choose_move(Position(), read_player(ENDLESS), service=service, seconds=0.05)


@pytest.mark.parametrize("player", [ENDLESS, "perfect"])
def test_a_stop_ends_it(
    player: str, service: AnswerService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the search runs in the service."""
    stop, position = Stop(), Position(width=9, height=6)
    thinks = threading.Event()
    note_choices(monkeypatch, player, thinks.set)
    with ThreadPoolExecutor(1) as threads:
        spec = read_player(player)
        chosen = threads.submit(choose_move, position, spec, service=service, stop=stop)
        assert thinks.wait(HANG_SECONDS)
        stop.set()
        with pytest.raises(StopPlaying):
            chosen.result(timeout=HANG_SECONDS)


@pytest.mark.parametrize("player", ["exec:true", "kaggle:no-such.py", "python:os:getcwd"])
def test_programs_need_consent(player: str) -> None:
    with pytest.raises(ProgramRefusedError, match="--allow-programs"):
        read_player(player)


def test_files_need_consent() -> None:
    """The message does not reveal whether a file exists."""
    refusals = []
    for name in ("/etc/passwd", "/no/such/file"):
        with pytest.raises(ProgramRefusedError) as refusal:
            read_player(f"learning-exact:model={name}")
        refusals.append(str(refusal.value))
    assert refusals[0] == refusals[1]
    with pytest.raises(PlayerError) as error:
        read_player("learning-exact:model=/no/such/file", programs=ANY_PROGRAM)
    assert not isinstance(error.value, ProgramRefusedError)


def test_files_included_in_c4_need_no_consent() -> None:
    for name in ("learning-residual", "learning-residual-search:depth=2", "proof:7x6"):
        assert not read_player(name).needs_files
    for name in ("learning-residual:model=/etc/passwd", "proof:/etc/passwd", "proof:9x9"):
        with pytest.raises(ProgramRefusedError, match="--allow-programs"):
            read_player(name)


def test_a_program_with_consent_is_started(service: AnswerService) -> None:
    spec = read_player("exec:false", programs=ANY_PROGRAM)
    with pytest.raises(PlayerFailure):  # it ends at once
        choose_move(Position(), spec, service=service, seconds=5, programs=ANY_PROGRAM)


def test_a_finished_game_is_refused(service: AnswerService) -> None:
    with pytest.raises(ValueError, match="over"):
        choose_move(Position("1212121"), read_player("random"), service=service)


def test_stored_games_are_looked_up(database: Database, service: AnswerService) -> None:
    """Player x wins exactly the games in which it starts in column 2."""
    entries = [
        entry
        for entry in finished_games(300, board=BoardSize(4, 4))
        if entry.winner is not None and (entry.final.stone_at(1, 0) == "x") == (entry.winner == "x")
    ]
    start = entries[0].start
    import_games(database, [game_of(entry, player_a=None) for entry in entries], start=start)
    spec = read_player("database-montecarlo:min_games=1")
    for seed in range(3):
        assert choose_move(start, spec, service=service, database=database, seed=seed).column == 1
