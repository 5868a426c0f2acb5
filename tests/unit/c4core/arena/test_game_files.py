"""Games in files: what is written, what is read, and what is refused with which words."""

import io
import json
import math

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.arena.file_formats import (
    csv_line,
    csv_names,
    json_line,
    parse_json_game,
    read_csv_games,
    read_json_games,
)
from c4core.arena.files import GameEntry
from c4core.arena.game import Ending
from c4core.lines import BadLine
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from tests.support.boards.finished_games import finished_games
from tests.support.refused import own_words

# The source's own example: columns 3, 2, 3, 2, 3, 2, 3 from 0, the first player wins upright.
STANDING = "4343434"
PLAYED_ON = ",".join(["0"] * 14 + ["0,0,0,1,0,0,0"] + ["0,0,-1,1,0,0,0"] * 2 + ["0,0,-1,1,-1,0,0"])
ROW = ",".join(["0"] * 14 + ["0,0,0,1,0,0,0"] + ["0,0,-1,1,0,0,0"] * 3 + ["1"])


def read(text: str, board: BoardSize = DEFAULT_BOARD) -> list[GameEntry | BadLine]:
    return list(read_csv_games(io.BytesIO(text.encode()), board=board))


class TestCsv:
    def test_the_example_of_the_source(self) -> None:
        final = Position(STANDING)
        assert csv_line(final, "x") == ROW
        names = csv_names(final.board).split(",")
        assert len(names) == 43
        assert (names[0], names[8], names[41], names[42]) == (
            "pos_01",
            "pos_09",
            "pos_42",
            "winner",
        )

    def test_is_read_with_and_without_names(self) -> None:
        names = csv_names(BoardSize(7, 6))
        for text in (ROW, f"{names}\n{ROW}\n", f"\ufeff{names}\r\n{ROW}\r\n\r\n"):
            (game,) = read(text)
            assert isinstance(game, GameEntry)
            assert game.final == Position(STANDING)
            assert (game.winner, game.ending, game.moves) == ("x", Ending.FOUR, None)

    def test_numbers_written_in_other_ways(self) -> None:
        cells = [
            f'"{cell}.0"' if index % 2 else f" {cell}" for index, cell in enumerate(ROW.split(","))
        ]
        (game,) = read(",".join(cells))
        assert isinstance(game, GameEntry)
        assert game.final == Position(STANDING)

    def test_who_began_is_x(self) -> None:
        # The same game with -1 as the one that began: all numbers change their sign.
        turned = ",".join(str(-int(cell)) for cell in ROW.split(","))
        (game,) = read(turned)
        assert isinstance(game, GameEntry)
        assert (game.final, game.winner) == (Position(STANDING), "x")

    def test_who_moves_second_and_wins(self) -> None:
        lost = Position("12121232")  # o wins upright
        assert lost.winner == "o"
        line = csv_line(lost, "o")
        turned = ",".join(str(-int(cell)) for cell in line.split(","))
        for game in read(f"{line}\n{turned}"):
            assert isinstance(game, GameEntry)
            assert (game.final, game.winner) == (lost, "o")

    def test_bad_rows_are_named(self, snapshot: SnapshotAssertion) -> None:
        rows = [
            "1,0",
            ROW.replace("-1", "2", 1),
            ROW[:-1] + "-1",
            f"{PLAYED_ON},-1",
            ROW[:-1] + "0",
            "1," + ROW[2:],
            ",".join(["0"] * 43),
        ]
        good, *bad, again = read("\n".join([ROW, *rows, ROW]))
        assert [row.line for row in bad if isinstance(row, BadLine)] == [2, 3, 4, 5, 6, 7, 8]
        assert [row.error for row in bad if isinstance(row, BadLine)] == snapshot
        assert good == again


class TestJson:
    def test_everything_comes_back(self) -> None:
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
    def test_an_impossible_time_is_written_as_an_unknown_one(self, impossible: float) -> None:
        """As a game of a received database may have it."""
        game = finished_games(1)[0]._replace(x_seconds=impossible, o_seconds=0.5)
        assert parse_json_game(json_line(game)) == game._replace(x_seconds=0.0)

    def test_a_start_and_a_final_grid_come_back(self) -> None:
        for game in finished_games(5, start=Position("4453")):
            assert parse_json_game(json_line(game)) == game
            bare = game._replace(moves=None)
            assert parse_json_game(json_line(bare)) == bare

    def test_the_moves_are_enough(self) -> None:
        game = parse_json_game('{"moves": "4343434", "unknown": [1]}')
        assert (game.winner, game.ending) == ("x", Ending.FOUR)
        assert game.first is None

    def test_other_boards(self) -> None:
        (game,) = finished_games(1, board=BoardSize(5, 4))
        fields = json.loads(json_line(game))
        assert fields.pop("board") == "5x4"
        assert parse_json_game(json.dumps(fields), board=BoardSize(5, 4)) == game

    def test_whole_seconds_and_any_character(self) -> None:
        line = r'{"moves": "4343434", "x_seconds": 1, "first": "\ud83d\ude00 \u0416"}'
        game = parse_json_game(line)
        assert (game.x_seconds, game.first) == (
            1.0,
            "\N{GRINNING FACE} \N{CYRILLIC CAPITAL LETTER ZHE}",
        )

    @pytest.mark.parametrize(
        ("line", "field"),
        [
            ("44", "line"),
            ("{}", "moves"),
            ('{"moves": 44}', "moves"),
            ('{"moves": "48"}', "moves"),
            ('{"moves": "43434344"}', "moves"),
            ('{"moves": "4343"}', "ending"),
            ('{"moves": "4343434", "winner": "o"}', "winner"),
            ('{"moves": "4343434", "winner": "me"}', "winner"),
            ('{"moves": "4343434", "ending": "full"}', "ending"),
            ('{"moves": "43", "ending": "boredom", "winner": "x"}', "ending"),
            ('{"moves": "43", "ending": "time"}', "ending"),
            ('{"moves": "4343434", "ending": "time", "winner": "x"}', "ending"),
            ('{"moves": "4343434", "seed": -1}', "seed"),
            ('{"moves": "4343434", "seed": "1"}', "seed"),
            ('{"moves": "4343434", "board": "99x99"}', "board"),
            ('{"moves": "4343434", "start": 5}', "start"),
            ('{"moves": "4343434", "x_seconds": -1}', "x_seconds"),
            ('{"moves": "4343434", "x_seconds": NaN}', "x_seconds"),
            ('{"moves": "4343434", "x_seconds": Infinity}', "x_seconds"),
            ('{"moves": "4343434", "x_seconds": true}', "x_seconds"),
            ('{"moves": "4343434", "o_seconds": 1000000001}', "o_seconds"),
            ('{"moves": "4343434", "replaced": [7]}', "replaced"),
            ('{"moves": "4343434", "replaced": [true]}', "replaced"),
            (r'{"moves": "4343434", "first": "\ud800"}', "first"),
            (r'{"moves": "4343434", "second": "a\u0000"}', "second"),
            pytest.param("[" * 20_000, "line", id="brackets"),
            pytest.param(
                f'{{"moves": "4343434", "winner": {"[" * 100}{"]" * 100}}}', "line", id="nested"
            ),
            pytest.param(
                f'{{"moves": "4343434", "o_seconds": {"9" * 401}}}',
                "o_seconds",
                id="seconds of 401 digits",
            ),
            pytest.param(
                f'{{"moves": "4343434", "seed": {"9" * 5000}}}', "line", id="seed of 5000 digits"
            ),
        ],
    )
    def test_bad_lines_are_named(self, line: str, field: str, snapshot: SnapshotAssertion) -> None:
        good = '{"moves": "4343434"}'
        first, bad, last = read_json_games(io.BytesIO(f"{good}\n{line}\n\n{good}".encode()))
        assert isinstance(bad, BadLine)
        assert (bad.line, bad.field) == (2, field)
        assert own_words(bad.error) == snapshot
        assert first == last
