"""The counting players: every figure of the source, and each of their rules."""

import pytest

from c4core import Position
from c4core.arena.game import play_game
from c4core.players import parse_player
from c4core.players.roster.blog import opening_columns
from tests.support.boards.player_positions import choices, named

# Position, player, depth; weights by column ("*" for all others); allowed columns.
FIGURES = [
    ("P1", 2, 1, "2:1 *:0", "2"),
    ("P1", 2, 2, "2:1 *:0", "2"),
    ("P1", 2, 3, "2:1 *:6", "013456"),
    ("P1", 3, 3, "2:343 *:42", "2"),
    ("P1", 3, 4, "2:2401 6:294 *:259", "2"),
    ("P1", 5, 3, "2:343 *:0", "2"),
    ("P1", 6, 3, "2:343 *:0", "2"),
    ("P2", 2, 2, "4:0 *:-1", "4"),
    ("P2", 3, 2, "4:0 *:-7", "4"),
    ("P2", 3, 3, "4:0 *:-49", "4"),
    ("P2", 3, 4, "4:0 *:-595", "4"),
    ("P2", 6, 1, "*:0", "3"),
    ("P2", 6, 2, "4:0 *:-49", "4"),
    ("P3", 2, 2, "3:-1 *:0", "012456"),
    ("P3", 3, 3, "3:-49 6:42 *:0", "6"),
    ("P3", 4, 3, "3:-49 6:-42 *:0", "01245"),
    ("P3", 4, 4, "0:-126 1:-84 2:-126 3:-637 4:-126 5:-126 6:-406", "1"),
    ("P3", 6, 2, "3:-49 *:0", "24"),
    ("P3", 6, 4, "3:-4165 *:-589", "24"),
    ("P3", 6, 5, "3:-4165 *:-589", "24"),
    ("P4", 3, 3, "0:42 *:0", "0"),
    ("P4", 4, 3, "0:-42 *:0", "123456"),
    ("P4", 4, 4, "0:-364 1:-84 2:-84 3:-84 6:-84 *:0", "45"),
    ("P4", 6, 3, "*:0", "3"),
    ("P4", 6, 4, "4:0 5:0 *:-590", "4"),
    ("P5", 3, 3, "1:42 4:49 5:49 *:7", "45"),
    ("P5", 4, 3, "1:-42 4:49 5:49 *:7", "45"),
    ("P5", 6, 3, "1:-300 4:343 5:343 *:49", "4"),
    ("P5", 6, 4, "0:343 1:-2701 2:294 3:294 4:2303 5:2352 6:294", "5"),
    ("P6", 3, 3, "1:84 4:84 0:42 5:42 *:0", "14"),
    ("P6", 4, 3, "1:84 4:84 0:42 5:42 *:0", "14"),
    ("P6", 6, 3, "1:588 4:588 0:294 5:294 *:0", "4"),
]

LONGEST_GAME = "333333451222151121266215555666644400440000"


@pytest.mark.parametrize(("name", "version", "depth", "weights", "columns"), FIGURES)
def test_source_figure(name: str, version: int, depth: int, weights: str, columns: str) -> None:
    text = f"blog-v{version}:depth={depth}"
    given = dict(part.split(":") for part in weights.split())
    expected = tuple(int(given.get(str(column), given.get("*", "0"))) for column in range(7))
    assert parse_player(text).make().weights(named(name)) == expected
    assert choices(text, named(name), 150) == {int(column) for column in columns}


def test_v2_may_continue_a_board_won_in_round_1() -> None:
    text, keeping = "blog-v2:depth=3", "blog-v2:depth=3,won_boards=kept"
    # Seven replies count the win again: 8 for the win, 6 for every other column.
    assert parse_player(text).make().weights(named("P1")) == (6, 6, 1, 6, 6, 6, 6)
    assert parse_player(keeping).make().weights(named("P1")) == (6, 6, 8, 6, 6, 6, 6)
    assert choices(text, named("P1"), 150) == {0, 1, 3, 4, 5, 6}
    assert choices(keeping, named("P1")) == {2}
    # Nothing changes without a win in round 1, or at depth 1, which has no round 2.
    for name, depth in (("P2", 3), ("P3", 4), ("P5", 2), ("P1", 1)):
        texts = [f"blog-v2:depth={depth}", f"blog-v2:depth={depth},won_boards=kept"]
        one, other = (parse_player(text).make().weights(named(name)) for text in texts)
        assert one == other
    # At depth 5 the wins of round 3 far outnumber seven replies.
    deep = parse_player("blog-v2:depth=5,won_boards=kept").make().weights(named("P1"))
    assert deep[2] == 8
    assert deep.index(max(filter(None, deep))) != 2

    # Column 7 is full in the next position, so six replies follow a win.
    kept = parse_player("blog-v2:depth=2,won_boards=kept").make()
    assert kept.weights(Position("777777112233")) == (0, 0, 0, 7, 0, 0, None)


@pytest.mark.parametrize(
    ("text", "name"),
    [("blog-v1", "P3"), *((f"blog-v{version}:depth=0", "P1") for version in (2, 3, 4))],
)
def test_a_player_that_counts_nothing_moves_at_random(text: str, name: str) -> None:
    assert choices(text, named(name), 150) == set(range(7))


@pytest.mark.parametrize("depth", [0, 2, 4])
def test_v5_opens_in_four_different_columns(depth: int) -> None:
    player = parse_player(f"blog-v5:depth={depth}").make()
    for seed in range(30):
        opening = play_game(player, player, seed=seed).columns[:4]
        assert len(set(opening)) == 4
        assert set(opening) <= {1, 2, 3, 4, 5}


def test_v5_may_open_at_random() -> None:
    drawn, searched = "blog-v5:depth=4,opening=random", "blog-v5:depth=4"
    after = Position("443")
    assert parse_player(drawn).make().weights(after) == (None, 0, None, None, 0, 0, None)
    assert choices(drawn, after) == {1, 4, 5}
    assert choices(searched, after) < {1, 4, 5}
    # After the opening both play the same moves.
    later = Position("2345")
    weights = [parse_player(text).make().weights(later) for text in (drawn, searched)]
    assert weights[0] == weights[1]
    # The opening ends after two moves of each player.
    assert opening_columns(Position("234")) == [4, 5]
    assert opening_columns(Position("2345")) is None
    assert opening_columns(Position("2323", board="4x4")) is None
    assert opening_columns(Position("23", board="4x4")) is None  # no column is left


def test_v6_early_chip() -> None:
    for depth in (2, 3):
        player = parse_player(f"blog-v6:depth={depth}").make()
        openings = {play_game(player, player, seed=seed).columns[:4] for seed in range(20)}
        assert openings == {(3, 3, 3, 2)}
    assert choices("blog-v6:depth=0", named("P1")) == {3}
    after = Position.from_columns([0, 6, 0])
    assert choices("blog-v6:depth=3", after) == {2}
    assert choices("blog-v6:depth=3", Position.from_columns([2, 3, 0])) == {4}
    assert choices("blog-v6:depth=4", after) == {3}
    assert choices("blog-v6:depth=2", Position("111", board="1x6")) == {0}
    assert choices("blog-v6:depth=2", Position("121", board="2x6")) <= {0, 1}


def test_v6_looks_deep_only_when_the_middle_is_full() -> None:
    player, shallow = parse_player("blog-v6:depth=6").make(), parse_player("blog-v6:depth=4").make()
    assert player.weights(named("P5")) == shallow.weights(named("P5"))
    full = Position("444444")
    assert player.weights(full) != shallow.weights(full)


def test_v6_at_depth_6_plays_one_game_against_itself() -> None:
    # Only the first choice, between two mirror images, is random.
    player = parse_player("blog-v6:depth=6").make()
    records = [play_game(player, player, seed=seed) for seed in range(12)]
    mirrored = "".join(str(6 - int(column)) for column in LONGEST_GAME)
    games = {"".join(map(str, record.columns)) for record in records}
    assert games == {LONGEST_GAME, mirrored}
    assert all(record.winner is None for record in records)


def test_missed_win_rounds() -> None:
    # Red 3 - Blue 5 of v6: draws occur only if later rounds count too.
    def draws(rounds: str) -> int:
        red, blue = (
            parse_player(f"blog-v6:depth={depth},missed_win_rounds={rounds}").make()
            for depth in (3, 5)
        )
        records = [play_game(red, blue, seed=seed) for seed in range(40)]
        assert all(record.winner != "x" for record in records) == (rounds == "round3+")
        return sum(record.winner is None for record in records)

    assert draws("round3+") > 5
    assert draws("round3") == 0
