"""Games as text, one line per game: JSON Lines, final grids (CSV), or any common form.

**JSON Lines** have one object per game::

    {"match": 3, "number": 17, "board": "7x6", "first": "set:fallback=vector", "second": "random",
     "seed": 42, "moves": "4353637", "winner": "x", "ending": "four", "x_seconds": 0.0001,
     "o_seconds": 0.0002}

Only ``moves`` is required. ``board`` defaults to the reader's board, which is 7x6 by default.
``start`` is the key of the position that the game began from, by default the empty board.
``winner`` (``x``, ``o`` or null) and ``ending`` follow from the moves unless a player failed or
gave up (``resigned``). ``detail`` may describe a player's failure. An abandoned game is
``unfinished`` and has no winner. ``replaced`` lists the 0-based numbers of the moves that were
played in place of illegal answers. If only the last position of a game is known, ``final`` has its
key, and the field ``moves`` is missing. Unknown fields are ignored.

**Final grids** are comma-separated, the format of Brewer 2017. The first row has the names,
``pos_01,..,pos_42,winner``. Each further row is a game: the cells of its final grid, row by row
from the top and from left to right (1 first player, -1 second player, 0 empty), and then the winner
(1, -1, or 0 for a draw). A board of another size has one cell for each of its squares.

Some programs choose the first player at random, so in some games -1 began. The players of such a
grid are swapped when it is read, because ``x`` always begins in C4. A full board without a four has
equally many stones of both sides and does not show who began; then 1 is assumed.

**Any form** is read, but not written. A line is the moves (``4455667``), or the object of a game as
above, or a row of a table. The table's heading has ``moves``, and optionally ``board``, ``first``,
``second``, ``winner`` and ``ending``. Games may be unfinished. Final grids have no moves and are
refused.
"""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from c4core.arena.files import (
    ON_THE_BOARD,
    GameEntry,
    GameFileError,
    empty_board,
    ending_on_board,
)
from c4core.arena.game import Ending
from c4core.errors import C4Error
from c4core.lines import TOO_DEEP, BadLine, is_too_deep, read_json, read_text_lines
from c4core.notation import DEFAULT_BOARD, MAX_BITS, NARROW_BITS, format_moves, parse_board
from c4core.position import Position
from c4core.reader import read_move_list, read_moves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.notation import BoardSize
    from c4core.position import Side

# --- JSON Lines -----------------------------------------------------------------------------------

_ENDINGS: Final = {str(ending): ending for ending in Ending}
_SEEDS: Final = range(1 << 64)
_SECONDS: Final = 1e9
"""The largest time, about 30 years. Without a limit, sums could become infinite."""

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
"""Lone surrogates, which JSON can write, and NUL, which PostgreSQL refuses."""


def json_object(entry: GameEntry) -> dict[str, Any]:
    """Return a game as a JSON object. Unknown and empty values are left out."""
    fields: dict[str, Any] = {
        "match": entry.match,
        "number": entry.number,
        "board": str(entry.board),
        "first": entry.first,
        "second": entry.second,
        "seed": entry.seed,
        "start": entry.start.key if entry.start.ply else None,
        "moves": entry.moves,
        "final": entry.final.key if entry.moves is None else None,
    }
    fields = {name: value for name, value in fields.items() if value is not None}
    fields |= {"winner": entry.winner, "ending": str(entry.ending)}
    if entry.detail:
        fields["detail"] = entry.detail
    x_seconds, o_seconds = _possible(entry.x_seconds), _possible(entry.o_seconds)
    if x_seconds or o_seconds:
        fields["x_seconds"] = round(x_seconds, 6)
        fields["o_seconds"] = round(o_seconds, 6)
    if entry.replaced:
        fields["replaced"] = list(entry.replaced)
    return fields


def _possible(seconds: float) -> float:
    """Return the time if it can be read again, else 0 (unknown).

    A database from elsewhere may have any time, and JSON has no infinite numbers.
    """
    return seconds if 0 <= seconds <= _SECONDS else 0.0


def json_line(entry: GameEntry) -> str:
    """Return a game as a line, without the line end."""
    return json.dumps(json_object(entry))


def read_json_games(
    stream: BinaryIO, *, board: BoardSize = DEFAULT_BOARD
) -> Iterator[GameEntry | BadLine]:
    """Read games from JSON Lines; blank lines are skipped.

    Args:
        stream: a binary file.
        board: the board of games without a field ``board``.
    """
    for line, text in read_text_lines(stream):
        if isinstance(text, BadLine):
            yield text
        elif not text.isspace():
            try:
                yield parse_json_game(text, board=board)
            except GameFileError as error:
                yield BadLine(line, str(error), error.field)


def parse_json_game(text: str, *, board: BoardSize = DEFAULT_BOARD) -> GameEntry:
    """Read a game from a line of JSON.

    Raises:
        GameFileError: the line is not a game; the message says why.
    """
    try:
        fields = read_json(text)
    except (ValueError, RecursionError) as error:
        raise GameFileError(f"not a JSON object: {error}", field="line") from None
    if not isinstance(fields, dict):
        raise GameFileError("not a JSON object", field="line")
    if is_too_deep(fields):  # quoting a part of it in a message would need as much stack again
        raise GameFileError(TOO_DEEP, field="line")
    return read_json_game(fields, board=board)


def read_json_game(fields: dict[str, Any], *, board: BoardSize = DEFAULT_BOARD) -> GameEntry:
    """Read a game from the fields of a JSON object.

    Raises:
        GameFileError: the fields do not describe a game; the message says why.
    """
    size = _board(fields, board)
    start = _position(fields, "start", size) or empty_board(size)
    moves, final = _course(fields, start)
    winner, ending = _result(fields, final)
    return GameEntry(
        start=start,
        moves=moves,
        final=final,
        winner=winner,
        ending=ending,
        first=_player(fields, "first"),
        second=_player(fields, "second"),
        seed=_number(fields, "seed", _SEEDS),
        detail=_text(fields, "detail") or "",
        x_seconds=_seconds(fields, "x_seconds"),
        o_seconds=_seconds(fields, "o_seconds"),
        replaced=_replaced(fields, final.ply - start.ply),
        match=_number(fields, "match", _SEEDS),
        number=_number(fields, "number", _SEEDS),
    )


def _board(fields: dict[str, Any], default: BoardSize) -> BoardSize:
    text = _text(fields, "board")
    if text is None:
        return default
    try:
        return parse_board(text)
    except C4Error as error:
        raise GameFileError(str(error), field="board") from None


def _position(fields: dict[str, Any], name: str, board: BoardSize) -> Position | None:
    key = _number(fields, name, _keys(board))
    if key is None:
        return None
    try:
        return Position.from_key(key, width=board.width, height=board.height)
    except C4Error as error:
        raise GameFileError(f"{name}: {error}", field=name) from None


def _keys(board: BoardSize) -> range:
    """The numbers that may be keys of positions."""
    return range(1 << (NARROW_BITS if board.is_narrow else MAX_BITS))


def _course(fields: dict[str, Any], start: Position) -> tuple[str | None, Position]:
    """Read the moves, and return them with the position after them."""
    moves = fields.get("moves")
    if moves is None:
        final = _position(fields, "final", start.board)
        if final is None:
            raise GameFileError('a game needs "moves"', field="moves")
        return None, final
    _number(fields, "final", _keys(start.board))  # unused, but it must be valid
    try:
        columns = _columns(moves, start.board)
        final = start
        for column in columns:
            final = final.play(column)
    except C4Error as error:
        raise GameFileError(str(error), field="moves") from None
    return format_moves(columns), final


def _columns(moves: object, board: BoardSize) -> tuple[int, ...]:
    if isinstance(moves, list):
        return read_move_list(moves, board)
    if not isinstance(moves, str):
        raise GameFileError("moves must be text or a list of columns", field="moves")
    return read_moves(moves, board)


def _result(fields: dict[str, Any], final: Position) -> tuple[Side | None, Ending]:
    """Read the winner and the ending, or derive them from the board."""
    winner = fields.get("winner", final.winner)
    if winner not in ("x", "o", None):
        raise GameFileError(f'winner must be "x", "o" or null, not {winner!r}', field="winner")
    side = cast("Side | None", winner)
    name = _text(fields, "ending")
    if name is None or name in ON_THE_BOARD:
        ending = ending_on_board(final, side)
        if name is not None and name != ending:
            raise GameFileError(f"the game ended by {ending}, not by {name}", field="ending")
        return side, ending
    if name not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise GameFileError(f"unknown ending {name!r}: use {known}", field="ending")
    if name == Ending.UNFINISHED:
        if final.is_over or side is not None:
            raise GameFileError(
                "an unfinished game has no winner, and its last position is not over",
                field="ending",
            )
        return None, Ending.UNFINISHED
    if final.is_over or side is None:
        raise GameFileError(
            f"a game that ended by {name} has a winner, and its last position is not over",
            field="ending",
        )
    return side, _ENDINGS[name]


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise GameFileError(f"{name} must be text", field=name)
    return value


def _player(fields: dict[str, Any], name: str) -> str | None:
    """Read a player's description. Unlike ``detail``, it is never changed."""
    value = _text(fields, name)
    if value is not None and _UNSTORABLE.search(value):
        raise GameFileError(
            f"{name} {value!r} has characters that no database can store", field=name
        )
    return value


def _number(fields: dict[str, Any], name: str, allowed: range) -> int | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise GameFileError(f"{name} must be a whole number", field=name)
    if value not in allowed:
        raise GameFileError(f"{name} {value} is out of range", field=name)
    return value


def _seconds(fields: dict[str, Any], name: str) -> float:
    value = fields.get(name, 0.0)
    # Not isfinite(): it raises OverflowError for a whole number of hundreds of digits.
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _SECONDS:
        raise GameFileError(
            f"{name} {value!r} is not a number of seconds from 0 to 1e9", field=name
        )
    return float(value)


def _replaced(fields: dict[str, Any], length: int) -> tuple[int, ...]:
    values = fields.get("replaced") or []
    if not isinstance(values, list):
        raise GameFileError("replaced must be a list", field="replaced")
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or value not in range(length):
            raise GameFileError(f"replaced: there is no move {value!r}", field="replaced")
    return tuple(values)


# --- final grids ----------------------------------------------------------------------------------

_CELLS: Final = str.maketrans({".": "0,", "x": "1,", "o": "-1,", "\n": None})
_WINNERS: Final[dict[Side | None, str]] = {"x": "1", "o": "-1", None: "0"}
_SQUARES: Final = {"0": ".", "1": "x", "-1": "o"}
_TURNED: Final = str.maketrans("xo", "ox")
_SIDES: Final[dict[str, Side | None]] = {".": None, "x": "x", "o": "o"}
"""The winner for each grid character: the winner's number is first read as if it were a cell."""


def csv_names(board: BoardSize) -> str:
    """Return the heading: the names of all columns."""
    cells = ",".join(f"pos_{number:02}" for number in range(1, board.cells + 1))
    return f"{cells},winner"


def csv_line(final: Position, winner: Side | None) -> str:
    """Return the row of a game, without the line end."""
    return str(final).translate(_CELLS) + _WINNERS[winner]


def read_csv_games(
    stream: BinaryIO, *, board: BoardSize = DEFAULT_BOARD
) -> Iterator[GameEntry | BadLine]:
    """Read games from final grids. Blank lines are skipped, and the heading may be missing.

    Args:
        stream: a binary file.
        board: the board of all games.
    """
    start = empty_board(board)
    for line, text in read_text_lines(stream):
        if isinstance(text, BadLine):
            yield text
            continue
        row = text.strip()
        if not row or (line == 1 and _is_heading(row, board)):
            continue
        try:
            final, winner = parse_csv_game(row, board=board)
            ending = ending_on_board(final, winner)
        except GameFileError as error:
            yield BadLine(line, str(error), error.field)
        else:
            yield GameEntry(start, None, final, winner, ending)


def parse_csv_game(row: str, *, board: BoardSize = DEFAULT_BOARD) -> tuple[Position, Side | None]:
    """Read the final grid and the winner from a row.

    Raises:
        GameFileError: the row is not a grid of this board followed by a winner.
    """
    cells = row.split(",")
    if len(cells) != board.cells + 1:
        raise GameFileError(
            f"{len(cells)} values: a {board} board needs {board.cells} cells and the winner",
            field="line",
        )
    squares = "".join(_SQUARES.get(cell) or _square(cell) for cell in cells)
    if _began_with_second(squares):
        squares = squares.translate(_TURNED)
    width = board.width
    grid = "/".join(squares[begin : begin + width] for begin in range(0, board.cells, width))
    try:
        return Position.from_grid(grid, width=width, height=board.height), _SIDES[squares[-1]]
    except C4Error as error:
        raise GameFileError(str(error), field="grid") from None


def _is_heading(row: str, board: BoardSize) -> bool:
    return row.replace('"', "").replace(" ", "").lower() == csv_names(board)


def _began_with_second(squares: str) -> bool:
    """Whether the player with -1 moved first. The last of ``squares`` is the winner."""
    first, second = squares.count("x", 0, -1), squares.count("o", 0, -1)
    # If both have equally many stones, the player that moved second also moved last, and only that
    # player can have won.
    return second > first or (second == first and squares[-1] == "x")


def _square(cell: str) -> str:
    """Read a number in an unusual form, such as ``-1.0`` or in quotes, as a square.

    Raises:
        GameFileError: the cell is neither 1 nor -1 nor 0.
    """
    plain = cell.strip().strip('"')
    try:
        return _SQUARES[f"{float(plain):g}"]
    except (ValueError, KeyError):
        raise GameFileError(f"{cell!r} is not 1, -1 or 0", field="grid") from None


# --- any form -------------------------------------------------------------------------------------

_TABLE_FIELDS: Final = ("board", "first", "second", "moves", "winner", "ending")
"""The fields read from a row of a table."""

_ONLY_GRIDS: Final = "these are final grids without moves; give games with their moves"


def read_any_games(
    stream: BinaryIO, *, board: BoardSize = DEFAULT_BOARD
) -> Iterator[GameEntry | BadLine]:
    """Read games in any form; blank lines are skipped.

    Args:
        stream: a binary file.
        board: the board of games that do not name theirs.
    """
    names: list[str] | None = None
    is_first = True
    for line, text in read_text_lines(stream):
        if isinstance(text, BadLine):
            yield text
        elif not text.isspace():
            is_heading = is_first and "," in text and _has_a_word(text)
            is_first = False
            try:
                if is_heading:
                    names = _row_cells(text)
                    _check_heading(names)
                else:
                    yield _game(text.strip(), names, board)
            except C4Error as error:
                yield BadLine(line, str(error), getattr(error, "field", "moves"))


def _has_a_word(line: str) -> bool:
    """Whether a line is not JSON and has a word of three letters, unlike moves with commas."""
    return not line.lstrip().startswith(("{", "[")) and re.search("[A-Za-z_]{3}", line) is not None


def game_of_moves(moves: str, board: BoardSize) -> GameEntry:
    """Return a game from the empty board, finished or not.

    Args:
        moves: columns from 1, in any form that :func:`c4core.reader.read_moves` reads.
        board: the board's size.

    Raises:
        MoveError: a move cannot be read or cannot be played.
    """
    columns = read_moves(moves, board)
    final = Position.from_columns(columns, width=board.width, height=board.height)
    ending = ending_on_board(final, final.winner) if final.is_over else Ending.UNFINISHED
    return GameEntry(empty_board(board), format_moves(columns), final, final.winner, ending)


def _game(text: str, names: list[str] | None, board: BoardSize) -> GameEntry:
    if names is not None:
        if "moves" not in names:
            raise GameFileError(
                _ONLY_GRIDS if "winner" in names else 'the heading has no "moves"', field="line"
            )
        row = dict(zip(names, _row_cells(text, keep_case=True), strict=False))
        return _of_fields({name: row[name] for name in _TABLE_FIELDS if row.get(name)}, board)
    if not text.startswith("{"):
        return game_of_moves(text, board)
    try:
        fields = read_json(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        return parse_json_game(text, board=board)  # raises an error that says what is wrong
    game = _of_fields(fields, board)
    if game.moves is None:
        raise GameFileError(_ONLY_GRIDS, field="moves")
    return game


def _of_fields(fields: dict[str, Any], board: BoardSize) -> GameEntry:
    """Read a game from an object. Without ``ending`` and ``winner``, it may be unfinished."""
    try:
        return parse_json_game(json.dumps(fields), board=board)
    except GameFileError as error:
        if error.field != "ending" or fields.get("ending") or fields.get("winner"):
            raise
    return parse_json_game(json.dumps({**fields, "ending": Ending.UNFINISHED}), board=board)


def _check_heading(names: list[str]) -> None:
    """Refuse a heading that has a column of :data:`_TABLE_FIELDS` twice."""
    for name in _TABLE_FIELDS:
        if names.count(name) > 1:
            raise GameFileError(f"the heading has the column {name} more than once", field="line")


def _row_cells(text: str, *, keep_case: bool = False) -> list[str]:
    cells = [cell.strip() for cell in next(csv.reader([text]), [])]
    return cells if keep_case else [cell.lower() for cell in cells]
