"""Monte Carlo tree search with upper confidence bounds (UCT).

One iteration: walk down by the bounds while all moves of a node have been tried, try a random new
move, finish the game at random, and add the result to every node on the way. Results are seen by the
side that moved into the node: 1 won, 1/2 drawn, 0 lost.

Words of stones: ``own`` those of the side to move at the node, ``mask`` those of both.
"""

from libc.math cimport log, sqrt
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc

from c4core.engine.board cimport Board, has_four, lowest_bit, playable_squares, popcount
from c4core.dice cimport Dice, DiceState, draw_below
from c4core.players.playouts cimport playout
from c4core.position cimport Position
from c4core.players.stopping cimport Stop, Watch, is_over, watch_of

from c4core.players.errors import StopPlaying

cdef enum:
    POLL_ITERATIONS = 64    # iterations from one poll of the stop to the next: some 50 microseconds
    NO_NODE = -1
    OPEN = -2           # the game goes on at this node

cdef struct Node:
    uint64_t own
    uint64_t mask
    uint64_t untried    # squares of moves that have no node yet
    double wins         # of the side that moved into the node
    int32_t visits
    int32_t parent
    int32_t child       # the child that was tried last
    int32_t sibling     # the node that was tried before this one
    int32_t outcome     # OPEN, or the result for the side to move: 0 drawn, -1 lost


cdef void _set_node(
    const Board* g, Node* node, uint64_t own, uint64_t mask, int32_t parent
) noexcept nogil:
    node.own = own
    node.mask = mask
    node.wins = 0
    node.visits = 0
    node.parent = parent
    node.child = node.sibling = NO_NODE
    node.outcome = OPEN
    if has_four(g, own ^ mask):
        node.outcome = -1
    elif mask == g.squares:
        node.outcome = 0
    node.untried = playable_squares(g, mask) if node.outcome == OPEN else 0


cdef int32_t _select(const Node* nodes, int32_t parent, double exploration) noexcept nogil:
    """The child with the highest bound; among equals the one tried last."""
    cdef double bound, best = -1, log_visits = log(<double>nodes[parent].visits)
    cdef int32_t child = nodes[parent].child, selected = NO_NODE
    while child != NO_NODE:
        bound = (
            nodes[child].wins / nodes[child].visits
            + exploration * sqrt(log_visits / nodes[child].visits)
        )
        if bound > best:
            best = bound
            selected = child
        child = nodes[child].sibling
    return selected


cdef int32_t _expand(
    const Board* g, Node* nodes, int32_t parent, int32_t index, DiceState* dice
) noexcept nogil:
    """Make the node ``index`` from a random untried move of a node."""
    cdef uint64_t square, squares = nodes[parent].untried
    cdef int skipped
    for skipped in range(<int>draw_below(dice, popcount(squares))):
        squares &= squares - 1
    square = squares & (0 - squares)
    nodes[parent].untried ^= square
    _set_node(
        g, &nodes[index], nodes[parent].own ^ nodes[parent].mask, nodes[parent].mask | square, parent
    )
    nodes[index].sibling = nodes[parent].child
    nodes[parent].child = index
    return index


cdef void _back_up(Node* nodes, int32_t index, int result) noexcept nogil:
    """Add a result, seen by the side to move at a node, to it and all above."""
    while index != NO_NODE:
        nodes[index].visits += 1
        nodes[index].wins += (1 - result) * 0.5
        result = -result
        index = nodes[index].parent


cdef bint _iterate(
    const Board* g,
    Node* nodes,
    long iterations,
    double exploration,
    DiceState* dice,
    const Watch* watch,
) noexcept nogil:
    """Grow the tree; returns whether it was stopped before the end."""
    cdef long iteration
    cdef int32_t index, count = 1
    cdef int result
    for iteration in range(iterations):
        index = 0
        while nodes[index].untried == 0 and nodes[index].outcome == OPEN:
            index = _select(nodes, index, exploration)
        if nodes[index].outcome == OPEN:
            index = _expand(g, nodes, index, count, dice)
            count += 1
        result = nodes[index].outcome
        if result == OPEN:
            result = playout(g, nodes[index].own, nodes[index].mask, dice)
        _back_up(nodes, index, result)
        if iteration % POLL_ITERATIONS == 0 and is_over(watch):
            return True
    return False


def uct_statistics(
    Position position not None,
    Dice dice not None,
    *,
    int iterations,
    double exploration,
    Stop stop=None,
):
    """The results of a tree search for every column.

    Args:
        position: not over.
        dice: the source of all random moves.
        iterations: games, 1 or more; the tree has at most so many nodes beside the root.
        exploration: factor of the term that favours moves that were rarely tried.
        stop: ends the search without an answer; None for never.

    Returns:
        For every column ``(visits, wins)``, a draw being half a win; None where it is full.

    Raises:
        ValueError: there are no iterations, or the game is over.
        MemoryError: there is no room for the tree.
        StopPlaying: the stop came first.
    """
    cdef const Board* g = position.g
    cdef Node* nodes
    cdef int32_t child
    cdef Watch watch = watch_of(stop)
    cdef bint stopped
    if iterations < 1:
        raise ValueError(f"{iterations} iterations: at least one is needed")
    nodes = <Node*>malloc((<size_t>iterations + 1) * sizeof(Node))
    if nodes == NULL:
        raise MemoryError
    try:
        _set_node(g, &nodes[0], position.stones, position.mask, NO_NODE)
        if nodes[0].outcome != OPEN:
            raise ValueError("the game is over")
        with nogil:
            stopped = _iterate(g, nodes, iterations, exploration, &dice.state, &watch)
        if stopped:
            raise StopPlaying
        found = [
            (0, 0.0) if position.is_legal(column) else None for column in range(g.width)
        ]
        child = nodes[0].child
        while child != NO_NODE:
            column = lowest_bit(nodes[child].mask ^ position.mask) // g.stride
            found[column] = nodes[child].visits, nodes[child].wins
            child = nodes[child].sibling
    finally:
        free(nodes)
    return tuple(found)
