"""Games of a text file in any form, such as people have them: a line for each game.

A line is the moves (``4455667``), or the object of a game as :mod:`c4core.arena.files_json` has it,
or a row of a table with the heading ``moves``, and perhaps ``board``, ``first``, ``second``,
``winner`` and ``ending``. Games need not be over. Files of final grids have no moves, and are
refused.
"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from c4core.arena.files import GameEntry, GameFileError, empty_board, ending_on_board
from c4core.arena.files_json import parse_json_game
from c4core.arena.game import Ending
from c4core.errors import C4Error
from c4core.lines import BadLine, read_text_lines
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.notation import BoardSize

_FIELDS: Final = ("board", "first", "second", "moves", "winner", "ending")
"""What is read of a row of a table."""

_GRIDS: Final = "these are final grids: without the moves there is nothing to look at"


def read_any_games(
    stream: BinaryIO, *, board: BoardSize = DEFAULT_BOARD
) -> Iterator[GameEntry | BadLine]:
    """Read games; blank lines are skipped.

    Args:
        stream: a binary file.
        board: of games that do not say theirs.
    """
    names: list[str] | None = None
    is_first = True
    for line, text in read_text_lines(stream):
        if isinstance(text, BadLine):
            yield text
        elif not text.isspace():
            if is_first and "," in text and not text.lstrip().startswith("{"):
                names = _cells(text)
            else:
                try:
                    yield _game(text.strip(), names, board)
                except C4Error as error:
                    yield BadLine(line, str(error), getattr(error, "field", "moves"))
            is_first = False


def game_of_moves(moves: str, board: BoardSize) -> GameEntry:
    """A game from the empty board, as far as it has come.

    Args:
        moves: columns from 1, as text.
        board: the board's size.

    Raises:
        MoveError: a move cannot be read or cannot be played.
    """
    final = Position(moves, width=board.width, height=board.height)
    ending = ending_on_board(final, final.winner) if final.is_over else Ending.UNFINISHED
    return GameEntry(empty_board(board), moves.lower(), final, final.winner, ending)


def _game(text: str, names: list[str] | None, board: BoardSize) -> GameEntry:
    if names is not None:
        if "moves" not in names:
            raise GameFileError(
                _GRIDS if "winner" in names else 'the heading has no "moves"', field="line"
            )
        row = dict(zip(names, _cells(text, keep_case=True), strict=False))
        return _of_fields({name: row[name] for name in _FIELDS if row.get(name)}, board)
    if not text.startswith("{"):
        return game_of_moves(text, board)
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        return parse_json_game(text, board=board)  # says what is wrong with it
    game = _of_fields(fields, board)
    if game.moves is None:
        raise GameFileError(_GRIDS, field="moves")
    return game


def _of_fields(fields: dict[str, Any], board: BoardSize) -> GameEntry:
    """A game of an object, which need not say that it is not over."""
    try:
        return parse_json_game(json.dumps(fields), board=board)
    except GameFileError as error:
        if error.field != "ending" or fields.get("ending") or fields.get("winner"):
            raise
    return parse_json_game(json.dumps({**fields, "ending": Ending.UNFINISHED}), board=board)


def _cells(text: str, *, keep_case: bool = False) -> list[str]:
    cells = [cell.strip() for cell in next(csv.reader([text]), [])]
    return cells if keep_case else [cell.lower() for cell in cells]
