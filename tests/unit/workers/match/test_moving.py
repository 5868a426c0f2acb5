"""A move by any player, for a position without a match."""

import threading
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
from workers.match.table import choose_move, read_player

ENDLESS = "montecarlo-flat:simulations=10000000,stop_gap=1"
ALONE = [kind.name for kind in player_kinds() if kind.stands_alone]
MIDDLE = Position("44444325333255")


@pytest.mark.parametrize("name", [*ALONE, *LEVELS])
def test_every_player_moves_reproducibly(name: str, service: AnswerService) -> None:
    spec = read_player(name)
    first, second = (
        choose_move(MIDDLE, spec, service=service, seed=3, seconds=20) for _ in range(2)
    )
    assert MIDDLE.is_legal(first.column)
    assert first.player == spec.full
    if getattr(spec.make(), "time_ms", None) is None:
        assert second.column == first.column


def test_each_move_of_a_game_has_its_own_random_draws(service: AnswerService) -> None:
    spec, position, columns = read_player("random"), Position(board="9x6"), []
    firsts = {choose_move(position, spec, service=service, seed=seed).column for seed in range(30)}
    assert len(firsts) > 2
    for _ in range(8):
        columns.append(choose_move(position, spec, service=service, seed=1).column)
        position = position.play(columns[-1])
    assert len(set(columns)) > 2


def test_perfect_uses_the_service(service: AnswerService) -> None:
    best, perfect = Solver(table_mb=1).analyze(MIDDLE).best, read_player("perfect")
    assert choose_move(MIDDLE, perfect, service=service).column in best
    empty = Position(board="9x6")  # here its time is over first
    assert empty.is_legal(choose_move(empty, perfect, service=service, seconds=0.1).column)


def test_a_slow_player_fails(service: AnswerService) -> None:
    with pytest.raises(PlayerFailure, match=r"has not found a move in 0\.05 s"):
        choose_move(Position(), read_player(ENDLESS), service=service, seconds=0.05)


@pytest.mark.parametrize("player", [ENDLESS, "perfect"])
def test_a_stop_ends_it(
    player: str, service: AnswerService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the search runs in the service."""
    stop, position = Stop(), Position(board="9x6")
    thinks = threading.Event()
    note_choices(monkeypatch, player, thinks.set)
    with ThreadPoolExecutor(1) as threads:
        spec = read_player(player)
        chosen = threads.submit(choose_move, position, spec, service=service, stop=stop)
        assert thinks.wait(HANG_SECONDS)
        stop.set()
        with pytest.raises(StopPlaying):
            chosen.result(timeout=HANG_SECONDS)


def test_programs_and_files_need_consent() -> None:
    programs = ["exec:true", "kaggle:no-such.py", "python:os:getcwd"]
    files = ["learning-residual:model=/etc/passwd", "proof:/etc/passwd", "proof:9x9"]
    for name in programs + files:
        with pytest.raises(ProgramRefusedError, match="--allow-programs"):
            read_player(name)
    # These files are included in C4.
    for name in ("learning-residual", "proof:7x6"):
        assert not read_player(name).needs_files


def test_a_refusal_does_not_reveal_whether_a_file_exists() -> None:
    refusals = []
    for name in ("/etc/passwd", "/no/such/file"):
        with pytest.raises(ProgramRefusedError) as refusal:
            read_player(f"learning-residual:model={name}")
        refusals.append(str(refusal.value))
    assert refusals[0] == refusals[1]
    with pytest.raises(PlayerError) as error:
        read_player("learning-residual:model=/no/such/file", programs=ANY_PROGRAM)
    assert not isinstance(error.value, ProgramRefusedError)


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
