"""Players that choose moves without a game."""

from pathlib import Path

import pytest

from c4core.adapters.mover import Mover
from c4core.players import (
    ANY_PROGRAM,
    Failing,
    PlayerFailure,
    ProgramRefusedError,
    Resources,
    Stop,
    StopPlaying,
)
from c4core.position import Position

ROOT = Path(__file__).parents[4]


def drawn(mover: Mover) -> list[int]:
    """Moves in positions of several games."""
    return [mover.choose(Position("4" * (turn % 6))) for turn in range(30)]


def test_a_seed_makes_moves_reproducible() -> None:
    first = drawn(Mover("random", seed=5))
    assert drawn(Mover("random", seed=5)) == first
    assert drawn(Mover("random", seed=6)) != first
    assert drawn(Mover("random")) != drawn(Mover("random"))
    mover = Mover("random", seed=5)
    assert drawn(mover) == first != drawn(mover)
    mover.restart(5)
    assert drawn(mover) == first


def test_no_program_is_started_without_consent(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    for player in (f"exec:touch {trap}", f"kaggle:{trap}", "python:os:getcwd"):
        with pytest.raises(ProgramRefusedError, match="is a program"):
            Mover(player)
    assert not trap.exists()


def test_an_external_program_with_consent_plays_several_games() -> None:
    agent = ROOT / "examples" / "players" / "kaggle_agent.py"
    mover = Mover(f"kaggle:{agent}", resources=Resources(programs=ANY_PROGRAM))
    try:
        for board in ((7, 6), (5, 4), (7, 6)):
            position = Position(board=board)
            assert position.is_legal(mover.choose(position))
    finally:
        mover.close()


def test_a_slow_player_fails_and_a_stop_ends_its_choice() -> None:
    slow = Mover("montecarlo-flat:simulations=10000000,stop_gap=1", seconds=0.05)
    with pytest.raises(PlayerFailure, match=r"has not found a move in 0\.05 s") as caught:
        slow.choose(Position())
    assert caught.value.failing is Failing.TIME
    stop = Stop()
    stop.set()
    with pytest.raises(StopPlaying):
        Mover("montecarlo-flat:simulations=10000000,stop_gap=1").choose(Position(), stop=stop)
