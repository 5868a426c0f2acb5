"""``proof``: it follows a certificate, and says why where it cannot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from c4core.arena.game import Ending, play_game
from c4core.dice import Dice
from c4core.notation import BoardSize
from c4core.players import (
    GameStart,
    PlayerError,
    PlayerFailure,
    Resources,
    Stop,
    StopPlaying,
    parse_player,
)
from c4core.players.roster.perfect import shared_solver
from c4core.position import Position
from c4core.proof import Certificate, make
from c4core.proof.certificate import BOARDS, shipped_file
from c4core.solver import Solver
from tests.support.certificates import score_of, sealed

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from c4core.arena.game import GameRecord
    from c4core.players import Player

SMALL = Position(width=5, height=4)


def proof(path: Path | str) -> Player:
    return parse_player(f"proof:{path}").make()


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def games(player: Player, other: Player, start: Position, count: int) -> list[GameRecord]:
    """Games in which the player has the side to move at the start."""
    seats = (player, other) if start.turn == "x" else (other, player)
    records = [play_game(*seats, seed=seed, start=start) for seed in range(count)]
    assert [record.detail for record in records if record.is_forfeit] == []
    return records


@pytest.mark.parametrize("opponent", ["random", "perfect"])
@pytest.mark.parametrize(("moves", "rules"), [("", 0), ("2", 63), ("14", 63)])
def test_it_never_falls_below_the_bound(
    tmp_path: Path, moves: str, opponent: str, rules: int
) -> None:
    start = Position(moves, width=5, height=4)
    path = written(tmp_path / "a.c4proof", make(start, rules=rules))
    bound = Certificate.open(path).info.lower
    assert bound is not None
    # The certificate is about one of two mirror images; the player plays on both.
    other = parse_player(opponent).make(Resources(analyst=Solver(table_mb=1)))
    before = shared_solver.cache_info()
    for record in games(proof(path), other, start, 15):
        assert score_of(record, start.turn) >= bound
    last = "o" if start.turn == "x" else "x"
    seats = (proof(path), other) if last == "x" else (other, proof(path))
    for seed in range(15):
        record = play_game(*seats, seed=seed, start=start)
        assert not record.is_forfeit
        assert score_of(record, last) >= -bound
    assert shared_solver.cache_info() == before


def test_it_wins_in_time(tmp_path: Path) -> None:
    start = Position("4455", width=7, height=4)
    path = written(tmp_path / "a.c4proof", make(start))
    bound = Certificate.open(path).info.lower
    assert bound is not None
    assert bound > 0
    for record in games(proof(path), parse_player("random").make(), start, 20):
        assert score_of(record, "x") >= bound


@pytest.mark.parametrize("board", [board for board in BOARDS if board.cells < 36], ids=str)
def test_a_shipped_proof_is_called_by_its_board(board: BoardSize) -> None:
    start = Position(width=board.width, height=board.height)
    player = proof(str(board))
    assert str(player) == f"proof:{board}"
    info = Certificate.open(shipped_file(board)).info
    assert (info.start, info.lower) == (start, info.upper)
    for record in games(player, parse_player("random").make(), start, 10):
        assert score_of(record, "x") >= (info.lower or 0)


def test_the_shipped_proof_of_the_usual_board() -> None:
    for record in games(proof("7x6"), parse_player("set").make(), Position(), 5):
        assert score_of(record, "x") >= 1


@pytest.mark.parametrize("argument", ["missing.c4proof", ".", "9x7", "a\0b", "/dev/null"])
def test_what_is_no_certificate(argument: str, snapshot: SnapshotAssertion) -> None:
    with pytest.raises(PlayerError) as caught:
        parse_player(f"proof:{argument}")
    assert str(caught.value) == snapshot


def test_another_board() -> None:
    with pytest.raises(PlayerError, match=r"^player proof: 5x4 is about 5x4, not 7x6$"):
        proof("5x4").check_board(BoardSize(7, 6))
    with pytest.raises(PlayerFailure, match=r"^5x4: the proof is for 5x4, and the position on 7x6"):
        proof("5x4").choose(Position(), Dice(1))


def test_a_side_that_the_certificate_is_not_about(tmp_path: Path) -> None:
    path = written(tmp_path / "a.c4proof", make(SMALL, at_least=0))
    games(proof(path), parse_player("random").make(), SMALL, 3)
    record = play_game(parse_player("random").make(), proof(path), start=SMALL)
    assert (record.winner, record.ending, record.length) == ("x", Ending.ERROR, 0)
    assert record.detail == f"{path}: it proves nothing that o could keep to"


def test_a_position_that_the_proof_does_not_come_to(tmp_path: Path) -> None:
    path = written(tmp_path / "a.c4proof", make(SMALL, rules=0))
    other = "1" if proof(path).choose(SMALL, Dice(1)) not in {0, 4} else "2"
    position = Position(2 * other, width=5, height=4)
    with pytest.raises(PlayerFailure) as caught:
        proof(path).choose(position, Dice(1))
    assert str(caught.value) == f"{path}: the proof does not come to this position"


def test_a_file_that_is_no_proof_loses_before_the_first_move(tmp_path: Path) -> None:
    whole = bytearray(make(SMALL, at_least=0)[:-32])
    whole[41] = 1  # it claims more
    path = written(tmp_path / "a.c4proof", sealed(bytes(whole)))
    record = play_game(proof(path), parse_player("random").make(), start=SMALL)
    assert (record.winner, record.ending) == ("o", Ending.ERROR)
    assert record.detail.startswith(f"{path}: no proof: ")


def test_a_file_that_has_changed_is_checked_again(tmp_path: Path) -> None:
    path = written(tmp_path / "a.c4proof", make(SMALL, at_least=0))
    player = proof(path)
    assert player.choose(SMALL, Dice(1)) in range(5)
    written(path, b"something else")
    os.utime(path, ns=(1, 1))
    with pytest.raises(PlayerError, match="no certificate"):
        proof(path)
    with pytest.raises(PlayerFailure, match="no certificate"):
        player.choose(SMALL, Dice(1))
    path.unlink()
    with pytest.raises(PlayerFailure, match="No such file"):
        player.begin(GameStart(SMALL.board, "x", 1))


def test_a_check_is_stopped(tmp_path: Path) -> None:
    path = written(tmp_path / "a.c4proof", make(SMALL))
    stop = Stop()
    stop.set()
    with pytest.raises(StopPlaying):
        proof(path).begin(GameStart(SMALL.board, "x", 1, stop))


def test_the_time_of_a_move_does_not_stop_a_check(tmp_path: Path) -> None:
    path = written(tmp_path / "a.c4proof", make(SMALL))
    proof(path).begin(GameStart(SMALL.board, "x", 1, Stop().within(0)))
