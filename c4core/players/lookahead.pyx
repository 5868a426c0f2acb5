"""A small search on top of a model.

Bound contract of ``_search``: what it returns is exact if it lies between alpha and beta; it is an
upper bound if it is at most alpha, and a lower bound if it is at least beta. Values are for the side
to move: those of the model are from -1 to 1, a draw on a full board is 0, and a win that was found is
``WON`` less the stones on the board then, so that a shorter one is better.
"""

from libc.stdlib cimport free, malloc
from libc.stdint cimport uint64_t

from c4core.engine.board cimport MAX_COLUMNS, Board, drop, playable_squares, popcount, winning_squares
from c4core.inference.evaluator cimport Evaluator
from c4core.players.stopping cimport Stop, Watch, is_over, watch_of
from c4core.position cimport Position

cdef double WON = 1000.0


cdef struct Search:
    const Board* g
    const Watch* watch
    void* scratch
    bint stopped
    long looks                      # how often the model was asked
    int[MAX_COLUMNS] order          # columns from the middle


cdef double _search(
    Evaluator model, Search* search, uint64_t own, uint64_t mask, int depth,
    double alpha, double beta
) noexcept nogil:
    """The value of a position that is not over, see above; nothing if it was stopped."""
    cdef const Board* g = search.g
    cdef uint64_t playable = playable_squares(g, mask), threats, square
    cdef double value = 0, best = -WON
    cdef int index, stones = popcount(mask)
    # 1. A win in one, and two threats that cannot both be met: known without the model.
    if playable & winning_squares(g, own, mask):
        return WON - (stones + 1)
    threats = playable & winning_squares(g, own ^ mask, mask)
    if threats & (threats - 1):
        return -(WON - (stones + 2))
    # 2. The depth is used up: the model's value.
    if is_over(search.watch):
        search.stopped = True
        return 0
    if depth <= 0:
        search.looks += 1
        model.look(own, mask, NULL, &value, search.scratch)
        return value
    # 3. The columns from the middle; against a threat only the one that meets it.
    for index in range(g.width):
        square = drop(g, mask, search.order[index])
        if not square or (threats and square != threats):
            continue
        if mask | square == g.squares:
            value = 0
        else:
            value = -_search(
                model, search, own ^ mask, mask | square, depth - 1, -beta, -alpha
            )
        if search.stopped:
            return 0
        best = max(best, value)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return best


def search_column(Evaluator model not None, Position position not None, *, int depth,
                  Stop stop=None):
    """The column with the best value after a search; of equal ones the model's favourite.

    Args:
        model: judges the positions where the search ends.
        position: a position of the model's board that is not over.
        depth: plies looked ahead, at least 1; a win in one is seen beyond.
        stop: ends the search.

    Returns:
        The 0-based column, its value for the side to move, and how often the model was asked.

    Raises:
        ValueError: the position has another board, or is over, or the depth is too small.
        StopPlaying: the stop was set.
    """
    cdef Search search
    cdef Watch watch = watch_of(stop)
    cdef uint64_t square, mask = position.mask, own = position.stones
    cdef double value, best_value = -2 * WON
    cdef int column, best = -1
    if depth < 1:
        raise ValueError(f"depth cannot be {depth}: it is at least 1")
    if position.is_over:
        raise ValueError("no column can be chosen: the game is over")
    worths, _ = model.judge(position)
    favourites = sorted(
        (column for column, worth in enumerate(worths) if worth is not None),
        key=lambda column: _descending(worths[column]),
    )
    search.g, search.watch, search.stopped, search.looks = model.g, &watch, False, 1
    for index, column in enumerate(
        sorted(range(model.g.width), key=lambda column: abs(2 * column - model.g.width + 1))
    ):
        search.order[index] = column
    search.scratch = malloc(model.scratch_bytes)
    if search.scratch == NULL:
        raise MemoryError
    for column in favourites:
        square = drop(model.g, mask, column)
        if position.is_winning(column):
            value = WON - (position.ply + 1)
        elif mask | square == model.g.squares:
            value = 0
        else:
            with nogil:
                value = -_search(
                    model, &search, own ^ mask, mask | square, depth - 1, -2 * WON, -best_value
                )
        if search.stopped:
            break
        if value > best_value or best < 0:
            best, best_value = column, value
    free(search.scratch)
    if search.stopped:
        stop.check()
    return best, best_value, search.looks


def _descending(worth):
    """A key that sorts larger worths first; those that are no numbers come last."""
    return (worth != worth, -worth)
