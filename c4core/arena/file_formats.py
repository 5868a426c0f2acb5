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
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from c4core.arena.files import (
    ON_THE_BOARD,
    GameEntry,
    GameFileError,
    empty_board,
    ending_on_board,
)
from c4core.arena.game import Ending
from c4core.errors import C4Error
from c4core.lines import BadLine, read_text_lines
from c4core.notation import DEFAULT_BOARD, format_moves, parse_board
from c4core.position import Position
from c4core.reader import read_move_list, read_moves, refuse_scored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.notation import BoardSize
    from c4core.position import Side

# --- JSON Lines -----------------------------------------------------------------------------------

_ENDINGS: Final = {str(ending): ending for ending in Ending}
_SECONDS: Final = 1e9
"""The largest time, about 30 years. Without a limit, sums could become infinite."""


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


_Name = Annotated[str, msgspec.Meta(pattern=r"\A[^\0]*\Z")]
"""A player's description. PostgreSQL cannot store NUL."""
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=_SECONDS)]
_Natural = Annotated[int, msgspec.Meta(ge=0)]


class _Fields(msgspec.Struct):
    """The fields of a game; the module's docstring explains them."""

    board: str | None = None
    start: _Natural | None = None
    moves: str | list[Any] | None = None
    final: _Natural | None = None
    winner: Literal["x", "o"] | UnsetType | None = UNSET
    ending: str | None = None
    first: _Name | None = None
    second: _Name | None = None
    seed: _Natural | None = None
    detail: str | None = None
    x_seconds: _Seconds = 0.0
    o_seconds: _Seconds = 0.0
    replaced: list[_Natural] | None = None
    match: _Natural | None = None
    number: _Natural | None = None


_PLACE: Final = re.compile(r"`\$\.(\w+)")
"""The field in a message of msgspec."""


def _read_fields(text: str) -> _Fields:
    try:
        return msgspec.json.decode(text, type=_Fields)
    except (ValueError, RecursionError) as error:
        raise _bad_fields(error) from None


def _bad_fields(error: Exception) -> GameFileError:
    place = _PLACE.search(str(error))
    if place is None:
        return GameFileError(f"not a JSON object: {error}", field="line")
    return GameFileError(str(error), field=place[1])


def parse_json_game(text: str, *, board: BoardSize = DEFAULT_BOARD) -> GameEntry:
    """Read a game from a line of JSON.

    Raises:
        GameFileError: the line is not a game; the message says why.
    """
    return _entry(_read_fields(text), board)


def read_json_game(fields: dict[str, object], *, board: BoardSize = DEFAULT_BOARD) -> GameEntry:
    """Read a game from the fields of a JSON object.

    Raises:
        GameFileError: the fields do not describe a game; the message says why.
    """
    try:
        return _entry(msgspec.convert(fields, _Fields), board)
    except msgspec.ValidationError as error:
        raise _bad_fields(error) from None


def _entry(fields: _Fields, board: BoardSize, *, may_be_open: bool = False) -> GameEntry:
    """Make a game. It may be unfinished if ``ending`` and ``winner`` are missing."""
    for name in ("seed", "match", "number"):
        if (getattr(fields, name) or 0) >= 1 << 64:
            raise GameFileError(f"{name} is out of range", field=name)
    try:
        size = board if fields.board is None else parse_board(fields.board)
    except C4Error as error:
        raise GameFileError(str(error), field="board") from None
    start = empty_board(size)
    if fields.start is not None:
        start = _position(fields.start, "start", size)
    moves, final = _course(fields, start)
    if may_be_open and not (fields.ending or fields.winner or final.is_over):
        winner, ending = None, Ending.UNFINISHED
    else:
        winner, ending = _result(fields, final)
    replaced = tuple(fields.replaced or ())
    if max(replaced, default=0) >= max(final.ply - start.ply, 1):
        raise GameFileError(f"replaced: there is no move {max(replaced)}", field="replaced")
    return GameEntry(
        start=start,
        moves=moves,
        final=final,
        winner=winner,
        ending=ending,
        first=fields.first,
        second=fields.second,
        seed=fields.seed,
        detail=fields.detail or "",
        x_seconds=fields.x_seconds,
        o_seconds=fields.o_seconds,
        replaced=replaced,
        match=fields.match,
        number=fields.number,
    )


def _position(key: int, name: str, board: BoardSize) -> Position:
    try:
        return Position.from_key(key, board=board)
    except C4Error as error:
        raise GameFileError(f"{name}: {error}", field=name) from None


def _course(fields: _Fields, start: Position) -> tuple[str | None, Position]:
    """Read the moves, and return them with the position after them."""
    moves, board = fields.moves, start.board
    if moves is None:
        if fields.final is None:
            raise GameFileError('a game needs "moves"', field="moves")
        return None, _position(fields.final, "final", board)
    try:
        columns = (
            read_moves(moves, board) if isinstance(moves, str) else read_move_list(moves, board)
        )
        final = start
        for column in columns:
            final = final.play(column)
    except C4Error as error:
        raise GameFileError(str(error), field="moves") from None
    return format_moves(columns), final


def _result(fields: _Fields, final: Position) -> tuple[Side | None, Ending]:
    """Read the winner and the ending, or derive them from the board."""
    winner = final.winner if fields.winner is UNSET else fields.winner
    ending = fields.ending and _ENDINGS.get(fields.ending)
    if fields.ending and ending is None:
        known = ", ".join(_ENDINGS)
        raise GameFileError(f"unknown ending {fields.ending!r}: use {known}", field="ending")
    if not ending or ending in ON_THE_BOARD:
        found = ending_on_board(final, winner)
        if ending and ending != found:
            raise GameFileError(f"the game ended by {found}, not by {ending}", field="ending")
        return winner, found
    if ending == Ending.UNFINISHED:
        if final.is_over or winner is not None:
            raise GameFileError(
                "an unfinished game has no winner, and its last position is not over",
                field="ending",
            )
    elif final.is_over or winner is None:
        raise GameFileError(
            f"a game that ended by {ending} has a winner, and its last position is not over",
            field="ending",
        )
    return winner, ending


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
        return Position.from_grid(grid, board=board), _SIDES[squares[-1]]
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
    final = Position.from_columns(columns, board=board)
    ending = ending_on_board(final, final.winner) if final.is_over else Ending.UNFINISHED
    return GameEntry(empty_board(board), format_moves(columns), final, final.winner, ending)


def _game(text: str, names: list[str] | None, board: BoardSize) -> GameEntry:
    if names is not None:
        if "moves" not in names:
            raise GameFileError(
                _ONLY_GRIDS if "winner" in names else 'the heading has no "moves"', field="line"
            )
        row = dict(zip(names, _row_cells(text, keep_case=True), strict=False))
        given = {name: row[name] for name in _TABLE_FIELDS if row.get(name)}
        try:
            return _entry(msgspec.convert(given, _Fields), board, may_be_open=True)
        except msgspec.ValidationError as error:
            raise _bad_fields(error) from None
    if not text.startswith("{"):
        refuse_scored(text)
        return game_of_moves(text, board)
    game = _entry(_read_fields(text), board, may_be_open=True)
    if game.moves is None:
        raise GameFileError(_ONLY_GRIDS, field="moves")
    return game


def _check_heading(names: list[str]) -> None:
    """Refuse a heading that has a column of :data:`_TABLE_FIELDS` twice."""
    for name in _TABLE_FIELDS:
        if names.count(name) > 1:
            raise GameFileError(f"the heading has the column {name} more than once", field="line")


def _row_cells(text: str, *, keep_case: bool = False) -> list[str]:
    cells = [cell.strip() for cell in next(csv.reader([text]), [])]
    return cells if keep_case else [cell.lower() for cell in cells]
