"""Players with random playouts, with and without a tree, and players that look games up."""

from collections import Counter

import numpy as np
import pytest

from c4core import Position, Solver
from c4core.arena.game import play_game
from c4core.dice import Dice
from c4core.players import FinalGrids, Resources, parse_player
from c4core.players.playouts import (
    favoured_column,
    flat_scores,
    run_playouts,
    tally_columns,
    timed_choice,
    uct_statistics,
)
from tests.support.boards.player_positions import choices, named

FLAT = {"simulations": 200, "center_weight": 2.0, "stop_gap": 0.3, "stop_after": 50}

# The side to move wins in the end in all lines, but not with its next move.
ALWAYS_WON = Position.from_grid("oxx.o.x/ooo.oxo/oxx.xoo/xxx.xox/xoo.xoo/oxxxoxo")


def test_playouts_from_the_empty_board() -> None:
    wins, losses, draws = run_playouts(Position(), Dice(3), 200_000)
    assert wins + losses + draws == 200_000
    # Known for random play: the first player wins 55.5 %, and 0.25 % are drawn.
    assert 0.550 < wins / 200_000 < 0.560
    assert 0.0015 < draws / 200_000 < 0.0035
    # Results of finished games, and of a won one, for the side to move:
    assert run_playouts(Position("1212121"), Dice(1), 10) == (0, 10, 0)
    drawn = Position("444444562333262232377326666777755511551111")
    assert run_playouts(drawn, Dice(1), 10) == (0, 0, 10)
    assert run_playouts(ALWAYS_WON.play(3), Dice(1), 10) == (0, 10, 0)


def test_flat_weighs_the_middle_twice() -> None:
    assert choices("montecarlo-flat", Position()) == {3}
    scores = flat_scores(ALWAYS_WON, Dice(1), **FLAT)
    assert scores == (None, None, None, 2.0, None, 1.0, None)
    assert choices("montecarlo-flat", ALWAYS_WON) == {3}
    even = flat_scores(ALWAYS_WON, Dice(1), **(FLAT | {"center_weight": 1.0}))
    assert even[3] == even[5] == 1.0
    # Ties go to the leftmost.
    assert choices("montecarlo-flat:center_weight=1", ALWAYS_WON) == {3}


def test_flat_gives_up_bad_columns() -> None:
    # Position P2; when the block is ignored, every other column mostly loses at once.
    options = FLAT | {"simulations": 1000, "stop_after": 10, "center_weight": 1.0}
    patient = flat_scores(named("P2"), Dice(1), **(options | {"stop_gap": 1.0}))
    hasty = flat_scores(named("P2"), Dice(1), **(options | {"stop_gap": 0.05}))
    assert max(range(7), key=lambda column: patient[column] or 0) == 4
    given_up = [column for column in (5, 6) if (hasty[column] or 0) < (patient[column] or 0) / 2]
    assert given_up == [5, 6]


def test_timed_counts_wins_minus_losses() -> None:
    answer, totals = timed_choice(ALWAYS_WON, Dice(1), playouts=1000, seconds=-1)
    assert totals[0] is None
    assert (totals[3] or 0) + (totals[5] or 0) == 1000
    assert answer == (3 if (totals[3] or 0) >= (totals[5] or 0) else 5)
    # The first answer is the leftmost open column, and draws do not change it.
    answer, totals = timed_choice(Position("111111"), Dice(1), playouts=0, seconds=-1)
    assert answer == 1
    assert totals[1:] == (0,) * 6
    _, totals = timed_choice(Position(), Dice(1), playouts=-1, seconds=0)
    assert sum(abs(total or 0) for total in totals) <= 64
    with pytest.raises(ValueError, match="neither games nor seconds"):
        timed_choice(Position(), Dice(1), playouts=-1, seconds=-1)


@pytest.mark.parametrize("iterations", [1, 5, 7, 1000])
@pytest.mark.parametrize("name", ["P1", "P3", "P5"])
def test_uct_visits_add_up(name: str, iterations: int) -> None:
    statistics = uct_statistics(named(name), Dice(2), iterations=iterations, exploration=1.4)
    visits = [entry[0] for entry in statistics if entry is not None]
    assert sum(visits) == iterations
    assert all(0 <= entry[1] <= entry[0] for entry in statistics if entry is not None)
    if iterations >= 7:
        assert min(visits) >= 1


def test_uct_to_the_end_of_the_board() -> None:
    statistics = uct_statistics(ALWAYS_WON, Dice(2), iterations=2000, exploration=1.4)
    assert statistics[3] is not None
    assert statistics[3][0] == statistics[3][1]  # every game is won
    assert statistics[0] is None
    with pytest.raises(ValueError, match="the game is over"):
        uct_statistics(Position("1212121"), Dice(1), iterations=1, exploration=1)
    with pytest.raises(ValueError, match="at least one"):
        uct_statistics(Position(), Dice(1), iterations=0, exploration=1)


@pytest.mark.parametrize("name", ["P1", "P3", "P5"])
def test_a_favoured_column_is_one_of_those_given(name: str) -> None:
    columns = named(name).legal_columns()
    for column in columns:
        assert (
            favoured_column(named(name), Dice(1), [column], iterations=5, exploration=1) == column
        )
    with pytest.raises(ValueError, match="no column is given"):
        favoured_column(named(name), Dice(1), [], iterations=5, exploration=1)
    with pytest.raises(ValueError, match="at least one"):
        favoured_column(named(name), Dice(1), columns, iterations=0, exploration=1)


def test_a_time_limit_ends_the_games() -> None:
    position, limited, single = Position("44", board="8x8"), Dice(1), Dice(1)
    columns = position.legal_columns()
    found = favoured_column(
        position, limited, columns, iterations=100_000, exploration=1, seconds=0
    )
    assert found == favoured_column(position, single, columns, iterations=1, exploration=1)
    assert limited.below(1 << 30) == single.below(1 << 30)  # one game used both dice


def test_the_favoured_column_is_right_where_the_tree_decides() -> None:
    solver, dice, decided = Solver(), Dice(4), Counter[int]()
    while min(decided[1], decided[0], decided[-1]) < 20:
        position = Position()
        while not position.is_over and position.ply < 32:
            position = position.play(dice.pick(position.legal_columns()))
        if position.is_over:
            continue
        scores = solver.analyze(position).scores
        column = favoured_column(
            position, Dice(1), position.legal_columns(), iterations=20_000, exploration=0.3
        )
        best = max(score for score in scores if score is not None)
        played = scores[column]
        assert played is not None
        assert (played > 0) - (played < 0) == (best > 0) - (best < 0)
        decided[(best > 0) - (best < 0)] += 1


def finals(games: list[str]) -> FinalGrids:
    return FinalGrids.from_positions(Position(moves) for moves in games)


def test_final_grids_are_looked_up() -> None:
    games = ["1212121", "1212121", "17273757", "4433225"]
    stored = finals(games)
    assert len(stored) == 4
    # On the empty board: games whose final grid has an x at the bottom of the column.
    tally = ((3, 2, 0), (2, 1, 0), (2, 1, 0), (1, 1, 0), (2, 1, 0), (0, 0, 0), (0, 0, 0))
    assert stored.tally(Position()) == tally
    # o to move after 1: o in column 2 (twice, lost), in 7 (once, won).
    assert stored.tally(Position("1"))[1::5] == ((2, 0, 0), (1, 1, 0))
    with pytest.raises(ValueError, match="games are on a 7x6 board"):
        stored.tally(Position(board="5x5"))
    with pytest.raises(ValueError, match="is not a finished game"):
        finals(["12"])
    with pytest.raises(ValueError, match="every game has one of each"):
        FinalGrids(np.zeros(2, np.uint64), np.zeros(1, np.uint64), np.zeros(2, np.int8))


def has_stones_of(final: Position, position: Position) -> bool:
    return all(
        final.stone_at(column, row) == position.stone_at(column, row)
        for column, filled in enumerate(position.heights)
        for row in range(filled)
    )


@pytest.mark.parametrize("moves", ["", "a", "a9", "5a3", "aa"])
def test_final_grids_of_wide_boards(moves: str) -> None:
    start = Position(board="10x7")
    player = parse_player("random").make()
    ends = [play_game(player, player, seed=seed, start=start).final() for seed in range(200)]
    winner = np.array([{"x": 1, "o": -1, None: 0}[end.winner] for end in ends], dtype=np.int8)
    keys = np.array([(end.key % 2**64, end.key >> 64) for end in ends], dtype=np.uint64)
    position = Position(moves, board="10x7")
    tally = []
    for column in range(10):
        held = [end for end in ends if has_stones_of(end, position.play(column))]
        won = sum(end.winner == position.turn for end in held)
        tally.append((len(held), won, sum(end.winner is None for end in held)))
    assert sum(games for games, _, _ in tally) > 0
    stored = FinalGrids.from_positions(ends)
    for grids in (stored, FinalGrids.from_keys(keys, winner, board=start.board)):
        assert grids.tally(position) == tuple(tally)
    database = parse_player("database-montecarlo:playouts=20").make(Resources(final_games=stored))
    assert position.is_legal(database.choose(position, Dice(1)))
    words = np.zeros(9, dtype=np.uint64)
    with pytest.raises(ValueError, match="must have the same length"):
        tally_columns(position, words, words, winner)


def test_keys_of_a_wide_board_may_have_64_bits() -> None:
    final = Position("1212121", board="8x8")
    assert final.key < 1 << 64
    keys, winner = np.array([final.key], dtype=np.uint64), np.array([1], dtype=np.int8)
    stored = FinalGrids.from_keys(keys, winner, board=final.board)
    assert stored.tally(Position(board="8x8"))[0] == (1, 1, 0)


def test_database_player_follows_stored_games() -> None:
    set_player = parse_player("set").make()
    records = [play_game(set_player, set_player, seed=seed) for seed in range(600)]
    stored = FinalGrids.from_positions(record.final() for record in records)
    spec = parse_player("database-montecarlo:min_games=20,playouts=100")
    player = spec.make(Resources(final_games=stored))
    tally = stored.tally(Position())
    shares = [entry[1] / entry[0] if entry else 0.0 for entry in tally]
    assert player.choose(Position(), Dice(1)) == max(range(7), key=shares.__getitem__)
    # If no such games are stored, random ones take their place.
    assert player.choose(named("P1"), Dice(1)) == 2
    assert spec.make().choose(named("P1"), Dice(1)) == 2
