"""Games in files: writing, reading, refusing bad input, and finding repeats."""

import io
import json
import math

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.arena.file_formats import (
    csv_line,
    csv_names,
    game_of_moves,
    json_line,
    parse_json_game,
    read_any_games,
    read_csv_games,
    read_json_games,
)
from c4core.arena.files import GameEntry
from c4core.arena.game import Ending
from c4core.errors import MoveError
from c4core.lines import BadLine
from c4core.notation import DEFAULT_BOARD, BoardSize, format_moves
from c4core.position import Position
from tests.support.boards.finished_games import finished_games
from tests.support.forms import ACCEPTED, MOVES
from tests.support.refused import own_words

# The source's example: columns 3, 2, 3, 2, 3, 2, 3 from 0; the first player wins vertically.
STANDING = "4343434"
PLAYED_ON = ",".join(["0"] * 14 + ["0,0,0,1,0,0,0"] + ["0,0,-1,1,0,0,0"] * 2 + ["0,0,-1,1,-1,0,0"])
ROW = ",".join(["0"] * 14 + ["0,0,0,1,0,0,0"] + ["0,0,-1,1,0,0,0"] * 3 + ["1"])


def negated(line: str) -> str:
    """A row in which all numbers have the other sign."""
    return ",".join(str(-int(cell)) for cell in line.split(","))


def read_csv(text: str, board: BoardSize = DEFAULT_BOARD) -> list[GameEntry | BadLine]:
    return list(read_csv_games(io.BytesIO(text.encode()), board=board))


def test_the_csv_example_of_the_source() -> None:
    final = Position(STANDING)
    assert csv_line(final, "x") == ROW
    names = csv_names(final.board).split(",")
    assert len(names) == 43
    assert [names[index] for index in (0, 8, 41, 42)] == ["pos_01", "pos_09", "pos_42", "winner"]


NAMES = csv_names(DEFAULT_BOARD)
CELLS = enumerate(ROW.split(","))


@pytest.mark.parametrize(
    "text",
    [
        ROW,
        f"{NAMES}\n{ROW}\n",
        f"\ufeff{NAMES}\r\n{ROW}\r\n\r\n",
        ",".join(f'"{cell}.0"' if index % 2 else f" {cell}" for index, cell in CELLS),
        negated(ROW),  # -1 for the first player, who is x
    ],
)
def test_csv_is_read_in_several_ways(text: str) -> None:
    (game,) = read_csv(text)
    assert isinstance(game, GameEntry)
    assert game.final == Position(STANDING)
    assert (game.winner, game.ending, game.moves) == ("x", Ending.FOUR, None)
    # The second player may win, too.
    lost = Position("12121232")
    line = csv_line(lost, "o")
    for game in read_csv(f"{line}\n{negated(line)}"):
        assert isinstance(game, GameEntry)
        assert (game.final, game.winner) == (lost, "o")


def test_bad_csv_rows_are_reported(snapshot: SnapshotAssertion) -> None:
    rows = [
        "1,0",
        ROW.replace("-1", "2", 1),
        ROW[:-1] + "-1",
        f"{PLAYED_ON},-1",
        ROW[:-1] + "0",
        "1," + ROW[2:],
        ",".join(["0"] * 43),
    ]
    good, *bad, again = read_csv("\n".join([ROW, *rows, ROW]))
    assert [row.line for row in bad if isinstance(row, BadLine)] == [2, 3, 4, 5, 6, 7, 8]
    assert [row.error for row in bad if isinstance(row, BadLine)] == snapshot
    assert good == again


@pytest.mark.parametrize(
    "board",
    [BoardSize(7, 6), BoardSize(10, 7), BoardSize(20, 5), BoardSize(61, 1)],
    ids=str,
)
def test_games_from_a_start_in_all_forms(board: BoardSize) -> None:
    start = Position(board=board).play(board.width - 1)
    for game in finished_games(5, board=board, start=start):
        assert parse_json_game(json_line(game)) == game
        bare = game._replace(moves=None)
        assert parse_json_game(json_line(bare)) == bare
        (read,) = read_csv(f"{csv_names(board)}\n{csv_line(game.final, game.winner)}", board)
        assert isinstance(read, GameEntry)
        assert (read.final, read.winner) == (game.final, game.winner)
        (again,) = read_any(format_moves([board.width - 1]) + (game.moves or ""), board)
        assert isinstance(again, GameEntry)
        assert again.final == game.final


def test_all_fields_round_trip() -> None:
    game = finished_games(1)[0]._replace(
        first="set:fallback=vector",
        second="random",
        seed=(1 << 64) - 1,
        x_seconds=0.25,
        o_seconds=0.5,
        replaced=(0, 2),
        match=3,
        number=17,
    )
    assert parse_json_game(json_line(game)) == game


@pytest.mark.parametrize("impossible", [math.inf, math.nan, 1.7e308, -1.0])
def test_an_impossible_time_is_written_as_unknown(impossible: float) -> None:
    """Games of a received database may have such times."""
    game = finished_games(1)[0]._replace(x_seconds=impossible, o_seconds=0.5)
    assert parse_json_game(json_line(game)) == game._replace(x_seconds=0.0)


def test_fields_of_a_line_may_be_left_out() -> None:
    line = r'{"moves": "4343434", "x_seconds": 1, "first": "\ud83d\ude00 \u0416", "unknown": [1]}'
    game = parse_json_game(line)
    assert (game.winner, game.ending, game.second) == ("x", Ending.FOUR, None)
    faces = "\N{GRINNING FACE} \N{CYRILLIC CAPITAL LETTER ZHE}"
    assert (game.x_seconds, game.first) == (1.0, faces)
    # A line without a board is read for a given board.
    (game,) = finished_games(1, board=BoardSize(5, 4))
    fields = json.loads(json_line(game))
    assert fields.pop("board") == "5x4"
    assert parse_json_game(json.dumps(fields), board=BoardSize(5, 4)) == game


def test_bad_lines_are_reported(snapshot: SnapshotAssertion) -> None:
    good, found = '{"moves": "4343434"}', {}
    for line in BAD_LINES:
        first, bad, last = read_json_games(io.BytesIO(f"{good}\n{line}\n\n{good}".encode()))
        assert isinstance(bad, BadLine)
        assert (bad.line, first) == (2, last)
        found[line[:70]] = (bad.field, own_words(bad.error))
    assert found == snapshot


BAD_FIELDS = r"""
"winner": "o" | "winner": "me" | "ending": "full" | "ending": "time", "winner": "x"
"seed": -1 | "seed": "1" | "final": "" | "board": "99x99" | "start": 5 | "moves": "4343"
"x_seconds": -1 | "x_seconds": NaN | "x_seconds": Infinity | "x_seconds": true
"o_seconds": 1000000001 | "replaced": [7] | "replaced": [true]
"first": "\ud800" | "second": "a\u0000"
"""
"""Fields that no won game has."""
BAD_LINES = [
    "44", "{}", '{"moves": 44}', '{"moves": "48"}', '{"moves": "43434344"}', '{"moves": "4343"}',
    '{"moves": "43", "ending": "boredom", "winner": "x"}', '{"moves": "43", "ending": "time"}',
    "[" * 20_000, f'{{"moves": "4343434", "winner": {"[" * 100}{"]" * 100}}}',
    f'{{"moves": "4343434", "o_seconds": {"9" * 401}}}',
    f'{{"moves": "4343434", "seed": {"9" * 5000}}}',
    *(
        f'{{"moves": "4343434", {field}}}'
        for line in BAD_FIELDS.strip().splitlines()
        for field in line.split(" | ")
    ),
]  # fmt: skip


def read_any(text: str, board: BoardSize = DEFAULT_BOARD) -> list[GameEntry | BadLine]:
    return list(read_any_games(io.BytesIO(text.encode()), board=board))


def games(text: str) -> list[GameEntry]:
    found = read_any(text)
    assert not [entry for entry in found if isinstance(entry, BadLine)]
    return [entry for entry in found if isinstance(entry, GameEntry)]


def test_a_file_of_moves() -> None:
    won, open_ = games("4343434\n\n  4453 \r\n")
    assert (won.moves, won.winner, won.ending) == ("4343434", "x", Ending.FOUR)
    assert (open_.moves, open_.winner, open_.ending) == ("4453", None, Ending.UNFINISHED)
    (small,) = read_any("12341", BoardSize(4, 4))
    assert isinstance(small, GameEntry)
    assert small.board == (4, 4)


def test_moves_of_any_form() -> None:
    texts = [text.strip() for text in ACCEPTED if not text.startswith(("{", '["', "\ufeff"))]
    assert {game.moves for game in games("\n".join(texts))} == {MOVES}


def test_files_of_objects_and_tables() -> None:
    small = '{"moves": "12", "board": "4x4", "match": 3, "number": 7}'
    text = f'{{"moves": "4453", "first": "a"}}\n{small}\n'
    first, second = games(text)
    assert (first.first, first.second, first.ending) == ("a", None, Ending.UNFINISHED)
    assert (second.board, second.match, second.number) == ((4, 4), 3, 7)
    (resigned,) = games('{"moves": "4453", "winner": "x", "ending": "resigned"}\n')
    assert (resigned.winner, resigned.ending) == ("x", Ending.RESIGNED)
    first, second = games('Moves,first,second,note\n4453,"a, b",c,nothing\n4343434,,,\n')
    assert (first.moves, first.first, first.second) == ("4453", "a, b", "c")
    assert (second.winner, second.first) == ("x", None)


def test_a_bad_line_of_any_form_is_reported(snapshot: SnapshotAssertion) -> None:
    texts = (
        "44\n4444444\n", '{"moves": "44", "winner": "x"}\n', '{"moves": "44"\n',
        '{"final": 4432676798594}\n', '{"moves": "44", "moves": "43"}\n', "moves,first,moves\n",
        "one,two\n1,2\n", "pos_01,pos_02,winner\n1,0,1\n", "moves,first\n99,a\n", "\xff\n",
    )  # fmt: skip
    assert [
        (text, entry.line, own_words(entry.error))
        for text in texts
        for entry in read_any(text)
        if isinstance(entry, BadLine)
    ] == snapshot
    found = read_any("44\n4x\n4453\n")  # a bad line does not end the file
    assert [isinstance(entry, BadLine) for entry in found] == [False, True, False]
    with pytest.raises(MoveError, match="move 2"):
        game_of_moves("18", BoardSize(7, 6))
    assert game_of_moves("", BoardSize(7, 6)).moves == ""


# One final grid, reached by two orders of moves.
UPRIGHT, OTHER_ORDER = "4141474", "4147414"
MIRRORED = "4747414"


def game(moves: str) -> GameEntry:
    return parse_json_game(f'{{"moves": "{moves}"}}')
