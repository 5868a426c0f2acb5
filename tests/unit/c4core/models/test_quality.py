"""Measures of chosen columns against exact scores, compared with a slow count."""

from collections.abc import Callable

import numpy as np
import pytest

from c4core.dice import Dice
from c4core.evaluation import NO_SCORE
from c4core.models.labels import Positions
from c4core.models.quality import (
    Missed,
    Quality,
    Share,
    evaluate_player,
    positions_of,
    quality_object,
    quality_of,
)
from c4core.players import PlayerFailure, parse_player
from c4core.players.heuristics import winning_columns
from c4core.solver import Solver
from tests.support.boards.games import SMALL, random_positions
from tests.support.boards.learning import labelled_arrays, outside
from tests.support.boards.player_positions import other as other_side

ASKED = random_positions(120, seed=9)
SCORES = Solver(table_mb=1).analyze_many(ASKED).scores
LABELLED = Positions(**labelled_arrays(ASKED), board=SMALL)


def slow_share(columns: list[int], wanted: Callable[[int], bool]) -> Share:
    count = strict = outcome = 0
    for number, column in enumerate(columns):
        if wanted(number):
            best, score = SCORES[number].max(), SCORES[number, column]
            count += 1
            strict += score == best
            outcome += np.sign(score) == np.sign(best)
    return Share(count, strict, outcome)


def is_quiet(number: int) -> bool:
    position = ASKED[number]
    return not any(winning_columns(position, side) for side in ("x", "o"))


def is_decisive(number: int) -> bool:
    return len({np.sign(score) for score in SCORES[number] if score != NO_SCORE}) > 1


def measured(name: str) -> tuple[Quality, list[int]]:
    player = parse_player(name).make()
    columns = [player.choose(position, Dice(0)) for position in ASKED]
    return quality_of(LABELLED, np.array(columns)), columns


@pytest.mark.parametrize("name", ["stupid", "minimax-squares:depth=2"])
def test_shares_agree_with_a_slow_count(name: str) -> None:
    quality, columns = measured(name)
    assert quality.everywhere == slow_share(columns, lambda _: True)
    assert quality.quiet == slow_share(columns, is_quiet)
    assert quality.decisive == slow_share(columns, is_decisive)
    assert quality.quiet_decisive == slow_share(columns, lambda n: is_quiet(n) and is_decisive(n))
    for ply, share in quality.plies:
        wanted = {n for n, position in enumerate(ASKED) if position.ply == ply}
        assert share == slow_share(columns, wanted.__contains__)
    assert quality.quiet.positions > quality.quiet_decisive.positions > 0


def test_wins_and_blocks() -> None:
    quality, columns = measured("stupid")
    wins = blocks = missed_wins = missed_blocks = 0
    for position, column, best in zip(ASKED, columns, LABELLED.best, strict=True):
        own = winning_columns(position, position.turn)
        threats = winning_columns(position, other_side(position.turn))
        if own:
            wins += 1
            missed_wins += column not in own
        elif len(threats) == 1 and np.flatnonzero(best).tolist() == list(threats):
            blocks += 1
            missed_blocks += column != threats[0]
    assert quality.wins == Missed(wins, missed_wins)
    assert quality.blocks == Missed(blocks, missed_blocks)
    assert min(missed_wins, missed_blocks) > 0
    told = quality_object(quality)
    assert told["all"]["positions"] == 120 == sum(ply["positions"] for ply in told["plies"])
    assert told["all"]["strict"] == round(quality.everywhere.strict / 120, 6)
    easy = LABELLED.sample(1, seed=1)
    lone = quality_object(quality_of(easy, np.array([int(easy.best[0].argmax())])))
    assert {lone[kind]["strict"] for kind in ("quiet", "decisive")} <= {None, 1.0}


def test_perfect_play_misses_nothing() -> None:
    found = evaluate_player(parse_player("perfect").make(), LABELLED, seed=3)
    for share in (found.quality.everywhere, found.quality.quiet_decisive):
        assert share.positions == share.strict == share.outcome
    assert found.quality.wins.missed == found.quality.blocks.missed == 0
    assert found.seconds > 0
    # Another seed gives other moves.
    player = parse_player("random").make()
    one, same, other = (evaluate_player(player, LABELLED, seed=seed) for seed in (1, 1, 2))
    assert one.quality == same.quality != other.quality


def test_a_sample_is_a_subset() -> None:
    some = LABELLED.sample(30, seed=4)
    assert (len(some), len(LABELLED.sample(999, seed=4))) == (30, 120)
    assert some.fingerprint == LABELLED.sample(30, seed=4).fingerprint
    assert some.fingerprint != LABELLED.sample(30, seed=5).fingerprint
    assert set(positions_of(some)) <= set(ASKED)


def test_failing_players_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    player = parse_player("stupid").make()
    monkeypatch.setattr(type(player), "choose", outside)
    with pytest.raises(PlayerFailure, match="column 9 is outside the board"):
        evaluate_player(player, LABELLED)
