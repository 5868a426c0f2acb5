"""Solutions of WeakC4: read their two files, check them against every reply, make certificates.

WeakC4 (https://github.com/2swap/WeakC4) is a strategy of the first player on 7x6. One file names a
move or a diagram for positions of the opening. The other file has the diagrams; a diagram decides
every move to the end of the game. docs/certificates.md describes both files.

The files are not trusted, so every size and type is checked.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np

from c4core.errors import C4Error, ClaimError, HoleError, SolutionFileError, TooLargeError
from c4core.files import check_regular_file
from c4core.lines import read_json
from c4core.notation import DEFAULT_BOARD, check_board, check_narrow, format_moves, parse_moves
from c4core.position import Position
from c4core.proof.format import EVERY_RULE, pack
from c4core.proof.making import Bound, encode_half, shrunk
from c4core.proof.prover import Prover
from c4core.proof.weakc4_turns import NO_MOVE, WINS, canonical, choose, replies
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.proof.certificate import Ply

    Columns = NDArray[np.uint8]

LEVELS: Final = "0123456789abcdef"
"""The marks of a diagram's squares, the strongest first."""

MAX_BYTES: Final = 4 << 20
"""The largest file size in bytes; the files of the known solutions have about 50,000 bytes."""

MAX_QUOTED: Final = 80
"""Longer texts are cut in messages."""

Diagram: TypeAlias = tuple[int, ...]
"""The squares of each level, as bits in the order of a position's key."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The solution's move or diagram for a position of the opening."""

    position: Position
    """A position where the winning side is to move; the entry holds for its mirror image, too."""
    is_diagram: bool
    """Whether a diagram takes over; otherwise a column is played."""
    number: int
    """The number of the diagram or of the column, counted from 0."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A strategy that claims to win; :func:`check` checks the claim."""

    board: BoardSize
    entries: Mapping[int, Entry]
    """The entries, by the canonical keys of their positions."""
    diagrams: tuple[Diagram, ...]

    def find(self, position: Position) -> tuple[Entry, bool] | None:
        """The entry for a position, and whether the entry is for the mirror image."""
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
        diagrams: the file of diagrams: a list of diagrams. Each is a list of rows, the top row
            first; each row is a text with a level for every square.
        board: the board of both files, which do not name it.

    Raises:
        BoardError: the size is not supported.
        SolutionFileError: a file is of another kind, or contradicts itself or the other file.
        OSError: a file cannot be read.
    """
    check_narrow(check_board(*board), "certificates")
    table = _table(Path(diagrams), board)
    return Solution(board, _entries(Path(entries), board, len(table)), table)


def _table(path: Path, board: BoardSize) -> tuple[Diagram, ...]:
    said = _content(path)
    if not isinstance(said, list):
        raise SolutionFileError(f"{path}: not a list of diagrams")
    return tuple(_diagram(path, number, rows, board) for number, rows in enumerate(said))


def _diagram(path: Path, number: int, rows: object, board: BoardSize) -> Diagram:
    """Read a diagram.

    The marks of squares that hold a stone when the diagram takes over are ignored.
    """
    where = f"{path}: diagram {number}"
    if not isinstance(rows, list) or len(rows) != board.height:
        raise SolutionFileError(f"{where} is not a list of {board.height} rows")
    levels = [0] * len(LEVELS)
    for place, row in enumerate(rows):
        if not isinstance(row, str) or len(row) != board.width:
            raise SolutionFileError(
                f"{where}: row {place + 1} from the top is not a text of {board.width} levels"
            )
        for column, mark in enumerate(row):
            level = LEVELS.find(mark)
            if level < 0:
                raise SolutionFileError(
                    f"{where}: row {place + 1} from the top, column {column + 1}: "
                    f"{mark!r} is not a level from {LEVELS[0]} to {LEVELS[-1]}"
                )
            levels[level] |= 1 << column * (board.height + 1) + board.height - 1 - place
    while levels and not levels[-1]:
        levels.pop()
    return tuple(levels)


def _entries(path: Path, board: BoardSize, diagrams: int) -> dict[int, Entry]:
    said = _content(path)
    if not isinstance(said, dict):
        raise SolutionFileError(f"{path}: not an object with an entry for each position")
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
            raise SolutionFileError(f"{where}: no diagram has this number; {last}")
        return Entry(position, is_diagram=True, number=value)
    if not isinstance(value, str):
        raise SolutionFileError(f"{where} is neither a column as a text nor a diagram's number")
    try:
        columns = parse_moves(value, width=position.width)
    except C4Error as error:
        raise SolutionFileError(f"{where} does not name a column: {error}") from None
    if len(columns) != 1:
        raise SolutionFileError(f"{where} must name one column, not {len(columns)}")
    if not position.is_legal(columns[0]):
        raise SolutionFileError(f"{where}: column {columns[0] + 1} is full")
    return Entry(position, is_diagram=False, number=columns[0])


def _content(path: Path) -> object:
    """The value in a JSON file of a limited size."""
    check_regular_file(path)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise SolutionFileError(f"{path}: longer than {MAX_BYTES:,} bytes")
    try:
        return cast("object", read_json(data))
    except (ValueError, RecursionError) as error:
        raise SolutionFileError(f"{path}: not JSON: {error}") from None


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}...")


PENDING: Final = 1 << 21
"""Duplicates are dropped when this many positions of a ply have been collected."""

MAX_KNOWN: Final = 1 << 23
"""The largest number of positions of a ply; the known solutions have up to 370,464."""

MAX_PLY_POSITIONS: Final = 1 << 20
"""The largest number of positions of one diagram and one ply, which are held in memory."""

NO_ENTRY: Final = "there is no entry for the position, and no win in one move"
UNDECIDED: Final = "the diagram names no move: on no level exactly one square can be played"
ENDS: Final = {1: "the other side has won", 2: "the board is full, and nobody has won"}
"""The fault of a game that does not end with a win, by ``Replies.ends``."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A solution that wins against every reply."""

    start: Position
    """The position whose side to move wins."""
    moves: KnownMoves
    """The moves of that side."""
    positions: int
    """The number of positions where it plays a move that does not win at once; two mirror images
    count as one."""
    entries: int
    """The number of used entries."""
    unused_entries: tuple[Position, ...]
    """The positions of the unused entries."""
    diagrams: int
    """The number of used diagrams."""
    unused_diagrams: tuple[int, ...]
    """The numbers of the unused diagrams."""


def check(
    solution: Solution,
    start: Position,
    *,
    progress: Callable[[int], object] = lambda _positions: None,
) -> Checked:
    """Play a solution against every reply.

    The side to move at the start plays the solution. It wins at once if it can. Otherwise the entry
    of the position, or of its mirror image, names a column or a diagram. If it names a diagram, the
    side follows the diagram to the end of the game, even if there are entries for later positions.

    Args:
        solution: the claim.
        start: the position where the solution begins; the game is not over.
        progress: called with the number of positions visited so far.

    Raises:
        ClaimError: the start is on another board, or the game is over there.
        HoleError: the solution has no winning answer to a reply.
        TooLargeError: the solution leads to too many positions.
    """
    if start.board != solution.board:
        raise ClaimError(f"the solution is for {solution.board}, but the start is on {start.board}")
    if start.is_over:
        raise ClaimError("the game is over at the start: there is nothing to win")
    walk = _Walk(solution, progress)
    queue: deque[tuple[Position, tuple[int, ...]]] = deque([(start, ())])
    seen = {start.canonical_key}
    while queue:
        position, line = queue.popleft()
        try:
            replied = walk.answered(position)
        except HoleError as error:
            moves = line + error.moves
            text = (start.moves or "") + format_moves(moves)
            raise HoleError(f"no win: after {text or 'no move'}: {error}", moves=moves) from None
        for columns, after in replied:
            if after.canonical_key not in seen:
                seen.add(after.canonical_key)
                queue.append((after, line + columns))
    return walk.result(start)


class _Walk:
    """A walk through the entries and then through the diagrams."""

    def __init__(self, solution: Solution, progress: Callable[[int], object]) -> None:
        self._solution = solution
        self._progress = progress
        self._moves = KnownMoves(solution.board)
        self._met = 0
        self._entries: set[int] = set()
        self._diagrams: set[int] = set()

    def answered(self, position: Position) -> list[tuple[tuple[int, int], Position]]:
        """Each reply to the solution's move: both columns, and the position after them.

        The list is empty if the side wins at once or a diagram takes over.
        """
        if any(position.is_winning(column) for column in position.legal_columns()):
            return []
        found = self._solution.find(position)
        if found is None:
            raise HoleError(NO_ENTRY, moves=())
        entry, is_mirrored = found
        self._entries.add(position.canonical_key)
        self._count(1)
        if entry.is_diagram:
            self._diagrams.add(entry.number)
            diagram = self._solution.diagram(entry.number, is_mirrored=is_mirrored)
            follow(position, diagram, self._moves, self._count)
            return []
        column = position.width - 1 - entry.number if is_mirrored else entry.number
        self._moves.add(
            position.ply,
            np.array([position.key], dtype=np.uint64),
            np.array([column], dtype=np.uint8),
        )
        return _replied(position, column)

    def _count(self, positions: int) -> None:
        self._met += positions
        self._progress(self._met)

    def result(self, start: Position) -> Checked:
        """The result, after all positions were answered."""
        solution = self._solution
        return Checked(
            start=start,
            moves=self._moves,
            positions=self._moves.count(),
            entries=len(self._entries),
            unused_entries=tuple(
                entry.position
                for key, entry in solution.entries.items()
                if key not in self._entries
            ),
            diagrams=len(self._diagrams),
            unused_diagrams=tuple(
                number for number in range(len(solution.diagrams)) if number not in self._diagrams
            ),
        )


def _replied(position: Position, column: int) -> list[tuple[tuple[int, int], Position]]:
    """Every reply to a move that does not win.

    Raises:
        HoleError: the game ends.
    """
    after = position.play(column)
    if after.is_over:
        raise HoleError(ENDS[2], moves=(column,))
    replied = [((column, reply), after.play(reply)) for reply in after.legal_columns()]
    for columns, each in replied:
        if each.is_over:
            raise HoleError(ENDS[2 if each.winner is None else 1], moves=columns)
    return replied


def follow(
    position: Position,
    diagram: Diagram,
    moves: KnownMoves,
    progress: Callable[[int], object] = lambda _positions: None,
) -> None:
    """Follow a diagram ply by ply to the ends of all games, against every reply.

    Args:
        position: the position where the diagram takes over; its side to move follows it.
        diagram: the squares of each level.
        moves: collects the moves that are played.
        progress: called after every ply with the number of positions of that ply.

    Raises:
        HoleError: the diagram has no winning answer to a reply. The error's moves begin at the
            position; no shorter line leads to the same fault.
        TooLargeError: the diagram leads to too many positions.
    """
    width, height = position.board
    levels = np.array(diagram, dtype=np.uint64)
    lines = _Lines()
    keys = np.array([position.key], dtype=np.uint64)
    for ply in range(position.ply, position.board.cells + 1, 2):
        if len(keys) > MAX_PLY_POSITIONS:
            raise TooLargeError(
                f"a diagram leads to more than {MAX_PLY_POSITIONS:,} positions with {ply} stones"
            )
        columns = choose(keys, levels, width=width, height=height)
        undecided = np.flatnonzero(columns == NO_MOVE)
        if undecided.size:
            raise HoleError(UNDECIDED, moves=lines.to(int(undecided[0])))
        played = columns != WINS
        moves.add(ply, keys[played], columns[played])
        progress(len(keys))
        after = replies(keys, columns, width=width, height=height)
        ended = np.flatnonzero(after.ends)
        if ended.size:
            lines.add(columns, after.parents, after.columns)
            line = lines.to(int(ended[0]))
            # The board may be full before the reply.
            raise HoleError(
                ENDS[int(after.ends[ended[0]])],
                moves=tuple(column for column in line if column < width),
            )
        keys, first = np.unique(after.keys, return_index=True)
        lines.add(columns, after.parents[first], after.columns[first])


class _Lines:
    """The parents of every ply's positions, to find the moves that lead to a position."""

    def __init__(self) -> None:
        self._plies: list[tuple[Columns, NDArray[np.int64], Columns]] = []

    def add(self, columns: Columns, parents: NDArray[np.int64], replied: Columns) -> None:
        """Add a ply: the moves of the ply before, and the parent and the reply of each position."""
        self._plies.append((columns, parents, replied))

    def to(self, index: int) -> tuple[int, ...]:
        """The columns that lead to a position of the last ply."""
        line: list[int] = []
        for columns, parents, replied in reversed(self._plies):
            parent = int(parents[index])
            line += [int(replied[index]), int(columns[parent])]
            index = parent
        return tuple(reversed(line))


class KnownMoves:
    """One move for each position, collected while the lines are followed.

    Two mirror images are one position. If a position is reached with several moves, the first is
    kept. If each of them wins against every reply, so does any choice among them, because no
    position can occur twice in a game.
    """

    def __init__(self, board: BoardSize) -> None:
        self._board = board
        self._parts: dict[int, list[Ply]] = {}
        self._pending: dict[int, int] = {}

    def add(self, ply: int, keys: NDArray[np.uint64], columns: Columns) -> None:
        """Add positions of a ply by their keys, with the column that is played in each.

        Raises:
            TooLargeError: there are too many positions.
        """
        width, height = self._board
        self._parts.setdefault(ply, []).append(canonical(keys, columns, width=width, height=height))
        self._pending[ply] = self._pending.get(ply, 0) + len(keys)
        if self._pending[ply] > PENDING:
            self.at(ply)

    def at(self, ply: int) -> Ply:
        """The sorted canonical keys of a ply, and the column that is played in each.

        Raises:
            TooLargeError: there are too many positions.
        """
        parts = self._parts.get(ply, [])
        if len(parts) != 1 or self._pending[ply]:
            keys = np.concatenate([part for part, _ in parts] or [np.zeros(0, dtype=np.uint64)])
            moves = np.concatenate([part for _, part in parts] or [np.zeros(0, dtype=np.uint8)])
            keys, first = np.unique(keys, return_index=True)
            if len(keys) > MAX_KNOWN:
                raise TooLargeError(
                    f"the solution leads to more than {MAX_KNOWN:,} positions with {ply} stones"
                )
            parts = [(keys, moves[first])]
            self._parts[ply] = parts
            self._pending[ply] = 0
        return parts[0]

    def count(self) -> int:
        """The number of positions of all plies."""
        return sum(len(self.at(ply)[0]) for ply in tuple(self._parts))


def certificate_of(checked: Checked, *, rules: int = EVERY_RULE) -> bytes:
    """Make a certificate that the side to move scores at least 1, as the bytes of its file.

    The certificate has the solution's moves, and the rules that end branches early. Nothing is
    searched. The same solution gives the same bytes.

    Args:
        checked: a solution that wins against every reply.
        rules: the rules that may end a branch, as a set of bits; 0 for none.
    """
    start = checked.start
    start = Position.from_key(start.canonical_key, width=start.width, height=start.height)
    bound = Bound(start, upper=False, score=1, rules=rules)
    half = bound.half()
    endings = Prover(table_mb=1)
    plies: list[Ply] = []
    keys, ply = half.first(), start.ply
    while keys.size:
        if half.moves_at(ply):
            known, columns = checked.moves.at(ply)
            values = columns[np.searchsorted(known, keys)]
        else:
            values = endings.ends(half, keys, ply=ply)
        plies.append((keys, values))
        keys = half.follow(keys, values, ply=ply)
        ply += 1
    return pack(
        start, rules, [encode_half(bound, shrunk(half, plies))], engine_version=ENGINE_VERSION
    )
