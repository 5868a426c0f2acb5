"""Solutions in the two files of WeakC4: the reading of the files, and what they say.

WeakC4 (https://github.com/2swap/WeakC4) is a strategy of the first player on 7x6. One file names a
move, or a diagram, for positions of the opening. The other file has the diagrams; each of them
plays a game to its end without any search. docs/weakc4.md describes both files.

The files come from strangers, so every size and type is checked. :mod:`c4core.proof.weakc4_check`
says whether a solution wins, and makes a certificate of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from c4core.errors import C4Error
from c4core.files import check_plain
from c4core.json_text import read_json
from c4core.notation import DEFAULT_BOARD, check_board, parse_moves
from c4core.position import Position
from c4core.proof.errors import SolutionFileError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from c4core.notation import BoardSize

LEVELS: Final = "0123456789abcdef"
"""The marks of a diagram's squares, the strongest first."""

MAX_BYTES: Final = 4 << 20
"""The largest file; the files of the known solutions have some fifty thousand bytes."""

MAX_QUOTED: Final = 80
"""Longer texts are cut in messages."""

Diagram: TypeAlias = tuple[int, ...]
"""For each level the squares that carry it, as bits in the order of a position's key."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the solution does in a position of the opening."""

    position: Position
    """A position where the winning side is to move; its mirror image is meant as well."""
    is_diagram: bool
    """Whether a diagram takes over; otherwise a column is played."""
    number: int
    """The number of the diagram or of the column, counted from 0."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A strategy that claims to win; :func:`c4core.proof.weakc4_check.check` checks the claim."""

    board: BoardSize
    entries: Mapping[int, Entry]
    """The entries, by the canonical keys of their positions."""
    diagrams: tuple[Diagram, ...]

    def find(self, position: Position) -> tuple[Entry, bool] | None:
        """The entry for a position, and whether it is for the mirror image."""
        entry = self.entries.get(position.canonical_key)
        return None if entry is None else (entry, entry.position.key != position.key)

    def diagram(self, number: int, *, is_mirrored: bool) -> Diagram:
        """A diagram or its mirror image."""
        diagram = self.diagrams[number]
        if not is_mirrored:
            return diagram
        width, stride = self.board.width, self.board.height + 1
        column = (1 << stride) - 1
        return tuple(
            sum(
                (squares >> stride * index & column) << stride * (width - 1 - index)
                for index in range(width)
            )
            for squares in diagram
        )


def read_solution(
    entries: str | os.PathLike[str],
    diagrams: str | os.PathLike[str],
    *,
    board: BoardSize = DEFAULT_BOARD,
) -> Solution:
    """Read a solution.

    Args:
        entries: the file of entries: an object whose keys are the moves so far, as columns counted
            from 1, and whose values are a column (a text) or a diagram's number from 0.
        diagrams: the file of diagrams: a list of lists of rows, the top one first, each a text
            with a level for every square.
        board: the board of both files, which do not name it.

    Raises:
        BoardError: no bitboard holds this size.
        SolutionFileError: a file is of another kind, or contradicts itself or the other file.
        OSError: a file cannot be read.
    """
    check_board(*board)
    table = _table(Path(diagrams), board)
    return Solution(board, _entries(Path(entries), board, len(table)), table)


def _table(path: Path, board: BoardSize) -> tuple[Diagram, ...]:
    said = _content(path)
    if not isinstance(said, list):
        raise SolutionFileError(f"{path}: no list of diagrams")
    return tuple(_diagram(path, number, rows, board) for number, rows in enumerate(said))


def _diagram(path: Path, number: int, rows: object, board: BoardSize) -> Diagram:
    """Read a diagram.

    Squares that hold a stone when the diagram takes over have a mark as well, without a meaning.
    """
    where = f"{path}: diagram {number}"
    if not isinstance(rows, list) or len(rows) != board.height:
        raise SolutionFileError(f"{where} is no list of {board.height} rows")
    levels = [0] * len(LEVELS)
    for place, row in enumerate(rows):
        if not isinstance(row, str) or len(row) != board.width:
            raise SolutionFileError(
                f"{where}: row {place + 1} from the top is no text of {board.width} levels"
            )
        for column, mark in enumerate(row):
            level = LEVELS.find(mark)
            if level < 0:
                raise SolutionFileError(
                    f"{where}: row {place + 1} from the top, column {column + 1}: "
                    f"{mark!r} is no level from {LEVELS[0]} to {LEVELS[-1]}"
                )
            levels[level] |= 1 << column * (board.height + 1) + board.height - 1 - place
    while levels and not levels[-1]:
        levels.pop()
    return tuple(levels)


def _entries(path: Path, board: BoardSize, diagrams: int) -> dict[int, Entry]:
    said = _content(path)
    if not isinstance(said, dict):
        raise SolutionFileError(f"{path}: no object with an entry for each position")
    found: dict[int, Entry] = {}
    names: dict[int, str] = {}
    for moves, value in said.items():
        where = f"{path}: entry {_quoted(moves)}"
        try:
            position = Position(moves, width=board.width, height=board.height)
        except C4Error as error:
            raise SolutionFileError(f"{where}: {error}") from None
        if position.is_over:
            raise SolutionFileError(f"{where}: the game is over")
        key = position.canonical_key
        if key in found:
            raise SolutionFileError(
                f"{where} is the position of entry {names[key]}, or its mirror image"
            )
        found[key] = _entry(where, position, value, diagrams)
        names[key] = _quoted(moves)
    return found


def _entry(where: str, position: Position, value: object, diagrams: int) -> Entry:
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < diagrams:
            last = f"the last is {diagrams - 1}" if diagrams else "there are none"
            raise SolutionFileError(f"{where}: there is no diagram of its number; {last}")
        return Entry(position, is_diagram=True, number=value)
    if not isinstance(value, str):
        raise SolutionFileError(f"{where} is neither a column as a text nor a diagram's number")
    try:
        columns = parse_moves(value, width=position.width)
    except C4Error as error:
        raise SolutionFileError(f"{where} names no column: {error}") from None
    if len(columns) != 1:
        raise SolutionFileError(f"{where} is to name one column, not {len(columns)}")
    if not position.is_legal(columns[0]):
        raise SolutionFileError(f"{where}: column {columns[0] + 1} is full")
    return Entry(position, is_diagram=False, number=columns[0])


def _content(path: Path) -> object:
    """The value in a JSON file of a limited size."""
    check_plain(path)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise SolutionFileError(f"{path}: longer than {MAX_BYTES:,} bytes")
    try:
        return cast("object", read_json(data))
    except (ValueError, RecursionError) as error:
        raise SolutionFileError(f"{path}: not JSON: {error}") from None


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}..")
