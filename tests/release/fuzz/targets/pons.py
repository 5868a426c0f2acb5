"""Books of Pons's program. Their tables have millions of places, so a case lists the changes."""

import json
from pathlib import Path
from random import Random

from c4core.book import Book
from c4core.book.foreign import read_pons, write_pons
from c4core.errors import BookError
from tests.release.fuzz.target import Target
from tests.support.boards.small_books import small_book

_HEADER = 6
_VALUES = (0, 1, 2, 3, 4, 6, 7, 8, 16, 21, 22, 23, 27, 28, 42, 64, 127, 128, 255)


def prepare(directory: Path) -> Target:
    """The target."""
    path = directory / "a.book"
    small_book(directory / "a.c4book", width=4, height=4)
    with Book.open(directory / "a.c4book") as book:
        write_pons(book, path)
    sample = path.read_bytes()
    header = list(sample[:_HEADER])

    def make(chance: Random) -> bytes:
        changed = list(header)
        if chance.random() < 0.9:
            for _ in range(chance.choice((1, 1, 2))):
                changed[chance.randrange(_HEADER)] = chance.choice(_VALUES)
        length = len(sample) + chance.choice((0, 0, 0, 0, 1, -1, -1000))
        length = chance.choice((length, length, length, chance.randrange(300)))
        places = [chance.randrange(_HEADER, len(sample)) for _ in range(chance.randrange(30))]
        edits = {str(place): chance.randrange(256) for place in places}
        return json.dumps({"header": changed, "length": length, "edits": edits}).encode()

    def run(data: bytes) -> None:
        case = json.loads(data)
        changed = bytearray(sample[: case["length"]].ljust(case["length"], b"\0"))
        for place, value in case["edits"].items():
            if int(place) < len(changed):
                changed[int(place)] = value
        changed[:_HEADER] = bytes(case["header"])[: len(changed)]
        path.write_bytes(changed)
        read_pons(path)

    return Target(make, run, (BookError,))
