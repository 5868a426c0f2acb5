"""The perfect player, and how it is weakened."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from c4core import Position, Solver
from c4core.arena.game import play_game
from c4core.dice import Dice
from c4core.evaluation import Analysis
from c4core.players import Limits, Resources, parse_player
from c4core.players.roster import perfect
from tests.support.boards.player_positions import counted
from tests.support.boards.reference import reference_scores

LATE = Position("4444445623332622")
SMALL = Position("1234", width=4, height=4)


def test_it_plays_a_best_column() -> None:
    scores = Solver().analyze(LATE).scores
    best = {c for c, score in enumerate(scores) if score == max(s for s in scores if s is not None)}
    assert set(counted("perfect", LATE, 400)) == best
    assert len(counted("perfect:choice=center", LATE, 40)) == 1
    assert set(counted("perfect:choice=center", LATE, 40)) <= best


def test_two_perfect_players_reach_the_score() -> None:
    player = parse_player("perfect").make()
    for seed in range(5):
        record = play_game(player, player, seed=seed, start=SMALL)
        assert record.winner is None  # 4x4 is a draw
    record = play_game(player, player, seed=1, start=Position("444444222233"))
    exact = Solver().solve(Position("444444222233")).score
    assert exact is not None
    winner = {1: "x", -1: "o", 0: None}[(exact > 0) - (exact < 0)]
    assert record.winner == winner


def test_blunders_come_as_often_as_stated() -> None:
    scores = Solver().analyze(LATE).scores
    top = max(score for score in scores if score is not None)
    counts = counted("perfect:blunder=0.3", LATE, 1000)
    worse = sum(count for column, count in counts.items() if scores[column] != top)
    assert 230 < worse < 370
    assert set(counted("perfect:blunder=1", LATE, 400)) == {
        column for column, score in enumerate(scores) if score is not None and score != top
    }


def test_temperature_prefers_better_columns() -> None:
    scores = Solver().analyze(LATE).scores
    counts = counted("perfect:temperature=2", LATE, 2000)
    weights = {c: math.exp(score / 2) for c, score in enumerate(scores) if score is not None}
    for column, weight in weights.items():
        expected = 2000 * weight / sum(weights.values())
        assert abs(counts[column] - expected) < 6 * expected**0.5 + 3


def test_scores_may_come_from_somebody_else() -> None:
    class Book:
        def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
            assert time_limit is None
            scores = reference_scores(position)
            known = max(score for score in scores if score is not None)
            return Analysis(scores, known, known)

    player = parse_player("perfect").make(Resources(analyst=Book()))
    start = Position("1234123413", width=4, height=4)
    assert player.choose(start, Dice(1)) in Solver().analyze(start).best


def test_without_time_there_is_a_move_all_the_same() -> None:
    player = parse_player("perfect:choice=center").make()
    assert player.choose(Position("12"), Dice(1), Limits(1e-9)) in range(7)


def test_a_deadline_that_comes_between_two_looks_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A solver that others share may be stopped by them just before the time is over."""
    asked = []

    class StoppedSolver:
        def stop(self) -> None:
            pass

        def analyze(self, _position: Position, *, time_limit: float) -> Analysis:
            asked.append(time_limit)
            return Analysis(scores=(None,) * 7, lower=-18, upper=18, nodes=0, seconds=0.0)

    clock = iter([0.0, 0.9, 1.1, 1.2])
    monkeypatch.setattr(perfect, "Solver", StoppedSolver)
    monkeypatch.setattr(perfect, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    analyst: Any = StoppedSolver()
    player = perfect.Perfect(analyst=analyst)
    assert player._scores(Position(), Limits(seconds=1.0)) == (None,) * 7
    assert asked == [1.0, 0.0]


@pytest.mark.parametrize("text", ["perfect:blunder=0.5", "perfect:temperature=3", "perfect"])
def test_the_same_seed_is_the_same_game(text: str) -> None:
    player = parse_player(text).make()
    start = Position("444444222233")
    games = {play_game(player, player, seed=4, start=start).columns for _ in range(3)}
    assert len(games) == 1
