"""Books."""

import struct
from contextlib import suppress
from pathlib import Path
from random import Random

from c4core.book import Book
from c4core.book.verify import verify
from c4core.errors import BookError
from c4core.position import Position
from c4core.solver import Solver
from tests.release.fuzz.mutation import NUMBERS, mutated
from tests.release.fuzz.target import Target
from tests.support.boards.small_books import resealed, small_book

SIZES = ((4, 3), (4, 4), (3, 3))


def prepare_books(directory: Path) -> Target:
    path = directory / "a.c4book"
    samples = []
    for width, height in SIZES:
        small_book(path, width=width, height=height)
        samples.append(path.read_bytes())
    asked = {(width, height): Position("1", width=width, height=height) for width, height in SIZES}
    solver = Solver(table_mb=1)

    def make(chance: Random) -> bytes:
        data = chance.choice(samples)
        if chance.random() < 0.4:
            return mutated(chance, data)
        forged = bytearray(data)
        for _ in range(chance.choice((1, 3, 10, 30))):
            place = chance.randrange(33, len(data) - 40)
            if chance.random() < 0.5:
                forged[place] = chance.randrange(256)
            else:
                struct.pack_into("<Q", forged, place, chance.choice(NUMBERS))
        with suppress(BookError, struct.error, ValueError, IndexError, MemoryError):
            return resealed(bytes(forged))
        return bytes(forged)

    def run(data: bytes) -> None:
        path.write_bytes(data)
        with Book.open(path) as book:
            position = asked.get(tuple(book.info.board))
            if position is not None:
                book.probe(position)
                book.scores(position)
                book.best(position)
            for keys, scores in book.levels():
                assert len(keys) == len(scores)
            verify(book, sample=3, solver=solver)

    return Target(make, run, (BookError,))
