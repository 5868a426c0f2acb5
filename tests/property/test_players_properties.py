"""Properties of all players on every board, and of all heuristics in every position."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from c4core import Position
from c4core.arena.game import Ending, play_game
from c4core.dice import Dice
from c4core.notation import BoardSize
from c4core.players import (
    Limits,
    PlayerError,
    blog,
    heuristics,
    minimax as searches,
    parse_player,
    player_kinds,
    playouts,
)
from c4core.players.blog import blog_weights
from c4core.players.heuristics import heuristic_value, winning_columns
from c4core.players.minimax import minimax
from c4core.players.parameters import Digits, Parameter, Real, Switch, Value, Whole, Word
from c4core.players.player import columns_from_centre
from c4core.players.wide import (
    blog as wide_blog,
    heuristics as wide_heuristics,
    minimax as wide_searches,
    playouts as wide_playouts,
)
from tests.support.boards import player_positions as slow
from tests.support.boards.positions import EVERY_SIZE, games

WIN = 10**6

NARROW = [size for size in EVERY_SIZE if BoardSize(*size).is_narrow]

WIDE = [(8, 8), (9, 7), (10, 7), (13, 5), (31, 3), (4, 31)]
"""Wide boards: their words have 128 bits."""

FEW_COLUMNS = [(8, 8), (9, 7), (10, 7), (4, 31)]
"""Wide boards on which a slow search of three plies ends soon."""

SMALL = [
    "set:fallback=column", "blog-v2:depth=2", "blog-v3:depth=3", "blog-v4:depth=3",
    "blog-v5:depth=2", "blog-v6:depth=3", "minimax-threats:time_ms=none,max_depth=2",
    "minimax-threats:time_ms=none,max_depth=2,eval=groups,ordering=none",
    "minimax-runs:time_ms=none,max_depth=2",
    "minimax-runs:time_ms=none,max_depth=2,alpha_beta=off",
    "minimax-windows:depth=2", "montecarlo-flat:simulations=5",
    "montecarlo-timed:time_ms=none,playouts=30", "mcts-uct:iterations=30", "alphabeta:depth=2",
    "pvs:depth=2", "minimax-features:depth=2,random_move=on",
    "minimax-features:depth=1,features=34", "minimax-squares:depth=2,random_move=on",
    "database-montecarlo:playouts=5",
]  # fmt: skip
"""Players whose defaults take too long here, with small parameters."""

QUICK = [
    *SMALL,
    *(
        kind.name
        for kind in player_kinds()
        if kind.stands_alone
        and "analyst" not in kind.resources  # tests/unit/c4core/players/test_perfect.py
        and not kind.name.startswith("learning-")
        and kind.name not in {text.partition(":")[0] for text in SMALL}
    ),
]
"""Every player that requires neither a file nor a program; models are left out (one board)."""

HEURISTICS: dict[str, Callable[[slow.Squares, str], int]] = {
    name: getattr(slow, f"slow_{name}")
    for name in ("groups", "threats", "runs", "windows", "squares", "features")
}


@pytest.mark.parametrize("text", QUICK)
@settings(max_examples=15)
@given(game=games(minimum=4) | games(sizes=WIDE), seed=st.integers(0, 2**64 - 1))
def test_every_move_is_legal_and_reproducible(
    text: str, game: tuple[Position, str], seed: int
) -> None:
    position, _ = game
    if position.is_over:
        return
    player = parse_player(text).make()
    column = player.choose(position, Dice(seed))
    assert position.is_legal(column)
    assert player.choose(position, Dice(seed)) == column


@settings(max_examples=50)
@given(
    games(minimum=4) | games(sizes=WIDE),
    st.tuples(*[st.sampled_from(QUICK)] * 2),
    st.integers(0, 99),
)
def test_every_game_ends_on_the_board(
    game: tuple[Position, str], players: tuple[str, str], seed: int
) -> None:
    position, _ = game
    if position.is_over:
        return
    first, second = (parse_player(text).make() for text in players)
    record = play_game(first, second, seed=seed, start=position)
    assert record.ending in (Ending.FOUR, Ending.FULL)
    assert record.final().is_over
    assert record.winner == record.final().winner


def test_the_perfect_player_needs_no_exact_scores() -> None:
    """They may take years on a wide board: the time limit of a move ends the search."""
    position = Position(board="10x7")
    column = parse_player("perfect").make().choose(position, Dice(1), Limits(0.01))
    assert position.is_legal(column)


@settings(max_examples=60)
@given(games(sizes=NARROW), st.integers(0, 2**64 - 1), st.data())
def test_wide_modules_agree_with_narrow_ones(
    game: tuple[Position, str], seed: int, data: st.DataObject
) -> None:
    """Both are compiled from the same sources; on narrow boards every result is the same."""
    position, _ = game
    width, height = position.board
    for side in slow.SIDES:
        for name in (*HEURISTICS, "both"):
            value = heuristics.heuristic_value(position, side, name)
            assert wide_heuristics.heuristic_value(position, side, name) == value
        columns = heuristics.winning_columns(position, side)
        assert wide_heuristics.winning_columns(position, side) == columns

    def same(name: str, *arguments: object, **options: object) -> None:
        dice = Dice(seed), Dice(seed)
        found = [
            getattr(module, name)(position, own_dice, *arguments, **options)
            for module, own_dice in zip((playouts, wide_playouts), dice, strict=True)
        ]
        assert found[0] == found[1]
        assert dice[0].unit() == dice[1].unit()

    same("run_playouts", 20)
    last = data.draw(st.integers(0, position.board.cells - 1))
    drawn = [
        module.draw_positions(Dice(seed), 20, 0, last, BoardSize(width, height))
        for module in (playouts, wide_playouts)
    ]
    assert drawn[0].dtype == drawn[1].dtype == np.uint64
    assert drawn[0].tolist() == drawn[1].tolist()
    first = np.random.default_rng(seed).integers(0, 2**64 - 1, 50, dtype=np.uint64)
    first[::2] = np.uint64(2**64 - 1)
    second = first[::-1].copy()
    winner = np.resize(np.array([1, -1, 0], dtype=np.int8), 50)
    stored = playouts.tally_columns(position, first, second, winner)
    assert wide_playouts.tally_columns(position, first, second, winner) == stored
    if position.is_over:
        return
    same("flat_scores", simulations=20, center_weight=2.0, stop_gap=0.3, stop_after=5)
    same("timed_choice", playouts=50, seconds=-1)
    same("uct_statistics", iterations=50, exploration=1.4)
    same("favoured_column", position.legal_columns(), iterations=50, exploration=0.3)
    for by_lines in (True, False):
        same("line_choice", by_lines=by_lines)
    depth = data.draw(st.integers(0, 3))
    for scale in ("even", "falling", "held"):
        options: dict[str, Any] = {"depth": depth, "scale": scale, "missed": "round3+"}
        weights = blog.blog_weights(position, flat_later=True, **options)
        assert wide_blog.blog_weights(position, flat_later=True, **options) == weights
    options = {
        "depth": depth + 1,
        "order": columns_from_centre(width),
        "win": heuristics.FEATURES_LIMIT,
        "heuristic": data.draw(st.sampled_from([*HEURISTICS, "both"])),
        "pvs": data.draw(st.booleans()),
        "killer_moves": data.draw(st.booleans()),
        "all_scores": data.draw(st.booleans()),
    }
    found = searches.minimax(position, **options)
    assert wide_searches.minimax(position, **options) == found


@settings(max_examples=100)
@given(game=games(minimum=4, max_cells=48) | games(sizes=WIDE))
def test_heuristics_agree_with_a_check_of_every_line(game: tuple[Position, str]) -> None:
    position, _ = game
    squares = slow.squares_of(position)
    for name, side in product(HEURISTICS, slow.SIDES):
        if name != "features" or not position.winner:
            assert heuristic_value(position, side, name) == HEURISTICS[name](squares, side), name
    if not position.is_over:
        wins = [c for c in position.legal_columns() if position.is_winning(c)]
        assert list(winning_columns(position, position.turn)) == wins


def slow_minimax(position: Position, depth: int, side: Literal["x", "o"]) -> int:
    """Plain minimax by one side's window score, for the side to move."""
    if position.winner:
        return -WIN
    if position.is_over:
        return 0
    if depth == 0:
        value = heuristic_value(position, side, "windows")
        return value if position.turn == side else -value
    return max(-slow_minimax(position.play(c), depth - 1, side) for c in position.legal_columns())


@settings(max_examples=40)
@given(games(minimum=4, max_cells=42) | games(sizes=FEW_COLUMNS), st.integers(1, 3))
def test_search_agrees_with_minimax(game: tuple[Position, str], depth: int) -> None:
    position, _ = game
    if position.is_over:
        return
    depth = min(depth, position.board.cells - position.ply)
    values = {
        column: -slow_minimax(position.play(column), depth - 1, position.turn)
        for column in position.legal_columns()
    }
    search = partial(
        minimax,
        position,
        heuristic="windows",
        depth=depth,
        order=columns_from_centre(position.width),
        win=WIN,
    )
    order = columns_from_centre(position.width)
    best = next(column for column in order if values.get(column) == max(values.values()))
    for found in (search(), search(prunes=False), search(pvs=True), search(killer_moves=True)):
        assert (found.column, found.value) == (best, values[best])
    scores = search(all_scores=True).scores
    assert {c: score for c, score in enumerate(scores) if score is not None} == values


def slow_counts(position: Position, depth: int) -> list[int | None]:
    """The counting player by breadth with equal weights, written from its description."""
    weights: list[int | None] = [
        0 if position.is_legal(column) else None for column in range(position.width)
    ]
    boards = [(None, position)]
    for round_ in range(depth):
        kept = []
        for first, board in boards:
            for column in board.legal_columns():
                after = board.play(column)
                start = column if first is None else first
                if after.winner:
                    weights[start] = (weights[start] or 0) + (-1 if round_ % 2 else 1)
                else:
                    kept.append((start, after))
        boards = kept
    return weights


@settings(max_examples=30)
@given(games(minimum=4, max_cells=42) | games(sizes=FEW_COLUMNS), st.integers(0, 3))
def test_counting_agrees_with_a_slow_count(game: tuple[Position, str], depth: int) -> None:
    position, _ = game
    if position.is_over:
        return
    weights = blog_weights(position, depth=depth, scale="even")
    assert list(weights) == slow_counts(position, depth)


def values_of(parameter: Parameter) -> st.SearchStrategy[Value]:
    values, plain = parameter.values, st.nothing()
    if isinstance(values, Word):
        plain = st.sampled_from(values.words)
    elif isinstance(values, Switch):
        plain = st.booleans()
    elif isinstance(values, Whole):
        plain = st.integers(values.low, values.high)
    elif isinstance(values, Real):
        plain = st.floats(values.low, values.high)
    elif isinstance(values, Digits):
        chosen = st.sets(st.sampled_from(values.digits), min_size=1)
        plain = chosen.map(lambda digits: "".join(sorted(digits)))
    return st.one_of(plain, st.none()) if parameter.is_optional else plain


WITHOUT_FILES = [k for k in player_kinds() if k.stands_alone and not k.cls.reads_files]


@given(st.data())
def test_descriptions_round_trip(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(WITHOUT_FILES))
    given_ = data.draw(st.permutations(kind.parameters)) if kind.parameters else []
    parts = [f"{p.name}={p.format(data.draw(values_of(p)))}" for p in given_]
    values = dict(part.split("=") for part in parts)
    limits = {"time_ms", "max_depth", "playouts"} & values.keys()
    # Rules across parameters: some limit is needed, and only one weakness may be set.
    assume("time_ms" not in limits or any(values[name] != "none" for name in limits))
    spec = parse_player(f"{kind.name}:{','.join(parts)}" if parts else kind.name)
    assert parse_player(spec.text) == parse_player(spec.full) == spec


@given(st.text(max_size=30))
def test_any_text_is_a_description_or_a_value_error(text: str) -> None:
    try:
        spec = parse_player(text)
    except PlayerError:
        return
    assert parse_player(str(spec)) == spec
