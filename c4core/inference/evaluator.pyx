"""``Evaluator``: the base of models that judge positions without search.

A *worth* is for the side to move: the larger, the better. The worths of columns are compared with
each other only. The value of a position is from -1, a loss, to 1, a win.
"""

from libc.stdlib cimport free, malloc

from c4core.engine.board cimport drop
from c4core.position cimport Position

from c4core.notation import BoardSize


cdef class Evaluator:
    """Judges positions of a board. Many threads may ask the same one."""

    cdef void look(
        self, uint64_t own, uint64_t mask, double* columns, double* value, void* scratch
    ) noexcept nogil:
        value[0] = 0

    @property
    def board(self):
        """The size of the positions that it judges."""
        return BoardSize(self.g.width, self.g.height)

    cdef int check(self, Position position) except -1:
        """Refuse a position of another board.

        Raises:
            ValueError: the position has another board.
        """
        if position.g != self.g:
            raise ValueError(
                f"a model of {self.g.width}x{self.g.height} cannot judge a position of "
                f"{position.g.width}x{position.g.height}"
            )
        return 0

    def judge(self, Position position not None):
        """The worth of every column, and the value of the position.

        Args:
            position: a position of the model's board that is not over.

        Returns:
            A list with the worth of each column, None if it is full; and the value.

        Raises:
            ValueError: the position has another board.
        """
        cdef double[MAX_COLUMNS] columns
        cdef double value = 0
        self.check(position)
        cdef void* scratch = malloc(self.scratch_bytes)
        if scratch == NULL:
            raise MemoryError
        with nogil:
            self.look(position.stones, position.mask, columns, &value, scratch)
        free(scratch)
        return [
            columns[column] if drop(self.g, position.mask, column) else None
            for column in range(self.g.width)
        ], value

    def choose(self, Position position not None):
        """The open column with the largest worth; of equal ones the leftmost.

        Raises:
            ValueError: the position has another board, or is over.
        """
        worths, _ = self.judge(position)
        best = None
        for column, worth in enumerate(worths):
            if worth is not None and (best is None or worth > worths[best]):
                best = column
        if best is None or position.is_over:
            raise ValueError("no column can be chosen: the game is over")
        return best
