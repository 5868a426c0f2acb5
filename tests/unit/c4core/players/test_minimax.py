"""Players that look ahead: their moves in the sources' positions, and their common search."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import Position
from c4core.arena.game import play_game
from c4core.dice import Dice
from c4core.players import parse_player
from c4core.players.minimax import Found, minimax
from c4core.players.player import Limits, columns_from_centre
from tests.support.boards.player_positions import choices, named
from tests.support.refusals import refusal

ORDER = columns_from_centre(7)
POSITIONS = ["P1", "P2", "P3", "P4", "P5", "P6"]


@pytest.mark.parametrize(
    ("name", "columns"),
    [("P1", {2}), ("P2", {4}), ("P3", {5}), ("P4", {3}), ("P5", {2}), ("P6", {1, 4})],
)
def test_windows_at_depth_3(name: str, columns: set[int]) -> None:
    assert choices("minimax-windows", named(name)) == columns
    assert choices("minimax-windows:randomize_order=off", named(name)) == {min(columns)}


@pytest.mark.parametrize("depth", [1, 3, 4, 6])
@pytest.mark.parametrize("name", POSITIONS)
def test_null_windows_and_no_pruning_give_the_same_result(name: str, depth: int) -> None:
    position = named(name)
    alphabeta = parse_player(f"alphabeta:depth={depth}").make().search(position)
    pvs = parse_player(f"pvs:depth={depth}").make().search(position)
    assert pvs[:2] == alphabeta[:2]
    if depth <= 4:
        options: dict[str, Any] = {"heuristic": "runs", "win": 10**6}
        plain = searched(depth, position, prunes=False, **options)
        pruned = searched(depth, position, **options)
        assert plain[:2] == pruned[:2]
        assert plain.nodes >= pruned.nodes * (2 if depth == 4 else 1)


def searched(depth: int, position: Position | None = None, **options: Any) -> Found:  # noqa: ANN401
    """A search of the empty board, or of another one, by both heuristics."""
    given = {"heuristic": "both", "order": ORDER, "win": 10_000} | options
    return minimax(position or Position(), depth=depth, **given)


def test_killer_moves_save_nodes() -> None:
    assert searched(9, killer_moves=True).nodes < searched(9).nodes


def test_killer_example() -> None:
    # Two orders of moves lead there; yellow's best reply is in the middle.
    position = named("K1")
    assert position == Position.from_columns([3, 4, 2]) == Position.from_columns([2, 4, 3])
    for depth in (1, 3, 5):
        assert choices(f"minimax-threats:time_ms=none,max_depth={depth}", position, 1) == {3}


def test_threats_against_stupid() -> None:
    threats = parse_player("minimax-threats:time_ms=none,max_depth=4").make()
    stupid = parse_player("stupid").make()
    finals = [play_game(*pair).final() for pair in ((threats, stupid), (stupid, threats))]
    assert [str(final).replace("\n", "/") for final in finals] == [
        "......./......./...x.../o..x.../o..x.../o..x...",
        "x....../x....../o..o.../x..o.../x..o.../x..o...",
    ]


def test_threats_keeps_its_move_if_all_columns_lose() -> None:
    # Blue's three is open at both ends, so red loses in any case. The move found by the search at
    # depth 1 stays.
    position = Position("737415")
    first = choices("minimax-threats:time_ms=none,max_depth=1", position, 1)
    assert choices("minimax-threats:time_ms=none,max_depth=8", position, 1) == first
    assert searched(4, position).value == -10_000


def test_time_ends_a_deepening_search() -> None:
    assert 1 <= searched(42, deepens=True, seconds=0.02).depth < 42
    # At least one ply is searched, however little time is left.
    hurried = searched(42, deepens=True, seconds=0)
    assert hurried.depth >= 1
    assert hurried.column == 3
    assert parse_player("minimax-runs").make().choose(Position(), Dice(1), Limits(0.0)) == 3


def test_a_search_stops_at_the_end_of_the_board() -> None:
    assert (ORDER, columns_from_centre(4)) == ((3, 2, 4, 1, 5, 0, 6), (1, 2, 0, 3))
    nearly_full = Position("1112222333", board="4x4")
    assert searched(60, nearly_full, order=columns_from_centre(4), deepens=True).depth <= 6


def test_runs_parameters() -> None:
    for option in ("", ",alpha_beta=off", ",order=left"):
        text = f"minimax-runs:time_ms=none,max_depth=3{option}"
        assert choices(text, named("P1"), 1) <= {2, 3}
        assert choices(text, named("P2"), 1) == {4}
    one_ply = parse_player("minimax-runs:time_ms=none,max_depth=1").make()
    assert one_ply.choose(Position(), Dice(1)) == 3
    assert one_ply.choose(named("P1"), Dice(1)) == 2


def test_greedy_ignores_replies() -> None:
    assert choices("greedy", named("P1")) == {2}
    assert choices("greedy", Position()) == {3}
    assert choices("greedy", named("P2")) != {4}  # it makes pairs while the opponent completes four


WIN_AND_BLOCK = [
    *(
        f"minimax-threats:time_ms=none,max_depth=2,eval={evaluation},ordering={ordering}"
        for evaluation in ("groups", "threats", "both")
        for ordering in ("both", "static", "killer", "none")
    ),
    *(
        f"{player}:depth={depth}"
        for player in ("minimax-features", "minimax-squares", "alphabeta", "pvs")
        for depth in (2, 4)
    ),
    "set:fallback=vector",
    "set:fallback=column",
    "blog-v1",
    "montecarlo-flat",
    "montecarlo-timed:time_ms=none,playouts=5000",
    "mcts-uct",
]


@pytest.mark.parametrize("text", WIN_AND_BLOCK)
def test_players_win_and_block(text: str) -> None:
    draws = 40 if parse_player(text).make().is_random else 1
    assert choices(text, named("P1"), draws) == {2}
    assert choices(text, named("P2"), draws) == {4}


def test_every_third_own_move_may_be_random() -> None:
    text = "minimax-features:depth=2,random_move=on"
    assert len(choices(text, Position("4444"))) == 2  # the third own move
    assert len(choices(text, Position("44"))) == 1
    assert not parse_player("minimax-features").make().is_random


def test_a_win_is_missed_without_the_first_feature() -> None:
    # Threes count more than the four that ends the game.
    assert choices("minimax-features:depth=1,features=2", named("P1"), 1) != {2}
    assert choices("minimax-features:depth=1,features=12", named("P1"), 1) == {2}


def test_bad_options_are_refused(snapshot: SnapshotAssertion) -> None:
    assert [
        refusal(searched, 0),
        refusal(searched, 1, order=(1, 2)),
        refusal(searched, 1, heuristic="x"),
    ] == snapshot
