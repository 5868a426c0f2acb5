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
from c4core.arena.files import GameEntry, Repeats, mirrored_moves
from c4core.arena.game import Ending
from c4core.errors import MoveError
from c4core.lines import BadLine
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from tests.support.boards.finished_games import finished_games
from tests.support.refused import own_words

# The source's example: columns 3, 2, 3, 2, 3, 2, 3 from 0; the first player wins vertically.
STANDING = "4343434"
PLAYED_ON = ",".join(["0"] * 14 + ["0,0,0,1,0,0,0"] + ["0,0,-1,1,0,0,0"] * 2 + ["0,0,-1,1,-1,0,0"])
ROW = ",".join(["0"] * 14 + ["0,0,0,1,0,0,0"] + ["0,0,-1,1,0,0,0"] * 3 + ["1"])


def read_csv(text: str, board: BoardSize = DEFAULT_BOARD) -> list[GameEntry | BadLine]:
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

    def test_rows_are_read_with_and_without_a_heading(self) -> None:
        names = csv_names(BoardSize(7, 6))
        for text in (ROW, f"{names}\n{ROW}\n", f"\ufeff{names}\r\n{ROW}\r\n\r\n"):
            (game,) = read_csv(text)
            assert isinstance(game, GameEntry)
            assert game.final == Position(STANDING)
            assert (game.winner, game.ending, game.moves) == ("x", Ending.FOUR, None)

    def test_numbers_may_be_written_in_other_ways(self) -> None:
        cells = [
            f'"{cell}.0"' if index % 2 else f" {cell}" for index, cell in enumerate(ROW.split(","))
        ]
        (game,) = read_csv(",".join(cells))
        assert isinstance(game, GameEntry)
        assert game.final == Position(STANDING)

    def test_the_first_player_is_x(self) -> None:
        # The same game with -1 for the first player: all numbers change their sign.
        turned = ",".join(str(-int(cell)) for cell in ROW.split(","))
        (game,) = read_csv(turned)
        assert isinstance(game, GameEntry)
        assert (game.final, game.winner) == (Position(STANDING), "x")

    def test_the_second_player_may_win(self) -> None:
        lost = Position("12121232")  # o wins vertically
        assert lost.winner == "o"
        line = csv_line(lost, "o")
        turned = ",".join(str(-int(cell)) for cell in line.split(","))
        for game in read_csv(f"{line}\n{turned}"):
            assert isinstance(game, GameEntry)
            assert (game.final, game.winner) == (lost, "o")

    def test_bad_rows_are_reported(self, snapshot: SnapshotAssertion) -> None:
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


@pytest.mark.parametrize("board", [BoardSize(10, 7), BoardSize(20, 5), BoardSize(61, 1)], ids=str)
def test_wide_boards(board: BoardSize) -> None:
    start = Position(width=board.width, height=board.height).play(board.width - 1)
    assert start.key >= 1 << 64
    for game in finished_games(3, board=board, start=start):
        assert parse_json_game(json_line(game)) == game
        bare = game._replace(moves=None)
        assert parse_json_game(json_line(bare)) == bare
        (read,) = read_csv(f"{csv_names(board)}\n{csv_line(game.final, game.winner)}", board)
        assert isinstance(read, GameEntry)
        assert (read.final, read.winner) == (game.final, game.winner)
        (again,) = read_any(game.moves or "", board)
        assert isinstance(again, GameEntry)
        repeats = Repeats(mirrors=True)
        assert repeats.is_new(game)
        mirrored = game._replace(
            start=game.start.mirrored(),
            moves=mirrored_moves(game.moves or "", board.width),
            final=game.final.mirrored(),
        )
        assert not repeats.is_new(mirrored)


class TestJson:
    def test_all_fields_round_trip(self) -> None:
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
    def test_an_impossible_time_is_written_as_unknown(self, impossible: float) -> None:
        """Games of a received database may have such times."""
        game = finished_games(1)[0]._replace(x_seconds=impossible, o_seconds=0.5)
        assert parse_json_game(json_line(game)) == game._replace(x_seconds=0.0)

    def test_a_start_and_a_final_grid_round_trip(self) -> None:
        for game in finished_games(5, start=Position("4453")):
            assert parse_json_game(json_line(game)) == game
            bare = game._replace(moves=None)
            assert parse_json_game(json_line(bare)) == bare

    def test_moves_alone_make_a_game(self) -> None:
        game = parse_json_game('{"moves": "4343434", "unknown": [1]}')
        assert (game.winner, game.ending) == ("x", Ending.FOUR)
        assert game.first is None

    def test_other_boards(self) -> None:
        (game,) = finished_games(1, board=BoardSize(5, 4))
        fields = json.loads(json_line(game))
        assert fields.pop("board") == "5x4"
        assert parse_json_game(json.dumps(fields), board=BoardSize(5, 4)) == game

    def test_integer_seconds_and_any_character(self) -> None:
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
            ('{"moves": "4343434", "final": ""}', "final"),
            ('{"moves": "4343434", "board": "99x99"}', "board"),
            ('{"moves": "4343434", "start": 5}', "start"),
            ('{"moves": "4343434", "x_seconds": -1}', "x_seconds"),
            ('{"moves": "4343434", "x_seconds": NaN}', "line"),
            ('{"moves": "4343434", "x_seconds": Infinity}', "line"),
            ('{"moves": "4343434", "moves": "4343"}', "line"),
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
    def test_bad_lines_are_reported(
        self, line: str, field: str, snapshot: SnapshotAssertion
    ) -> None:
        good = '{"moves": "4343434"}'
        first, bad, last = read_json_games(io.BytesIO(f"{good}\n{line}\n\n{good}".encode()))
        assert isinstance(bad, BadLine)
        assert (bad.line, bad.field) == (2, field)
        assert own_words(bad.error) == snapshot
        assert first == last


def read_any(text: str, board: BoardSize = DEFAULT_BOARD) -> list[GameEntry | BadLine]:
    return list(read_any_games(io.BytesIO(text.encode()), board=board))


def games(text: str) -> list[GameEntry]:
    found = read_any(text)
    assert not [entry for entry in found if isinstance(entry, BadLine)]
    return [entry for entry in found if isinstance(entry, GameEntry)]


def bad(text: str) -> list[tuple[int, str]]:
    return [(entry.line, entry.error) for entry in read_any(text) if isinstance(entry, BadLine)]


class TestAnyForm:
    def test_moves(self) -> None:
        won, open_ = games("4343434\n\n  4453 \r\n")
        assert (won.moves, won.winner, won.ending) == ("4343434", "x", Ending.FOUR)
        assert (open_.moves, open_.winner, open_.ending) == ("4453", None, Ending.UNFINISHED)
        (small,) = read_any("12341", BoardSize(4, 4))
        assert isinstance(small, GameEntry)
        assert small.board == (4, 4)

    def test_objects(self) -> None:
        small = '{"moves": "12", "board": "4x4", "match": 3, "number": 7}'
        text = f'{{"moves": "4453", "first": "a"}}\n{small}\n'
        first, second = games(text)
        assert (first.first, first.second, first.ending) == ("a", None, Ending.UNFINISHED)
        assert (second.board, second.match, second.number) == ((4, 4), 3, 7)
        (resigned,) = games('{"moves": "4453", "winner": "x", "ending": "resigned"}\n')
        assert (resigned.winner, resigned.ending) == ("x", Ending.RESIGNED)

    def test_tables(self) -> None:
        text = 'Moves,first,second,note\n4453,"a, b",c,nothing\n4343434,,,\n'
        first, second = games(text)
        assert (first.moves, first.first, first.second) == ("4453", "a, b", "c")
        assert (second.winner, second.first) == ("x", None)

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("44\n4444444\n", 2),
            ('{"moves": "44", "winner": "x"}\n', 1),
            ('{"moves": "44"\n', 1),
            ('{"final": 4432676798594}\n', 1),
            ('{"moves": "44", "moves": "43"}\n', 1),
            ("moves,first,moves\n", 1),
            ("one,two\n1,2\n", 2),
            ("pos_01,pos_02,winner\n1,0,1\n", 2),
            ("moves,first\n99,a\n", 2),
            ("\xff\n", 1),
        ],
    )
    def test_bad_lines(self, text: str, line: int, snapshot: SnapshotAssertion) -> None:
        ((number, error),) = bad(text)
        assert number == line
        assert own_words(error) == snapshot

    def test_a_bad_line_does_not_end_the_file(self) -> None:
        found = read_any("44\n4x\n4453\n")
        assert [isinstance(entry, BadLine) for entry in found] == [False, True, False]

    def test_a_game_of_moves(self) -> None:
        with pytest.raises(MoveError, match="move 2"):
            game_of_moves("18", BoardSize(7, 6))
        assert game_of_moves("", BoardSize(7, 6)).moves == ""


# One final grid, reached by two orders of moves.
UPRIGHT, OTHER_ORDER = "4141474", "4147414"
MIRRORED = "4747414"


def game(moves: str) -> GameEntry:
    return parse_json_game(f'{{"moves": "{moves}"}}')


class TestRepeats:
    @pytest.mark.parametrize(
        ("by", "mirrors", "new"),
        [
            ("moves", False, [True, True, True, False]),
            ("moves", True, [True, True, False, False]),
            ("grids", False, [True, False, True, False]),
            ("grids", True, [True, False, False, False]),
        ],
    )
    def test_repeats_by_moves_or_grids(self, by: str, mirrors: bool, new: list[bool]) -> None:  # noqa: FBT001
        assert game(UPRIGHT).final == game(OTHER_ORDER).final
        assert game(MIRRORED).final == game(UPRIGHT).final.mirrored()
        repeats = Repeats(by, mirrors=mirrors)  # type: ignore[arg-type]  # parametrized
        games = [game(moves) for moves in (UPRIGHT, OTHER_ORDER, MIRRORED, UPRIGHT)]
        assert [repeats.is_new(each) for each in games] == new
        assert repeats.repeated == new.count(False)
        assert len(repeats) == new.count(True)

    def test_games_from_other_starts_differ(self) -> None:
        repeats = Repeats()
        assert repeats.is_new(game(UPRIGHT))
        begun = game(UPRIGHT)._replace(start=Position("17"), final=Position(f"17{UPRIGHT}"))
        assert repeats.is_new(begun)
        assert not repeats.is_new(begun)

    def test_a_mirrored_start(self) -> None:
        repeats = Repeats(mirrors=True)
        for one in finished_games(20, start=Position("12")):
            repeats.is_new(one)
            mirrored = one._replace(
                start=one.start.mirrored(),
                moves=mirrored_moves(one.moves or "", 7),
                final=one.final.mirrored(),
            )
            assert not repeats.is_new(mirrored)

    def test_games_without_moves_differ_by_their_grids(self) -> None:
        repeats = Repeats("moves")
        bare = game(UPRIGHT)._replace(moves=None)
        assert repeats.is_new(game(UPRIGHT))
        assert repeats.is_new(bare)
        assert not repeats.is_new(game(OTHER_ORDER)._replace(moves=None))
