"""Games survive writing and reading; a slow check finds the same repeats."""

import io

from hypothesis import given, settings, strategies as st

from c4core.arena.file_formats import (
    csv_line,
    csv_names,
    json_line,
    read_csv_games,
    read_json_games,
)
from c4core.arena.files import (
    GameEntry,
    empty_board,
    ending_on_board,
)
from c4core.arena.game import Ending
from c4core.notation import BoardSize, format_moves
from tests.support.text import storable_text

BOARDS = (BoardSize(7, 6), BoardSize(4, 4), BoardSize(10, 5), BoardSize(5, 8))
FAILURES = [ending for ending in Ending if ending not in (Ending.FOUR, Ending.FULL)]
"""The allowed endings of a game that was not played out, including ``unfinished``."""


@st.composite
def games(draw: st.DrawFn, *, whole: bool = False, board: BoardSize | None = None) -> GameEntry:
    """A game of drawn moves: played to its end, or forfeited earlier."""
    size = board or draw(st.sampled_from(BOARDS))
    length = size.cells if whole else draw(st.integers(0, size.cells))
    position, columns = empty_board(size), []
    for choice in draw(st.binary(min_size=length, max_size=length)):
        if position.is_over:
            break
        legal = position.legal_columns()
        columns.append(legal[choice % len(legal)])
        position = position.play(columns[-1])
    if position.is_over:
        winner, ending = position.winner, ending_on_board(position, position.winner)
        detail = ""
    else:
        ending = draw(st.sampled_from(FAILURES))
        winner = None if ending is Ending.UNFINISHED else draw(st.sampled_from("xo"))
        detail = draw(st.text(max_size=20))
    return GameEntry(
        empty_board(size),
        format_moves(columns),
        position,
        winner,
        ending,
        draw(st.none() | storable_text(max_size=10)),
        draw(st.none() | storable_text(max_size=10)),
        draw(st.none() | st.integers(0, (1 << 64) - 1)),
        detail,
    )


@given(st.lists(games(), max_size=5))
@settings(max_examples=40)
def test_json_lines(entries: list[GameEntry]) -> None:
    text = "".join(f"{json_line(entry)}\n" for entry in entries)
    assert list(read_json_games(io.BytesIO(text.encode()))) == entries


@given(st.data(), st.sampled_from(BOARDS))
@settings(max_examples=40)
def test_csv(data: st.DataObject, board: BoardSize) -> None:
    entries = data.draw(st.lists(games(whole=True, board=board), max_size=5))
    lines = [csv_names(board), *(csv_line(entry.final, entry.winner) for entry in entries)]
    found = list(read_csv_games(io.BytesIO("\n".join(lines).encode()), board=board))
    assert [(game.final, game.winner) for game in found if isinstance(game, GameEntry)] == [
        (entry.final, entry.winner) for entry in entries
    ]
