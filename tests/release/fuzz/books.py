"""Books: in C4's own format, as text, and in the format of Pons's program."""

import json
import struct
from contextlib import suppress
from itertools import product
from pathlib import Path
from random import Random

from c4core.book import Book
from c4core.book.exchange import csv_lines, json_lines, read_csv_lines, read_json_lines
from c4core.book.foreign import read_pons, read_uci_lines, uci_line, write_pons
from c4core.book.verify import verify
from c4core.book.writer import write_book
from c4core.errors import BookError, C4Error
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.solver import Solver
from tests.release.fuzz.mutation import NUMBERS, mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.boards.games import random_positions
from tests.support.boards.small_books import resealed, small_book

SIZES = ((4, 3), (4, 4), (3, 3))


def prepare_books(directory: Path) -> Target:
    path = directory / "a.c4book"
    samples = []
    for kind, (width, height) in product(("complete", "sparse"), SIZES):
        small_book(path, width=width, height=height, kind=kind)
        samples.append(path.read_bytes())
    asked = {(width, height): Position("1", width=width, height=height) for width, height in SIZES}
    solver = Solver(table_mb=1)

    def make(chance: Random) -> bytes:
        data = chance.choice(samples)
        if chance.random() < 0.4:
            return mutated(chance, data)
        forged = bytearray(data)
        for _ in range(chance.choice((1, 3, 10, 30))):
            place = chance.randrange(48, len(data) - 40)
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


WORDS = (b"\n", b",", b'"', b"\r", b"-", b"9" * 30, b"9" * 5000, b"\x00", b"key", b"\xc3\xa9")


def prepare_booktexts(directory: Path) -> Target:
    path = directory / "a.c4book"
    small_book(path, width=3, height=3)
    with Book.open(path) as book:
        objects = [json.loads(line) for line in json_lines(book)][:30]
        rows = "\n".join(list(csv_lines(book))[:30]).encode()
    positions = random_positions(20, board=DEFAULT_BOARD)

    def make(chance: Random) -> bytes:
        match chance.randrange(3):
            case 0:
                lines = [json.dumps(line).encode() for line in objects]
                place = chance.choice((0, 0, chance.randrange(len(lines))))
                lines[place] = mutated_text(chance, objects[place]).replace(b"\n", b" ")
                return b"J" + b"\n".join(lines[: chance.choice((1, 2, 30))])
            case 1:
                return b"C" + mutated(chance, rows, WORDS)
            case _:
                line = uci_line(chance.choice(positions), "win")
                return b"U" + mutated(chance, line.encode(), WORDS)

    def run(data: bytes) -> None:
        lines = data[1:].decode(errors="replace").split("\n")
        if data[:1] == b"U":
            list(read_uci_lines(lines))
            return
        if data[:1] == b"J":
            content = read_json_lines(lines)
        else:
            content = read_csv_lines(lines, start=Position(width=3, height=3))
        if content.start.board.cells < 20:
            write_book(path, content.levels, start=content.start, kind=content.kind)

    return Target(make, run, (BookError, C4Error))


_HEADER = 6
_VALUES = (0, 1, 2, 3, 4, 6, 7, 8, 16, 21, 22, 23, 27, 28, 42, 64, 127, 128, 255)


def prepare_pons(directory: Path) -> Target:
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
