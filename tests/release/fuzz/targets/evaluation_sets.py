"""Public evaluation sets: lines of moves and scores, and ConnectX's validation set."""

import io
import json
from pathlib import Path
from random import Random

from c4core.dataset.exchange import exchange_lines, read_stated
from c4core.errors import DatasetError
from c4core.notation import BoardSize
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.boards.datasets import made, recipe

BOARD = BoardSize(4, 3)
WORDS = (b" ", b"-1000", b"-99", b"-", b"\n", b"{", b"null", b"1e9", b"\xff", b"9" * 5000)


def prepare(_directory: Path) -> Target:
    """The target."""
    parts, _ = made(recipe(board=BOARD, count=40))
    records = parts["train"]
    plain = [
        *exchange_lines(records, BOARD, 1, "c4solver"),
        *exchange_lines(records, BOARD, 1, "c4solver", all_moves=True),
    ]
    objects = list(exchange_lines(records, BOARD, 1, "refmoves"))

    def make(chance: Random) -> bytes:
        lines = [line.encode() for line in (*plain, *objects)]
        if chance.random() < 0.5:
            place = chance.randrange(len(objects))
            changed = mutated_text(chance, json.loads(objects[place]))
            lines[len(plain) + place] = changed.replace(b"\n", b" ")
            return b"\n".join(lines)
        return mutated(chance, b"\n".join(lines), WORDS)

    def run(data: bytes) -> None:
        stated = read_stated(io.BytesIO(data), name="set", board=BOARD)
        stated.compare(stated.keys[:0], stated.column_scores[:0])

    return Target(make, run, (DatasetError,))
