"""``Book``, an open opening book, and the books that are included in this package.

A position is two words (engine/board.pxd draws the layout). The position or its mirror image has a slot
(numbering.pyx). The slot's score is decoded from a block of the ply's section (codec.pyx). Groups of scores
are read from the file and checked at their first use, and then kept. numpy is imported inside the
functions, so a program that looks up one position starts faster.
"""

import os
import stat
from pathlib import Path

from cpython.exc cimport PyErr_CheckSignals
from cpython.number cimport PyNumber_Index

from libc.stdint cimport int8_t, uint64_t
from libc.stdlib cimport calloc, free
from posix.unistd cimport close

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
from c4core.book.codec cimport (
    DAMAGED,
    GROUP_SLOTS,
    NO_MEMORY,
    Section,
    close_section,
    decode_group,
    open_section,
    score_in_section,
)
from c4core.engine.kernel cimport NO_SCORE
from c4core.book.numbering cimport Ranking, is_reachable, orient, slot_of
from c4core.position cimport Position, as_position

from c4core.book import layout
from c4core.errors import BookBoardError, BookDamagedError
from c4core.evaluation import best_columns
from c4core.notation import check_board

cdef enum:
    PATIENCE = 1 << 14      # probes between checks for signals (a few milliseconds)

_SHIPPED = Path(__file__).parents[1] / "data"


def shipped_files():
    """Return the files of all included books, sorted by name; empty if the package was built without any."""
    return tuple(sorted(_SHIPPED.glob("*.c4book")))


cdef class _File:
    """An open file, which is closed with the last reference to it."""

    cdef int descriptor

    def __cinit__(self, int descriptor):
        self.descriptor = descriptor

    def __dealloc__(self):
        close(self.descriptor)


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

        The header and the indexes of the plies are read and checked now, each group of blocks at its
        first use. Only :func:`c4core.book.verify.verify` reads all bytes. If the file changes while it is
        open, the book gives its old answers or reports damage.

        Raises:
            BookForeignError: the file is not a book.
            BookVersionError: the file is in a newer format.
            BookTruncatedError: the file's end is missing.
            BookDamagedError: the header or an index does not match its checksum, or contradicts itself.
            OSError: the file cannot be read.
        """
        cdef Book book = Book.__new__(Book)
        cdef _File held
        cdef str name = os.fspath(path)
        with open(name, "rb", buffering=0, opener=_without_waiting) as file:
            held = _File(os.dup(file.fileno()))
        found = os.fstat(held.descriptor)
        size = found.st_size if stat.S_ISREG(found.st_mode) else 0
        head = os.pread(held.descriptor, layout.LONGEST_HEADER, 0) if size else b""
        book.path = name
        book.info = layout.read_header(
            head, name, file_bytes=size if size > layout.LONGEST_HEADER else len(head)
        )
        book._open(held.descriptor)
        book._file = held
        return book

    @staticmethod
    def shipped(*, width=7, height=6):
        """Open the included book for a board; the deepest one if there are several.

        Raises:
            BookBoardError: no book for the board is included; 7x6 has one.
            BookError: the book's file is damaged.
            OSError: the book's file cannot be read.
        """
        board = check_board(PyNumber_Index(width), PyNumber_Index(height))
        books = [Book.open(path) for path in shipped_files()]
        books = [book for book in books if book.info.board == board and not book.info.first_ply]
        if not books:
            raise BookBoardError(f"no book for {board} is included", path="")
        return max(books, key=lambda book: book.info.last_ply)

    cdef int _open(self, int descriptor) except -1:
        """Set up the sections of a file whose header was checked."""
        cdef Section* s
        cdef int index, fault
        cdef int cells = self.info.board.cells
        info = self.info
        self._first, self._last = info.first_ply, info.last_ply
        self._complete = info.kind == "complete"
        self._ranking = Ranking(info.start, last=self._last)
        self._sections = <Section*>calloc(len(info.plies), sizeof(Section))
        if self._sections == NULL:
            raise MemoryError
        for index, ply in enumerate(info.plies):
            s = &self._sections[index]
            s.file = descriptor
            s.offset = ply.offset
            s.length = ply.length
            s.count = ply.count
            s.index_length = ply.index_length
            s.index_checksum = ply.index_checksum
            s.sparse = not self._complete
            s.least, s.most = -((cells - ply.ply) >> 1), (cells + 1 - ply.ply) >> 1
            if self._complete and ply.count != self._ranking.count(ply.ply):
                self._raise_damaged(f"ply {ply.ply} has a wrong number of slots", ply.offset)
            fault = open_section(s)
            if fault == NO_MEMORY:
                raise MemoryError
            if fault:
                self._raise_damaged(f"the index of ply {ply.ply} is wrong or cannot be read", ply.offset)
        return 0

    def __dealloc__(self):
        cdef int index
        if self._sections != NULL:
            for index in range(self._last - self._first + 1):
                close_section(&self._sections[index])
            free(self._sections)

    cdef int _raise_damaged(self, str what, uint64_t offset) except -1:
        raise BookDamagedError(
            f"{self.path}: the book is damaged: {what} (byte {offset})",
            path=self.path,
            offset=offset,
        )

    cdef int _raise_fault(self, int fault, uint64_t offset) except -1:
        """Raise the exception of a probe that failed."""
        if fault == NO_MEMORY:
            raise MemoryError
        ply = next(ply.ply for ply in self.info.plies if offset < ply.offset + ply.length)
        return self._raise_damaged(
            f"a group of ply {ply} cannot be read, does not match its checksum, "
            "or was changed meanwhile",
            offset,
        )

    cdef object _held(self):
        """Return the file. It stays open while the caller holds it, even if the book is closed meanwhile."""
        if self._file is None:
            raise ValueError("the book is closed")
        return self._file

    cdef Position _read(self, object position):
        """Return a position on the book's board as it is, or read a text of moves."""
        cdef Position asked = as_position(position, self._ranking.r.g.width, self._ranking.r.g.height)
        if asked.g != self._ranking.r.g:
            self._check_board(asked.g, asked.board)
        return asked

    cdef int _check_board(self, const Board* g, object board) except -1:
        if g != self._ranking.r.g:
            raise BookBoardError(
                f"{self.path}: the book is for {self.info.board}, the position is on {board}",
                path=self.path,
            )
        return 0

    # The file.

    def close(self):
        """Close the book. Calls that run in other threads end normally."""
        self._file = None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def __reduce__(self):
        return Book.open, (self.path,)

    def __repr__(self):
        return f"Book.open({self.path!r})"

    def __len__(self):
        return self.info.positions

    # Queries.

    cdef int _probe(
        self, uint64_t stones, uint64_t mask, bint reachable, uint64_t* fault_offset
    ) noexcept nogil:
        """Return the score of a position, NO_SCORE, DAMAGED or NO_MEMORY.

        ``reachable`` means that play is known to reach the position, so this is not checked.
        """
        cdef const Board* g = self._ranking.r.g
        cdef int ply = popcount(mask), found
        if ply < self._first or ply > self._last or has_four(g, stones ^ mask):
            return NO_SCORE
        if winning_squares(g, stones, mask) & playable_squares(g, mask):
            return (g.cells + 1 - ply) // 2
        if not orient(&self._ranking.r, ply, &stones, &mask):
            return NO_SCORE
        if self._complete and not reachable:
            found = is_reachable(&self._ranking.r, stones, mask)
            if found <= 0:
                return NO_SCORE if found == 0 else NO_MEMORY
        return score_in_section(
            &self._sections[ply - self._first],
            slot_of(&self._ranking.r, stones, mask, ply),
            fault_offset,
        )

    cdef int _columns(
        self, uint64_t stones, uint64_t mask, int8_t* scores, uint64_t* fault_offset
    ) noexcept nogil:
        """Write the score of every column, or NO_SCORE, into ``scores``.

        Return the number of playable columns without a score, or DAMAGED or NO_MEMORY.
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
                score = self._probe(stones ^ mask, mask | move, False, fault_offset)
                if score == DAMAGED or score == NO_MEMORY:
                    return score
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
        cdef object file = self._held()
        cdef Position asked = self._read(position)
        cdef uint64_t fault_offset = 0
        cdef int score
        score = self._probe(asked.stones, asked.mask, False, &fault_offset)
        if score == NO_SCORE:
            return None
        if score <= NO_MEMORY:
            self._raise_fault(score, fault_offset)
        return score

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
        cdef const Board* g
        cdef const uint64_t[::1] stones, masks
        self._held()
        board = self.info.board
        stone_words, mask_words = words_of_batch(positions, board.width, board.height, &g)
        if g != self._ranking.r.g:
            self._check_board(g, positions[0].board)
        stones, masks = stone_words, mask_words
        return self._probe_words(stones, masks, False)

    cdef object _probe_words(
        self, const uint64_t[::1] stones, const uint64_t[::1] masks, bint reachable
    ):
        import numpy as np

        cdef object file = self._held()
        cdef Py_ssize_t index, bad = -1
        cdef uint64_t fault_offset = 0
        cdef int score = 0
        result = np.empty(stones.shape[0], dtype=np.int8)
        cdef int8_t[::1] scores = result
        with nogil:
            for index in range(stones.shape[0]):
                score = self._probe(stones[index], masks[index], reachable, &fault_offset)
                scores[index] = <int8_t>score
                if score == DAMAGED or score == NO_MEMORY:
                    bad = index
                    break
                if index % PATIENCE == PATIENCE - 1:
                    with gil:
                        PyErr_CheckSignals()
        if bad >= 0:
            self._raise_fault(score, fault_offset)
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
        cdef object file = self._held()
        cdef Position asked = self._read(position)
        cdef const Board* g = asked.g
        cdef int8_t[MAX_COLUMNS] scores
        cdef uint64_t fault_offset = 0
        cdef int column, fault
        fault = self._columns(asked.stones, asked.mask, scores, &fault_offset)
        if fault < 0:
            self._raise_fault(fault, fault_offset)
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
        """Iterate over the plies, the start's first.

        Yields:
            For each ply the sorted canonical keys of its positions and their scores, as uint64 and
            int8 arrays. The positions of a complete book are enumerated again, because the file does
            not contain them.

        Raises:
            BookDamagedError: the file is damaged.
        """
        import numpy as np

        from c4core.arrays import open_plies

        cdef int ply
        self._held()
        if not self._complete:
            for ply in range(self._first, self._last + 1):
                yield self._sparse_level(ply)
            return
        plies = open_plies(self.info.start)
        for ply in range(self._first, self._last + 1):
            self._held()
            keys = next(plies, None)
            if keys is None:
                keys = np.empty(0, dtype=np.uint64)
            yield keys, self._complete_scores(keys)

    cdef object _complete_scores(self, object keys):
        """Return the scores of positions that are known to be in a complete book."""
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

    cdef object _sparse_level(self, int ply):
        """Return the keys and scores of a sparse book's ply."""
        import numpy as np

        cdef object file = self._held()
        cdef Section* s = &self._sections[ply - self._first]
        cdef uint64_t fault_offset = 0, group
        cdef int count
        slots = np.empty(s.count, dtype=np.uint64)
        scores = np.empty(s.count, dtype=np.int8)
        cdef uint64_t[::1] slot_words = slots
        cdef int8_t[::1] score_bytes = scores
        for group in range(s.groups):
            with nogil:
                count = decode_group(
                    s,
                    group,
                    &slot_words[group * GROUP_SLOTS],
                    &score_bytes[group * GROUP_SLOTS],
                    &fault_offset,
                )
            if count < 0:
                self._raise_fault(count, fault_offset)
            PyErr_CheckSignals()
        if not _are_slots(slot_words, self._ranking.count(ply)):
            self._raise_damaged(f"ply {ply} has impossible slots", s.offset)
        keys = self._ranking.keys(slots, ply=ply)
        if _has_over(self._ranking.r.g, keys):
            self._raise_damaged(f"ply {ply} has positions whose game is over", s.offset)
        order = np.argsort(keys)
        return keys[order], scores[order]

    def __iter__(self):
        """Iterate over pairs of canonical key and score, ply by ply, in the order of keys."""
        for keys, scores in self.levels():
            yield from zip(keys.tolist(), scores.tolist(), strict=True)


cdef bint _has_over(const Board* g, const uint64_t[::1] keys) noexcept nogil:
    """Return whether one of the positions has a four."""
    cdef Py_ssize_t index
    cdef uint64_t stones, mask
    for index in range(keys.shape[0]):
        split_key(g, keys[index], &stones, &mask)
        if has_four(g, stones) or has_four(g, stones ^ mask):
            return True
    return False


cdef bint _are_slots(const uint64_t[::1] slots, uint64_t count) noexcept nogil:
    """Return whether the numbers are increasing and less than a count."""
    cdef Py_ssize_t index
    for index in range(slots.shape[0]):
        if slots[index] >= count or (index and slots[index] <= slots[index - 1]):
            return False
    return True
