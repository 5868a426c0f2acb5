"""Games in any form: moves, objects, tables; and what is refused, with its line."""

import io

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.arena.file_formats import game_of_moves, read_any_games
from c4core.arena.files import GameEntry
from c4core.arena.game import Ending
from c4core.errors import MoveError
from c4core.lines import BadLine
from c4core.notation import DEFAULT_BOARD, BoardSize
from tests.support.refused import own_words


def read(text: str, board: BoardSize = DEFAULT_BOARD) -> list[GameEntry | BadLine]:
    return list(read_any_games(io.BytesIO(text.encode()), board=board))


def games(text: str) -> list[GameEntry]:
    found = read(text)
    assert not [entry for entry in found if isinstance(entry, BadLine)]
    return [entry for entry in found if isinstance(entry, GameEntry)]


def bad(text: str) -> list[tuple[int, str]]:
    return [(entry.line, entry.error) for entry in read(text) if isinstance(entry, BadLine)]


def test_moves() -> None:
    won, open_ = games("4343434\n\n  4453 \r\n")
    assert (won.moves, won.winner, won.ending) == ("4343434", "x", Ending.FOUR)
    assert (open_.moves, open_.winner, open_.ending) == ("4453", None, Ending.UNFINISHED)
    (small,) = read("12341", BoardSize(4, 4))
    assert isinstance(small, GameEntry)
    assert small.board == (4, 4)


def test_objects() -> None:
    small = '{"moves": "12", "board": "4x4", "match": 3, "number": 7}'
    text = f'{{"moves": "4453", "first": "a"}}\n{small}\n'
    first, second = games(text)
    assert (first.first, first.second, first.ending) == ("a", None, Ending.UNFINISHED)
    assert (second.board, second.match, second.number) == ((4, 4), 3, 7)
    (resigned,) = games('{"moves": "4453", "winner": "x", "ending": "resigned"}\n')
    assert (resigned.winner, resigned.ending) == ("x", Ending.RESIGNED)


def test_tables() -> None:
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
        ("a,b\n1,2\n", 2),
        ("pos_01,pos_02,winner\n1,0,1\n", 2),
        ("moves,first\n99,a\n", 2),
        ("\xff\n", 1),
    ],
)
def test_bad_lines(text: str, line: int, snapshot: SnapshotAssertion) -> None:
    ((number, error),) = bad(text)
    assert number == line
    assert own_words(error) == snapshot


def test_a_bad_line_does_not_end_the_file() -> None:
    found = read("44\n4x\n4453\n")
    assert [isinstance(entry, BadLine) for entry in found] == [False, True, False]


def test_a_game_of_moves() -> None:
    with pytest.raises(MoveError, match="index 1"):
        game_of_moves("18", BoardSize(7, 6))
    assert game_of_moves("", BoardSize(7, 6)).moves == ""
