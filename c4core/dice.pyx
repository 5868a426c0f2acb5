"""``Dice``: the random generator of players and data sets.

It is fast in C, and a seed gives the same draws on every machine and in every version. The generator
is xoshiro256** (Blackman and Vigna); splitmix64 fills its four words of state from the seed. Python's
own generator promises the same numbers for a seed only for ``random()``, and needs the interpreter lock.
"""

from libc.stdint cimport uint64_t


cdef uint64_t _splitmix(uint64_t* state) noexcept nogil:
    """Return the next word of splitmix64, which spreads similar seeds over dissimilar states."""
    cdef uint64_t word
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    word = state[0]
    word = (word ^ (word >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * <uint64_t>0x94D049BB133111EB
    return word ^ (word >> 31)


cdef class Dice:
    """Dice(seed)\n--\n
    A random generator with a seed.

    Args:
        seed: 0 to 2^64 - 1; the same seed always gives the same draws.

    Raises:
        ValueError: the seed is outside its range.
    """

    def __init__(self, seed):
        cdef uint64_t state
        cdef int index
        if not 0 <= seed < 1 << 64:
            raise ValueError(f"seed {seed} is outside 0 to 2^64 - 1")
        state = seed
        for index in range(4):
            self.state.word[index] = _splitmix(&state)

    def below(self, unsigned int limit):
        """Return a whole number from 0 to ``limit`` - 1, each equally likely.

        Raises:
            ValueError: the limit is 0.
        """
        if limit == 0:
            raise ValueError("limit must be at least 1, not 0")
        return draw_below(&self.state, limit)

    def unit(self):
        """Return a number from 0 to 1, excluding 1."""
        return (draw_word(&self.state) >> 11) * (1.0 / (<uint64_t>1 << 53))

    def pick(self, values):
        """Return one element of a sequence, each equally likely.

        Raises:
            ValueError: the sequence is empty.
        """
        cdef Py_ssize_t length = len(values)
        if length == 0:
            raise ValueError("nothing to pick from")
        return values[draw_below(&self.state, <uint32_t>length)]

    def shuffled(self, values):
        """Return a list of the values in random order, each order equally likely."""
        cdef list order = list(values)
        cdef Py_ssize_t index, other
        for index in range(len(order) - 1, 0, -1):
            other = draw_below(&self.state, <uint32_t>(index + 1))
            order[index], order[other] = order[other], order[index]
        return order
