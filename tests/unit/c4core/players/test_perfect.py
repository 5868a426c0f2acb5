"""The perfect player and its weakened forms, and ``proof``, which follows a certificate."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.arena.game import Ending, GameRecord, play_game
from c4core.dice import Dice
from c4core.evaluation import Analysis, exact_bounds
from c4core.notation import BoardSize
from c4core.players import (
    GameStart,
    Limits,
    Player,
    PlayerError,
    PlayerFailure,
    Resources,
    Stop,
    StopPlaying,
    parse_player,
)
from c4core.players.roster import perfect
from c4core.players.roster.perfect import shared_solver
from c4core.position import Position
from c4core.proof import Certificate, make
from c4core.proof.certificate import BOARDS, shipped_file
from c4core.solver import Solver
from tests.support.boards.player_positions import counted
from tests.support.boards.reference import reference_scores
from tests.support.certificates import score_of, sealed
from tests.support.refusals import refusal

LATE = Position("4444445623332622")
SCORES = Solver().analyze(LATE).scores
BEST = {
    column
    for column, score in enumerate(SCORES)
    if score == max(s for s in SCORES if s is not None)
}


def test_perfect_plays_a_best_column() -> None:
    assert set(counted("perfect", LATE, 400)) == BEST
    (centre,) = counted("perfect:choice=center", LATE, 40)
    assert centre in BEST


def test_two_perfect_players_reach_the_score() -> None:
    player = parse_player("perfect").make()
    for seed in range(5):
        assert (
            play_game(player, player, seed=seed, start=Position("1234", board="4x4")).winner is None
        )
    start = Position("444444222233")
    games = [play_game(player, player, seed=seed, start=start) for seed in (1, 1, 1)]
    assert len({game.columns for game in games}) == 1
    exact = Solver().solve(start).score or 0
    assert games[0].winner == {1: "x", -1: "o", 0: None}[(exact > 0) - (exact < 0)]


def test_blunders_are_as_frequent_as_stated() -> None:
    counts = counted("perfect:blunder=0.3", LATE, 1000)
    assert 230 < sum(count for column, count in counts.items() if column not in BEST) < 370
    assert set(counted("perfect:blunder=1", LATE, 400)) == {*LATE.legal_columns()} - BEST


def test_scores_may_come_from_another_analyst() -> None:
    class Book:
        def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
            assert time_limit is None
            scores = reference_scores(position)
            known = max(score for score in scores if score is not None)
            return Analysis(scores, exact_bounds(scores), known, known)

    player = parse_player("perfect").make(Resources(analyst=Book()))
    start = Position("1234123413", board="4x4")
    assert player.choose(start, Dice(1)) in Solver().analyze(start).best


def test_without_time_it_still_moves() -> None:
    player = parse_player("perfect:choice=center").make()
    assert player.choose(Position("12"), Dice(1), Limits(1e-9)) in range(7)


def test_a_deadline_between_two_checks_is_not_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other users of a shared solver may stop it just before the time is over."""
    asked = []

    class StoppedSolver:
        def stop(self) -> None:
            pass

        def analyze(self, _position: Position, *, time_limit: float) -> Analysis:
            asked.append(time_limit)
            return Analysis((None,) * 7, ((-18, 18),) * 7, lower=-18, upper=18)

    clock = iter([0.0, 0.4, 0.6, 0.7])
    monkeypatch.setattr(perfect, "Solver", StoppedSolver)
    monkeypatch.setattr(perfect, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    analyst: Any = StoppedSolver()
    player = perfect.Perfect(analyst=analyst)
    assert player._analysis(Position(), Limits(seconds=1.0)).scores == (None,) * 7
    assert asked == [0.5, 0.0]


EMPTY = Position(board="5x4")


def proof(path: Path | str) -> Player:
    return parse_player(f"proof:{path}").make()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.c4proof"


def games(player: Player, other: Player, start: Position, count: int) -> list[GameRecord]:
    """Games in which the player has the side to move at the start."""
    seats = (player, other) if start.turn == "x" else (other, player)
    records = [play_game(*seats, seed=seed, start=start) for seed in range(count)]
    assert [record.detail for record in records if record.is_forfeit] == []
    return records


def test_the_included_book_answers_openings() -> None:
    before = shared_solver().progress[0]
    assert parse_player("perfect").make().choose(Position("44"), Dice(1)) == 3
    assert shared_solver().progress[0] == before
    small = parse_player("perfect").make()
    assert small.choose(Position("2233", board="5x4"), Dice(1)) in range(5)


@pytest.mark.parametrize("opponent", ["random", "perfect"])
@pytest.mark.parametrize(
    ("start", "rules"),
    [
        (EMPTY, 0),
        (Position("2", board="5x4"), 63),
        (Position("14", board="5x4"), 63),
        (Position("4455", board="7x4"), 63),
    ],
    ids=["", "2", "14", "4455"],
)
def test_proof_never_falls_below_the_bound(
    path: Path, start: Position, opponent: str, rules: int
) -> None:
    path.write_bytes(make(start, rules=rules))
    bound = Certificate.open(path).info.lower
    assert bound is not None
    # The certificate covers one of two mirror images; the player handles both.
    other = parse_player(opponent).make(Resources(analyst=Solver(table_mb=1)))
    before = shared_solver.cache_info()
    for record in games(proof(path), other, start, 15):
        assert score_of(record, start.turn) >= bound
    for record in games(other, proof(path), start, 15):
        assert score_of(record, start.turn) <= bound
    assert shared_solver.cache_info() == before


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_a_shipped_proof_is_named_by_its_board(board: BoardSize) -> None:
    start = Position(board=board)
    player = proof(str(board))
    assert str(player) == f"proof:{board}"
    info = Certificate.open(shipped_file(board)).info
    assert (info.start, info.lower) == (start, info.upper if board.cells < 36 else 1)
    for record in games(player, parse_player("set").make(), start, 5):
        assert score_of(record, "x") >= (info.lower or 0)


def test_a_bad_certificate_is_refused(snapshot: SnapshotAssertion) -> None:
    assert [
        refusal(proof, argument, error=PlayerError)
        for argument in ("missing.c4proof", ".", "9x7", "a\0b", "/dev/null")
    ] == snapshot


def test_a_proof_for_another_board_is_refused() -> None:
    with pytest.raises(PlayerError, match=r"^player proof: 5x4 is for 5x4, not 7x6$"):
        proof("5x4").check_board(BoardSize(7, 6))
    with pytest.raises(
        PlayerFailure, match=r"^5x4: the proof is for 5x4, but the position is on 7x6"
    ):
        proof("5x4").choose(Position(), Dice(1))


def test_the_unproven_side_is_refused(path: Path) -> None:
    path.write_bytes(make(EMPTY, at_least=0))
    games(proof(path), parse_player("random").make(), EMPTY, 3)
    record = play_game(parse_player("random").make(), proof(path), start=EMPTY)
    assert (record.winner, record.ending, record.length) == ("x", Ending.ERROR, 0)
    assert record.detail == f"{path}: it proves no bound for o"


def test_a_position_outside_the_proof_is_refused(path: Path) -> None:
    path.write_bytes(make(EMPTY, rules=0))
    player = proof(path)
    other = "1" if player.choose(EMPTY, Dice(1)) not in {0, 4} else "2"
    with pytest.raises(PlayerFailure, match=r"a\.c4proof: the proof does not cover this position$"):
        player.choose(Position(2 * other, board="5x4"), Dice(1))


def test_an_invalid_proof_loses_before_the_first_move(path: Path) -> None:
    whole = bytearray(make(EMPTY, at_least=0)[:-32])
    whole[41] = 1  # it claims more than it proves
    path.write_bytes(sealed(bytes(whole)))
    record = play_game(proof(path), parse_player("random").make(), start=EMPTY)
    assert (record.winner, record.ending) == ("o", Ending.ERROR)
    assert record.detail.startswith(f"{path}: not a proof: ")


def test_a_changed_file_is_checked_again(path: Path) -> None:
    path.write_bytes(make(EMPTY, at_least=0))
    player = proof(path)
    assert player.choose(EMPTY, Dice(1)) in range(5)
    path.write_bytes(b"something else")
    os.utime(path, ns=(1, 1))
    with pytest.raises(PlayerError, match="not a certificate"):
        proof(path)
    with pytest.raises(PlayerFailure, match="not a certificate"):
        player.choose(EMPTY, Dice(1))
    path.unlink()
    with pytest.raises(PlayerFailure, match="No such file"):
        player.begin(GameStart(EMPTY.board, "x", 1))


def test_a_stop_ends_a_check_but_the_time_limit_of_a_move_does_not(path: Path) -> None:
    path.write_bytes(make(EMPTY))
    stop = Stop()
    stop.set()
    with pytest.raises(StopPlaying):
        proof(path).begin(GameStart(EMPTY.board, "x", 1, stop))
    proof(path).begin(GameStart(EMPTY.board, "x", 1, Stop().within(0)))
