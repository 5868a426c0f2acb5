"""Texts of moves and of board sizes, grids of stones, and keys of positions."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np

from c4core.arrays import canonical_keys, children, wins_now
from c4core.book.numbering import read_pons_keys
from c4core.errors import BoardError, GridError, KeyValueError, MoveError
from c4core.notation import LABELS, check_board, format_moves, parse_board, parse_moves
from c4core.position import Position
from tests.release.fuzz.mutation import NUMBERS, ODD, mutated
from tests.release.fuzz.sizes import board, random_position
from tests.release.fuzz.target import Target


def make_positions(chance: Random) -> bytes:
    width, height = board(chance)
    length = chance.choice((0, 3, 7, 20, 60, 60, 5000))
    labels = LABELS[1 : max(2, min(width, 61) + 1 + (chance.random() < 0.1))]
    moves = "".join(chance.choices(labels, k=length))
    if chance.random() < 0.5:
        moves = mutated(chance, moves.encode()).decode(errors="replace")
    if chance.random() < 0.05:
        moves = str(chance.choice(ODD)).encode(errors="replace").decode()
    return json.dumps([moves, width, height]).encode()


def run_positions(data: bytes) -> None:
    moves, width, height = json.loads(data)
    text = f"{width}x{height}"
    try:
        size = parse_board(text if len(text) % 2 else f" {text.upper()}\n")
    except BoardError:
        size = None
    with suppress(BoardError):
        parse_board(moves)
    try:
        columns = list(parse_moves(moves, width=width))
    except MoveError:
        columns = None
    position = Position(moves, width=width, height=height)
    assert position.board == size
    assert columns is not None
    assert Position(format_moves(columns), width=width, height=height) == position
    assert Position.from_key(position.key, width=width, height=height) == position
    drawn = Position.from_grid(str(position), width=position.width, height=position.height)
    assert drawn == position
    assert position.mirrored().mirrored() == position


def prepare_positions(_: Path) -> Target:
    return Target(make_positions, run_positions, (BoardError, MoveError))


WORDS = (
    b".", b"x", b"o", b"X", b"/", b"\n", b"\r\n", b" ", b"|", b"\xc3\xa9", b"." * 60, b"\n" * 60,
)  # fmt: skip


def make_grids(chance: Random) -> bytes:
    grid = str(random_position(chance, *board(chance, impossible=0))).encode()
    if chance.random() < 0.2:
        grid = grid.replace(b"\n", b"/")
    return mutated(chance, grid, WORDS)


def run_grids(data: bytes) -> None:
    position = Position.from_grid(data.decode(errors="surrogateescape"))
    assert Position.from_grid(str(position)) == position


def prepare_grids(_: Path) -> Target:
    return Target(make_grids, run_grids, (BoardError, GridError))


def make_keys(chance: Random) -> bytes:
    width, height = board(chance)
    try:
        key = random_position(chance, width, height).key
    except BoardError:
        key = chance.getrandbits(64)
    match chance.randrange(4):
        case 0:
            key ^= 1 << chance.randrange(128)
        case 1:
            key = chance.choice((-1, 1)) * chance.choice((*NUMBERS, 2**64, 10**30))
        case 2:
            key += chance.randrange(-1000, 1000)
    return json.dumps([key, width, height]).encode()


def run_keys(data: bytes) -> None:
    key, width, height = json.loads(data)
    is_narrow = check_board(width, height).is_narrow
    if is_narrow and 0 <= key < 2**64:
        keys = np.full(3, key, dtype=np.uint64)
        for look in (canonical_keys, children, wins_now, read_pons_keys):
            with suppress(KeyValueError):
                look(keys, width=width, height=height)
    position = Position.from_key(key, width=width, height=height)
    assert position.key == key
    drawn = Position.from_grid(str(position), width=position.width, height=position.height)
    assert drawn == position


def prepare_keys(_: Path) -> Target:
    return Target(make_keys, run_keys, (BoardError, KeyValueError))
