"""Keys of positions: one by one, and in arrays."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np

from c4core.arrays import canonical_keys, children, wins_now
from c4core.book.numbering import read_pons_keys
from c4core.errors import BoardError, KeyValueError
from c4core.notation import check_board
from c4core.position import Position
from tests.release.fuzz.mutation import NUMBERS
from tests.release.fuzz.sizes import board, random_position
from tests.release.fuzz.target import Target


def make(chance: Random) -> bytes:
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


def run(data: bytes) -> None:
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


def prepare(_: Path) -> Target:
    """The target."""
    return Target(make, run, (BoardError, KeyValueError))
