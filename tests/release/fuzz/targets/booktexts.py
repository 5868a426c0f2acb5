"""Books as text: JSON Lines, CSV, and the rows of the UCI data set."""

import json
from pathlib import Path
from random import Random

from c4core.book import Book
from c4core.book.exchange import csv_lines, json_lines, read_csv_lines, read_json_lines
from c4core.book.foreign import read_uci_lines, uci_line
from c4core.book.writer import write_book
from c4core.errors import BookError, C4Error
from c4core.position import Position
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.sizes import random_position
from tests.release.fuzz.target import Target
from tests.support.boards.small_books import small_book

WORDS = (b"\n", b",", b'"', b"\r", b"-", b"9" * 30, b"9" * 5000, b"\x00", b"key", b"\xc3\xa9")


def prepare(directory: Path) -> Target:
    """The target."""
    path = directory / "a.c4book"
    small_book(path, width=3, height=3)
    with Book.open(path) as book:
        objects = [json.loads(line) for line in json_lines(book)][:30]
        rows = "\n".join(list(csv_lines(book))[:30]).encode()

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
                position = random_position(chance, 7, 6)
                return b"U" + mutated(chance, uci_line(position, "win").encode(), WORDS)

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
