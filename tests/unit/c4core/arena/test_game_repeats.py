import pytest

from c4core.arena.file_formats import parse_json_game
from c4core.arena.files import GameEntry, Repeats, mirrored_moves
from c4core.position import Position
from tests.support.boards.finished_games import finished_games

# One final grid, reached in two orders of moves.
UPRIGHT, OTHER_ORDER = "4141474", "4147414"
MIRRORED = "4747414"


def game(moves: str) -> GameEntry:
    return parse_json_game(f'{{"moves": "{moves}"}}')


@pytest.mark.parametrize(
    ("by", "mirrors", "new"),
    [
        ("moves", False, [True, True, True, False]),
        ("moves", True, [True, True, False, False]),
        ("grids", False, [True, False, True, False]),
        ("grids", True, [True, False, False, False]),
    ],
)
def test_what_is_the_same(by: str, mirrors: bool, new: list[bool]) -> None:  # noqa: FBT001
    assert game(UPRIGHT).final == game(OTHER_ORDER).final
    assert game(MIRRORED).final == game(UPRIGHT).final.mirrored()
    repeats = Repeats(by, mirrors=mirrors)  # type: ignore[arg-type]  # parametrized
    games = [game(moves) for moves in (UPRIGHT, OTHER_ORDER, MIRRORED, UPRIGHT)]
    assert [repeats.is_new(each) for each in games] == new
    assert repeats.repeated == new.count(False)
    assert len(repeats) == new.count(True)


def test_the_start_counts() -> None:
    repeats = Repeats()
    assert repeats.is_new(game(UPRIGHT))
    begun = game(UPRIGHT)._replace(start=Position("17"), final=Position(f"17{UPRIGHT}"))
    assert repeats.is_new(begun)
    assert not repeats.is_new(begun)


def test_a_mirrored_start() -> None:
    repeats = Repeats(mirrors=True)
    for one in finished_games(20, start=Position("12")):
        repeats.is_new(one)
        mirrored = one._replace(
            start=one.start.mirrored(),
            moves=mirrored_moves(one.moves or "", 7),
            final=one.final.mirrored(),
        )
        assert not repeats.is_new(mirrored)


def test_games_without_moves_are_told_apart_by_their_grids() -> None:
    repeats = Repeats("moves")
    bare = game(UPRIGHT)._replace(moves=None)
    assert repeats.is_new(game(UPRIGHT))
    assert repeats.is_new(bare)
    assert not repeats.is_new(game(OTHER_ORDER)._replace(moves=None))
