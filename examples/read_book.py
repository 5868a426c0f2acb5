"""Look positions up in an opening book of C4: python read_book.py FILE MOVES...

It is written from docs/book-format.md alone, and needs only Python.
"""

import struct
import sys
import zlib
from math import comb
from pathlib import Path

HEADER, PLY, ENTRY = map(struct.Struct, ("<8sHBBBIQQ", "<QQQI", "<II"))
MAGIC, VERSION = b"\x89C4book\n", 1


def wins_now(columns, height, mover):
    """Whether the mover has three stones in line with a square that it can play now."""
    mine = {
        (c, r) for c, col in enumerate(columns) for r, stone in enumerate(col) if stone == mover
    }

    def run(c, r, across, up):
        return next(i for i in range(4) if (c + across * (i + 1), r + up * (i + 1)) not in mine)

    return any(
        len(column) < height and run(c, len(column), a, u) + run(c, len(column), -a, -u) > 2  # noqa: PLR2004
        for c, column in enumerate(columns)
        for a, u in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def slot_of(columns, height, mover):
    """The number of a position among all of its ply."""
    width, stones = len(columns), sum(map(len, columns))
    order = [c for i in range((width + 1) // 2) for c in dict.fromkeys((i, width - 1 - i))]

    def shapes(count, left):
        if count == 0:
            return [()] * (left == 0)
        return [
            (n, *rest) for n in range(min(left, height) + 1) for rest in shapes(count - 1, left - n)
        ]

    def rank(image):  # more stones on the left; if all columns are as high, the smaller key
        key = [[stone == mover for stone in column[::-1]] for column in image[::-1]]
        return [-len(image[c]) for c in order], key

    image = min(columns, columns[::-1], key=rank)
    numbered = [shape for shape in shapes(width, stones) if shape[0 : width - 1 : 2] >= shape[1::2]]
    squares = [stone == mover for c in order for stone in image[c]]
    own = [place for place, is_own in enumerate(squares) if is_own]
    colouring = sum(comb(place, number) for number, place in enumerate(own, 1))
    return numbered.index(tuple(len(image[c]) for c in order)) * comb(stones, len(own)) + colouring


def score(book, moves):
    """The score for the side to move."""
    magic, version, width, height, plies, *_ = HEADER.unpack_from(book)
    if (magic, version) != (MAGIC, VERSION) or len(moves) >= plies:
        sys.exit("not a book of this version, or not a position of the book")
    columns, mover = [[] for _ in range(width)], len(moves) % 2
    for ply, move in enumerate(moves):
        columns[int(move, 36) - 1].append(ply % 2)
    if wins_now(columns, height, mover):
        return (width * height + 1 - len(moves)) // 2
    slot, end = slot_of(columns, height, mover), HEADER.size + plies * PLY.size
    sections = list(PLY.iter_unpack(book[HEADER.size : end]))
    offset = end + 4 + sum(length for *_, length, _ in sections[: len(moves)])
    groups = -(-sections[len(moves)][0] // 32768)
    lengths = [
        length for length, _ in ENTRY.iter_unpack(book[offset : offset + groups * ENTRY.size])
    ]
    number, within = divmod(slot, 32768)
    begin = offset + groups * ENTRY.size + sum(lengths[:number])
    group = zlib.decompress(book[begin : begin + lengths[number]])
    return struct.unpack_from("b", group, within)[0]


if __name__ == "__main__":
    data = Path(sys.argv[1]).read_bytes()
    for line in sys.argv[2:]:
        print(line, score(data, line))
