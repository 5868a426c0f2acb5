"""An immutable position: two words of stones on a shared board (engine/board.pxd draws the layout)."""

import operator
from typing import Literal

from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_READ_CHAR
from libc.string cimport memcpy

from c4core.engine.board cimport (
    MAX_COLUMNS,
    SQUARES,
    Board,
    canonical_key,
    column_mask,
    has_four,
    mirror_bits,
    playable_squares,
    popcount,
    position_key,
    top_square,
    whole_t,
    winning_squares,
    word_t,
)
from c4core.engine.kernel cimport board_of

from c4core.errors import GridError, KeyValueError, MoveError
from c4core.notation import (
    DEFAULT_BOARD,
    BoardSize,
    check_board,
    column_label,
    format_moves,
    parse_board,
    parse_moves,
)

Side = Literal["x", "o"]

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, PyObject* overflow) except? -1


cdef inline Py_ssize_t _whole(object number) except? -1:
    """Return a whole number, clipped to the range of the type; TypeError for 3.9 or "3"."""
    return PyNumber_AsSsize_t(number, NULL)


# The reason why a move is illegal; 0 if it is legal.
cdef enum MoveFault:
    LEGAL = 0
    RANGE = 1
    FULL = 2
    OVER = 3

# A Python number, because a number of C would overflow at 64 bits.
cdef object _TWO = 2

cdef object _DEFAULT_SIZE = DEFAULT_BOARD
cdef const Board* _DEFAULT = board_of(DEFAULT_BOARD.width, DEFAULT_BOARD.height)

cdef dict _FAULT_KINDS = {RANGE: "range", FULL: "full", OVER: "over"}


cdef Position make_position(const Board* g, whole_t stones, whole_t mask, int ply):
    cdef Position position = Position.__new__(Position)
    position.g = g
    position.stones = stones
    position.mask = mask
    position.ply = ply
    position._is_made = True
    return position


cdef Position read_position(object moves, const Board* g):
    """Return the position that a text of moves leads to."""
    if not isinstance(moves, str):
        raise TypeError(
            f"a position is a Position or a text of moves such as '4453', not {type(moves).__name__}"
        )
    return Position(moves, board=_DEFAULT_SIZE if g == _DEFAULT else (g.width, g.height))


cdef inline bint _knows_moves(Position position) noexcept:
    return position._has_moves or position.ply == 0


cdef const Board* read_board(object board) except NULL:
    """Return the board of a size: a pair of numbers, or text such as "8x7".

    Raise BoardError if it is impossible, TypeError if it is something else.
    """
    cdef Py_ssize_t columns, rows
    cdef const Board* g = NULL
    if board is _DEFAULT_SIZE:
        return _DEFAULT
    if isinstance(board, str):
        board = parse_board(board)
    if not isinstance(board, tuple) or len(board) != 2:
        raise TypeError(f"a board is a BoardSize or a text such as '7x6', not {board!r:.40}")
    width, height = board
    columns, rows = _whole(width), _whole(height)
    if 0 < columns <= SQUARES and 0 < rows <= SQUARES:
        g = board_of(<int>columns, <int>rows)
    if g == NULL:
        check_board(operator.index(width), operator.index(height))     # raises the error
    return g


cdef inline MoveFault _fault(
    const Board* g, word_t stones, word_t mask, Py_ssize_t column
) noexcept:
    """Return the fault of a move. Whether the game is over is checked last."""
    if column < 0 or column >= g.width:
        return RANGE
    if mask & top_square(g, <int>column):
        return FULL
    if has_four(g, stones ^ mask):
        return OVER
    return LEGAL


cdef object _move_error(const Board* g, MoveFault fault, object column, object index):
    """Return the exception for an illegal move; the message counts columns from 1, as all text does."""
    column = operator.index(column)
    cdef str where = "illegal move" if index is None else f"move {index + 1}"
    cdef str label = column_label(column) if 0 <= column < MAX_COLUMNS else f"number {column + 1}"
    if fault == RANGE:
        reason = f"column {label} is outside the board (columns 1 to {column_label(g.width - 1)})"
    elif fault == FULL:
        reason = f"column {label} is full"
    else:
        reason = f"column {label} is played after the end of the game"
    return MoveError(f"{where}: {reason}", kind=_FAULT_KINDS[fault], column=column, index=index)


cdef class Position:
    """Position(moves='', *, board='7x6')\n--\n
    A Connect Four position. It is immutable and hashable.

    Positions with the same stones on the same board are equal; the order of moves does not matter. A
    position made from moves keeps them (:attr:`moves`), and so do the positions played from it.

    Args:
        moves: the moves that lead to it, as 1-based column digits (``"4453"``), and letters from the
            tenth column on (``a`` = 10). The last move may end the game.
        board: the size of the board, a :class:`~c4core.notation.BoardSize` or text such as ``"8x7"``.

    Attributes:
        ply: stones on the board.

    Raises:
        BoardError: the size does not fit a bitboard: ``width * (height + 1)`` may be at most 128,
            ``height`` at most 40.
        TypeError: ``moves`` is not text, or ``board`` is not a size.
        MoveError: a move cannot be read or cannot be played; its ``index`` says which.
    """

    def __cinit__(self):
        self.g = _DEFAULT           # until __init__ or make_position replaces it

    def __init__(self, moves="", *, board=DEFAULT_BOARD):
        cdef const Board* g = read_board(board)
        cdef Py_ssize_t index, length
        cdef word_t stones = 0, mask = 0
        cdef int column
        cdef Py_UCS4 character
        cdef MoveFault fault
        cdef str text
        if not isinstance(moves, str):
            raise TypeError(
                f"moves must be text such as '4453', not {type(moves).__name__} "
                "(Position.from_columns takes 0-based columns)"
            )
        if self._is_made:
            raise TypeError("a position is immutable: create another one")
        text = moves if type(moves) is str else str.__str__(moves)
        length = len(text)
        for index in range(length):
            character = PyUnicode_READ_CHAR(text, index)
            column = <int>character - c"1"
            if column < 0 or column >= 9 or column >= g.width:
                # Letters, and invalid characters: the slow parser reads them or raises the right error.
                column = _parse_one(text, index, g.width)
            fault = _fault(g, stones, mask, column)
            if fault:
                raise _move_error(g, fault, column, index)
            stones, mask = stones ^ mask, mask | (mask + (<word_t>1 << (column * g.stride)))
            self._moves[index] = <unsigned char>column
        self.g = g
        self.stones = stones
        self.mask = mask
        self.ply = <int>length
        self._has_moves = True
        self._is_made = True

    @classmethod
    def from_columns(cls, columns, *, board=DEFAULT_BOARD):
        """Return the position after a sequence of 0-based columns.

        Raises:
            BoardError: impossible size.
            MoveError: a move cannot be played; its ``index`` says which.
        """
        cdef const Board* g = read_board(board)
        cdef word_t stones = 0, mask = 0
        cdef Py_ssize_t column
        cdef int ply = 0
        cdef MoveFault fault
        cdef Position made
        cdef unsigned char[SQUARES] moves
        for number in columns:
            column = _whole(number)
            fault = _fault(g, stones, mask, column)
            if fault:
                raise _move_error(g, fault, number, ply)
            stones, mask = stones ^ mask, mask | (mask + (<word_t>1 << (column * g.stride)))
            moves[ply] = <unsigned char>column
            ply += 1
        made = make_position(g, stones, mask, ply)
        memcpy(made._moves, moves, ply)
        made._has_moves = True
        return made

    @classmethod
    def from_key(cls, key, *, board=DEFAULT_BOARD):
        """Return the position with a given :attr:`key`; a canonical key gives the canonical image.

        Whether play can reach the position is not checked.

        Raises:
            BoardError: impossible size.
            KeyValueError: a column has no height mark, the sides' numbers of stones do not fit, or
                the side to move has already won.
        """
        cdef const Board* g = read_board(board)
        cdef word_t bits, column_bits, pile, stones = 0, mask = 0
        cdef word_t column_range = (<word_t>2 << g.height) - 1
        cdef int column, ply
        key = operator.index(key)
        if not 0 <= key < _TWO ** (g.width * g.stride):
            raise KeyValueError(f"{key} is not a key of a {g.width}x{g.height} position", key=key)
        bits = key
        for column in range(g.width):
            column_bits = (bits >> (column * g.stride)) & column_range
            if column_bits == 0:
                raise KeyValueError(
                    f"{key} is not a key of a {g.width}x{g.height} position: "
                    f"column {column_label(column)} has no height mark",
                    key=key,
                )
            pile = 1
            while pile <= column_bits >> 1:
                pile <<= 1
            mask |= (pile - 1) << (column * g.stride)
            stones |= (column_bits & (pile - 1)) << (column * g.stride)
        ply = popcount(mask)
        if popcount(stones) != ply // 2:
            raise KeyValueError(
                f"{key} is not a key of a {g.width}x{g.height} position: "
                f"{popcount(stones)} of its {ply} stones belong to the side to move",
                key=key,
            )
        if has_four(g, stones):
            raise KeyValueError(
                f"{key} is not a key of a {g.width}x{g.height} position: the side to move has already won",
                key=key,
            )
        return make_position(g, stones, mask, ply)

    @classmethod
    def parse(cls, value, *, board=DEFAULT_BOARD, zero_based=False):
        """Read a position in any of the usual notations.

        Args:
            value: moves (``"4453"``, ``"4, 4, 5, 3"``, ``"D1 D2 E1 C1"``, ``[4, 4, 5, 3]``), a grid
                (text, rows, all squares, or an array of these), or the JSON of either.
            board: the size of the board.
            zero_based: whether numbers of columns count from 0.

        Raises:
            BoardError: impossible size.
            MoveError: a move cannot be read or cannot be played.
            GridError: the grid is not a position of this size.
            PositionError: the value has another form.
        """
        from c4core.lines import parse_position     # lines imports this module

        cdef const Board* g = read_board(board)
        return parse_position(value, BoardSize(g.width, g.height), zero_based=zero_based).position

    @classmethod
    def from_grid(cls, text, *, board=None):
        """Return the position drawn in a text grid of ``.``, ``x`` (first player) and ``o``, top row first.

        Rows are separated by line breaks or ``/``; blanks and capital letters are accepted. The side
        to move follows from the numbers of stones. :meth:`parse` also reads other forms of grids.

        Args:
            text: the grid.
            board: the size that the grid must have; None for any size from 4x4.

        Raises:
            GridError: another size, rows of different lengths, other characters, floating stones,
                impossible counts of stones, or a game that went on after it was won.
            BoardError: impossible size.
        """
        cdef const Board* g
        cdef word_t square, first = 0, mask = 0, stones
        cdef int row, column, ply
        if not isinstance(text, str):
            raise TypeError(f"a grid is text, not {type(text).__name__}")
        rows = ["".join(line.split()).lower() for line in text.strip().replace("/", "\n").split("\n")]
        size = BoardSize(len(rows[0]), len(rows))
        for row, line in enumerate(rows):
            if len(line) != size.width:
                raise GridError(
                    f"grid row {row + 1} has {len(line)} squares, the first has {size.width}", row=row
                )
            for column, character in enumerate(line):
                if character not in ".xo":
                    raise GridError(
                        f"grid row {row + 1} has {character!r} at column {column + 1}: "
                        "only '.', 'x' and 'o' are squares",
                        row=row,
                    )
        if board is None and min(size) < 4:
            raise GridError(f"the grid is only {size}: give the board to read so small a grid")
        g = read_board(size if board is None else board)
        if size != (g.width, g.height):
            raise GridError(f"the grid is {size}, the board is {g.width}x{g.height}")
        for row, line in enumerate(rows):
            for column, character in enumerate(line):
                square = <word_t>1 << (column * g.stride + g.height - 1 - row)
                if character == ".":
                    if mask & column_mask(g, column):
                        raise GridError(
                            f"grid row {row + 1} is empty under a stone "
                            f"in column {column_label(column)}",
                            row=row,
                        )
                else:
                    mask |= square
                    if character == "x":
                        first |= square
        ply = popcount(mask)
        if popcount(first) not in (ply // 2, ply - ply // 2) or popcount(first) * 2 < ply:
            raise GridError(
                f"the grid has {popcount(first)} x and {ply - popcount(first)} o: "
                "x moves first, then they take turns"
            )
        stones = mask ^ first if ply & 1 else first
        if has_four(g, stones):
            raise GridError("the side to move has already won: the game went on after its end")
        return make_position(g, stones, mask, ply)

    # The side that moved last may have a four (the game is over); the side to move never has one.

    @property
    def width(self):
        """Number of columns of the board."""
        return self.g.width

    @property
    def height(self):
        """Number of rows of the board."""
        return self.g.height

    @property
    def board(self):
        """The size of the board."""
        return BoardSize(self.g.width, self.g.height)

    @property
    def turn(self):
        """The side to move: ``"x"`` (first player) or ``"o"``; also when the game is over."""
        return "o" if self.ply & 1 else "x"

    @property
    def key(self):
        """The exact key, a number of ``width * (height + 1)`` bits. With the board's size it determines
        the position."""
        return position_key(self.g, self.stones, self.mask)

    @property
    def canonical_key(self):
        """The smaller of the keys of this position and its mirror image."""
        return canonical_key(self.g, self.stones, self.mask)

    @property
    def moves(self):
        """The moves as text (``"4453"``); None if the position was made from a key or a grid."""
        if not _knows_moves(self):
            return None
        return format_moves([self._moves[index] for index in range(self.ply)])

    @property
    def winner(self):
        """The side with four in a row, ``"x"`` or ``"o"``; None if no side has won."""
        if has_four(self.g, self.stones ^ self.mask):
            return "x" if self.ply & 1 else "o"
        return None

    @property
    def is_over(self):
        """Whether a side has won or the board is full."""
        return self.ply == self.g.cells or has_four(self.g, self.stones ^ self.mask)

    @property
    def heights(self):
        """Number of stones in each column, from left to right."""
        return tuple(
            [popcount(self.mask & column_mask(self.g, column)) for column in range(self.g.width)]
        )

    def is_legal(self, column):
        """Return whether the side to move may play the 0-based column."""
        return _fault(self.g, self.stones, self.mask, _whole(column)) == LEGAL

    def legal_columns(self):
        """Return the 0-based columns that can be played, from left to right; none if the game is over."""
        cdef int column
        if has_four(self.g, self.stones ^ self.mask):
            return ()
        return tuple(
            [c for c in range(self.g.width) if not self.mask & top_square(self.g, c)]
        )

    def is_winning(self, column):
        """Return whether playing the 0-based column completes four in a row.

        Raises:
            MoveError: the column cannot be played.
        """
        cdef Py_ssize_t index = _whole(column)
        cdef MoveFault fault = _fault(self.g, self.stones, self.mask, index)
        if fault:
            raise _move_error(self.g, fault, column, None)
        return (
            winning_squares(self.g, self.stones, self.mask)
            & playable_squares(self.g, self.mask)
            & column_mask(self.g, <int>index)
        ) != 0

    def play(self, column):
        """Return the position after the side to move drops a stone into the 0-based column.

        Raises:
            MoveError: the column is outside the board or full, or the game is over.
        """
        cdef Position after
        cdef Py_ssize_t index = _whole(column)
        cdef MoveFault fault = _fault(self.g, self.stones, self.mask, index)
        if fault:
            raise _move_error(self.g, fault, column, None)
        after = make_position(
            self.g,
            self.stones ^ self.mask,
            self.mask | (self.mask + (<word_t>1 << (index * self.g.stride))),
            self.ply + 1,
        )
        if _knows_moves(self):
            memcpy(after._moves, self._moves, self.ply)
            after._moves[self.ply] = <unsigned char>index
            after._has_moves = True
        return after

    def mirrored(self):
        """Return the mirror image of the position, with left and right exchanged."""
        cdef int index
        cdef Position image = make_position(
            self.g, mirror_bits(self.g, self.stones), mirror_bits(self.g, self.mask), self.ply
        )
        if _knows_moves(self):
            for index in range(self.ply):
                image._moves[index] = <unsigned char>(self.g.width - 1 - self._moves[index])
            image._has_moves = True
        return image

    def stone_at(self, column, row):
        """Return ``"x"``, ``"o"`` or None for a 0-based column and a 0-based row from the bottom.

        Raises:
            IndexError: the square is not on the board.
        """
        cdef word_t square
        cdef Py_ssize_t x = _whole(column), y = _whole(row)
        if not (0 <= x < self.g.width and 0 <= y < self.g.height):
            raise IndexError(f"no square at column {column}, row {row} of {self.board}")
        square = <word_t>1 << (x * self.g.stride + y)
        if not self.mask & square:
            return None
        return "x" if ((self.stones & square) != 0) != (self.ply & 1) else "o"

    def winning_squares(self):
        """Return the squares of the winner's fours, if any, as sorted ``(column, row)`` pairs."""
        cdef word_t winner = self.stones ^ self.mask, fours = 0, line
        cdef int step, i
        for step in (1, self.g.stride, self.g.stride - 1, self.g.stride + 1):
            line = winner & (winner >> step) & (winner >> 2 * step) & (winner >> 3 * step)
            for i in range(4):
                fours |= line << i * step
        return _squares(self.g, fours)

    def threats(self):
        """Return the empty squares that would complete a four, playable now or later.

        Returns:
            For each side, its squares as sorted ``(column, row)`` pairs.
        """
        cdef word_t other = self.stones ^ self.mask
        mine = _squares(self.g, winning_squares(self.g, self.stones, self.mask))
        theirs = _squares(self.g, winning_squares(self.g, other, self.mask))
        return {"x": theirs, "o": mine} if self.ply & 1 else {"x": mine, "o": theirs}

    def to_array(self):
        """Return the squares as an int8 array of shape (height, width), top row first.

        An empty square is 0, a stone of the first player 1, one of the second player 2.
        """
        import numpy as np

        codes = {None: 0, "x": 1, "o": 2}
        rows = range(self.g.height - 1, -1, -1)
        return np.array(
            [[codes[self.stone_at(column, row)] for column in range(self.g.width)] for row in rows],
            dtype=np.int8,
        )

    def to_dict(self):
        """Return the position's properties as a flat dictionary, for a table row or JSON."""
        return {
            "board": str(self.board),
            "moves": self.moves,
            "key": self.key,
            "canonical_key": self.canonical_key,
            "ply": self.ply,
            "side": self.turn,
            "over": self.is_over,
            "winner": self.winner,
            "grid": str(self),
        }

    def __str__(self):
        rows = range(self.g.height - 1, -1, -1)
        return "\n".join(
            "".join(self.stone_at(column, row) or "." for column in range(self.g.width))
            for row in rows
        )

    def __repr__(self):
        moves = self.moves
        words = [repr(moves)] if moves else []
        if self.g != _DEFAULT:
            words.append(f"board='{self.board}'")
        if moves is None:
            return f"Position.from_key({', '.join([str(self.key), *words])})"
        return f"Position({', '.join(words)})"

    def _repr_svg_(self):
        """Return the board as SVG for notebooks."""
        from c4core.pictures.board import board_picture     # pictures import this module
        from c4core.pictures.svg import svg_text

        return svg_text(board_picture(self))

    def __eq__(self, other):
        cdef Position that
        if not isinstance(other, Position):
            return NotImplemented
        that = other
        return self.g == that.g and self.stones == that.stones and self.mask == that.mask

    def __hash__(self):
        return hash((self.g.width, self.g.height, position_key(self.g, self.stones, self.mask)))

    def __reduce__(self):
        return _restore, (self.key, (self.g.width, self.g.height), self.moves)


cdef tuple _squares(const Board* g, word_t bits):
    """Return squares as sorted ``(column, row)`` pairs."""
    cdef int column, row
    return tuple([
        (column, row)
        for column in range(g.width)
        for row in range(g.height)
        if bits & (<word_t>1 << (column * g.stride + row))
    ])


def _restore(key, board, moves=None):
    """Unpickle a position."""
    if moves is not None:
        return Position(moves, board=board)
    return Position.from_key(key, board=board)


cdef int _parse_one(str text, Py_ssize_t index, int width) except -1:
    """Return the column that one character of a move text names, by the rules of the notation."""
    # The characters before it are included, so that an error has the index in the complete text.
    return parse_moves(text[: index + 1], width=width)[index]
