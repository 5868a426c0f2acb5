"""``Book``, an open opening book, and the books that are included in this package.

A position is two words (engine/board.pxd draws the layout). The position or its mirror image has a slot
(numbering.pyx). The slot's score is in the ply's section (storage.pyx). numpy is imported inside the
functions, so a program that looks up one position starts faster.
"""

import os
import stat
from pathlib import Path

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, uint64_t
from c4core.arrays cimport words_of_batch
from c4core.engine.board cimport (
    MAX_COLUMNS,
    Board,
    column_mask,
    has_four,
    playable_squares,
    popcount,
    split_key,
    winning_squares,
)
from c4core.engine.kernel cimport NO_SCORE
from c4core.book.numbering cimport Ranking, is_reachable, orient, slot_of
from c4core.book.storage cimport FAULT, Storage
from c4core.position cimport Position, as_position

from c4core.book import layout
from c4core.errors import BookBoardError, BookDamagedError
from c4core.evaluation import best_columns
from c4core.notation import DEFAULT_BOARD, check_board
from c4core.solved import first_positions

cdef enum:
    PATIENCE = 1 << 14      # probes between checks for signals (a few milliseconds)

_SHIPPED = Path(__file__).parents[1] / "data"


def _without_waiting(path, flags):
    """Open a file, even a pipe, without waiting for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


cdef class Book:
    """Book()\n--\n
    An opening book: exact scores of positions with few stones.

    Open a book with :meth:`open` or :meth:`shipped`. Any number of threads may use it at the same time.

    Attributes:
        path: the file.
        info: the content of its header.
    """

    def __init__(self):
        raise TypeError("open a book with Book.open(path)")

    @staticmethod
    def open(path):
        """Open a book file.

        The header and the indexes of the plies are read and checked now, each group of scores at its
        first use. Only :func:`c4core.book.verify.verify` reads all bytes. If the file changes while it is
        open, the book gives its old answers or reports damage.

        Raises:
            BookForeignError: the file is not a book.
            BookVersionError: the file is in a newer format.
            BookTruncatedError: the file's end is missing.
            BookDamagedError: the header or an index does not match its checksum, or contradicts itself.
            OSError: the file cannot be read.
        """
        cdef str name = os.fspath(path)
        with open(name, "rb", buffering=0, opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            size = found.st_size if stat.S_ISREG(found.st_mode) else 0
            head = os.pread(file.fileno(), layout.LONGEST_HEADER, 0) if size else b""
            if size <= layout.LONGEST_HEADER:
                size = len(head)
            return _opened(name, layout.read_header(head, name, file_bytes=size), os.dup(file.fileno()))

    @staticmethod
    def shipped(board=DEFAULT_BOARD):
        """Open the included book for a board.

        7x6 has a file. For some other boards, a book with the empty board, and perhaps its first moves,
        is made from :mod:`c4core.solved`; its path is empty.

        Raises:
            BookBoardError: no book for the board is included.
            BookError: the book's file is damaged.
            OSError: the book's file cannot be read.
        """
        check_board(*board)
        for path in _SHIPPED.glob(f"c4-{board}-*.c4book"):
            return Book.open(path)
        plies = first_positions(board)
        if plies is None:
            raise BookBoardError(f"no book for {board} is included")
        return _in_memory(plies, board)

    cdef Storage _held(self):
        """Return the scores. The file stays open while the caller holds them, even if the book is closed."""
        if self._storage is None:
            raise ValueError("the book is closed")
        return self._storage

    cdef Position _read(self, object position):
        """Return a position on the book's board as it is, or read a text of moves."""
        cdef Position asked = as_position(position, self._ranking.r.g)
        if asked.g != self._ranking.r.g:
            self._check_board(asked.g, asked.board)
        return asked

    cdef int _check_board(self, const Board* g, object board) except -1:
        if g != self._ranking.r.g:
            raise BookBoardError(
                f"{self.path or 'the included book'}: the book is for {self.info.board}, the position is on {board}"
            )
        return 0

    # The file.

    def close(self):
        """Close the book. Calls that run in other threads end normally."""
        self._storage = None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def __reduce__(self):
        return (Book.open, (self.path,)) if self.path else (Book.shipped, (self.info.board,))

    def __repr__(self):
        if self.path:
            return f"Book.open({self.path!r})"
        return f"Book.shipped({self.info.board!r})"

    def __len__(self):
        return self.info.positions

    # Queries.

    cdef int _probe(
        self, Storage storage, uint64_t stones, uint64_t mask, bint reachable
    ) except FAULT nogil:
        """Return the score of a position, or NO_SCORE.

        ``reachable`` means that play is known to reach the position, so this is not checked.
        """
        cdef const Board* g = self._ranking.r.g
        cdef int ply = popcount(mask), found
        if ply > self._last or has_four(g, stones ^ mask):
            return NO_SCORE
        if winning_squares(g, stones, mask) & playable_squares(g, mask):
            return (g.cells + 1 - ply) // 2
        orient(&self._ranking.r, &stones, &mask)
        if not reachable and not is_reachable(&self._ranking.r, stones, mask):
            return NO_SCORE
        return storage.score(ply, slot_of(&self._ranking.r, stones, mask, ply))

    cdef int _columns(
        self, Storage storage, uint64_t stones, uint64_t mask, int8_t* scores
    ) except -1 nogil:
        """Write the score of every column, or NO_SCORE, into ``scores``.

        Return the number of playable columns without a score.
        """
        cdef const Board* g = self._ranking.r.g
        cdef uint64_t wins = winning_squares(g, stones, mask), moves = playable_squares(g, mask), move
        cdef int column, score, unknown = 0, ply = popcount(mask)
        cdef bint is_over = has_four(g, stones ^ mask)
        for column in range(g.width):
            move = moves & column_mask(g, column)
            scores[column] = NO_SCORE
            if is_over or not move:
                continue
            if move & wins:
                scores[column] = (g.cells + 1 - ply) // 2
            elif ply + 1 == g.cells:
                scores[column] = 0
            else:
                score = self._probe(storage, stones ^ mask, mask | move, False)
                if score == NO_SCORE:
                    unknown += 1
                else:
                    scores[column] = -score
        return unknown

    def probe(self, position):
        """Return the score of a position for its side to move, or None if the book does not have it.

        The position may be a text of moves on the book's board. If a move wins at once, the score is
        known at every ply that the book covers. A book does not contain finished games.

        Raises:
            BookBoardError: the position is on another board.
            BookDamagedError: the file's data about the position is damaged.
            MoveError: the text is not a line of moves.
        """
        cdef Storage storage = self._held()
        cdef Position asked = self._read(position)
        cdef int score = self._probe(storage, asked.stones, asked.mask, False)
        return None if score == NO_SCORE else score

    def __contains__(self, position):
        return self.probe(position) is not None

    def probe_many(self, positions):
        """Return the scores of many positions.

        Args:
            positions: a sequence of positions or of move texts, or a uint64 array of keys.

        Returns:
            An int8 array of scores for the side to move; NO_SCORE for a position that the book does not
            have.

        Raises:
            BookBoardError: a position is on another board.
            BookDamagedError: the file's data about a position is damaged.
            C4Error: an entry is not a position.
        """
        cdef const Board* g = self._ranking.r.g
        cdef const uint64_t[::1] stones, masks
        self._held()
        stone_words, mask_words = words_of_batch(positions, &g)
        if g != self._ranking.r.g:
            self._check_board(g, positions[0].board)
        stones, masks = stone_words, mask_words
        return self._probe_words(stones, masks, False)

    cdef object _probe_words(
        self, const uint64_t[::1] stones, const uint64_t[::1] masks, bint reachable
    ):
        import numpy as np

        cdef Storage storage = self._held()
        cdef Py_ssize_t index
        result = np.empty(stones.shape[0], dtype=np.int8)
        cdef int8_t[::1] scores = result
        with nogil:
            for index in range(stones.shape[0]):
                scores[index] = <int8_t>self._probe(storage, stones[index], masks[index], reachable)
                if index % PATIENCE == PATIENCE - 1:
                    with gil:
                        PyErr_CheckSignals()
        return result

    def scores(self, position):
        """Return the score of every column for the side to move; None if the book does not have it.

        Args:
            position: a position on the book's board, or its moves as text.

        Returns:
            One score for each column. The rules give the score of a move that ends the game. For any
            other move, the book gives the score of the position after it. A column has ``None`` if it is
            full, if the game is over, or if the book does not have the position after the move.

        Raises:
            BookBoardError: the position is on another board.
            BookDamagedError: the file's data about a column is damaged.
            MoveError: the text is not a line of moves.
        """
        cdef Storage storage = self._held()
        cdef Position asked = self._read(position)
        cdef const Board* g = asked.g
        cdef int8_t[MAX_COLUMNS] scores
        cdef int column
        self._columns(storage, asked.stones, asked.mask, scores)
        return tuple([
            None if scores[column] == NO_SCORE else scores[column] for column in range(g.width)
        ])

    def best(self, position):
        """Return the 0-based columns of the best moves in the book; empty if it has none.

        Arguments and errors are the same as for :meth:`scores`.
        """
        return best_columns(self.probe(position), self.scores(position))

    # Contents.

    def levels(self):
        """Iterate over the plies, the empty board first.

        Yields:
            For each ply the sorted canonical keys of its positions and their scores, as uint64 and
            int8 arrays. The positions are enumerated again, because the file does not contain them.

        Raises:
            BookDamagedError: the file is damaged.
        """
        import numpy as np

        from c4core.arrays import open_plies

        cdef int ply
        self._held()
        plies = open_plies(Position(board=self.info.board))
        for ply in range(self._last + 1):
            self._held()
            keys = next(plies, None)
            if keys is None:
                keys = np.empty(0, dtype=np.uint64)
            yield keys, self._level_scores(keys)

    cdef object _level_scores(self, object keys):
        """Return the scores of positions that are known to be in the book."""
        import numpy as np

        cdef const uint64_t[::1] words = keys
        cdef Py_ssize_t index
        stone_words = np.empty(len(keys), dtype=np.uint64)
        mask_words = np.empty(len(keys), dtype=np.uint64)
        cdef uint64_t[::1] stones = stone_words, masks = mask_words
        with nogil:
            for index in range(words.shape[0]):
                split_key(self._ranking.r.g, words[index], &stones[index], &masks[index])
        return self._probe_words(stones, masks, True)

    def __iter__(self):
        """Iterate over pairs of canonical key and score, ply by ply, in the order of keys."""
        for keys, scores in self.levels():
            yield from zip(keys.tolist(), scores.tolist(), strict=True)


cdef Book _opened(str path, object info, object source):
    """Make a book of a header that was read, and of the descriptor or the content of a file."""
    cdef Book book = Book.__new__(Book)
    book.path, book.info = path, info
    book._last = info.last_ply
    book._ranking = Ranking(info.board, book._last)
    book._storage = Storage(info, book._ranking, path, source)
    return book


def _in_memory(plies, board):
    """Make a book of scores by canonical key, ply by ply."""
    import numpy as np

    from c4core.book.writer import pack_book

    levels = [
        (np.array(sorted(ply), dtype=np.uint64), np.array([ply[key] for key in sorted(ply)], dtype=np.int8))
        for ply in plies
    ]
    info, parts = pack_book(levels, board)
    return _opened("", info, b"".join(parts))
