"""The file of an order network, ``data/c4-WIDTHxHEIGHT.c4order``.

::

    offset  bytes
         0      8   b"C4ORDER1"
         8      4   width, height, UNITS, last_ply
        12      4   rows of a side, little-endian
        16          rows for the first player to move, then for the second: UNITS signed bytes each
                    weights of the units: 16 bits each, little-endian
                    CRC-32 of everything before it, 4 bytes, little-endian

order_network.pxi says what rows and units are; docs/engine.md how the shipped files are made.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import NamedTuple

from c4core.notation import check_board

UNITS = 64
"""Units of a network, as order_network.h has them."""

_MAGIC = b"C4ORDER1"
_HEADER = 16
_CHECKSUM = 4
_DATA = Path(__file__).parents[1] / "data"


class NetworkFile(NamedTuple):
    """What a network's file says, and its rows and weights as bytes."""

    width: int
    height: int
    last_ply: int
    rows: int
    weights: bytes


def network_path(width: int, height: int) -> Path:
    """Where the network for a board is, if there is one."""
    return _DATA / f"c4-{width}x{height}.c4order"


def read_network_file(data: bytes) -> NetworkFile:
    """Read a network's file.

    Raises:
        ValueError: the bytes are not a network, or are damaged.
        BoardError: the network is for an impossible size.
    """
    if (
        len(data) < _HEADER + _CHECKSUM
        or data[:8] != _MAGIC
        or data[10] != UNITS
        or zlib.crc32(data[:-_CHECKSUM]) != int.from_bytes(data[-_CHECKSUM:], "little")
    ):
        raise ValueError("no network, or a damaged one")
    board = check_board(data[8], data[9])
    rows = int.from_bytes(data[12:_HEADER], "little")
    weights = data[_HEADER:-_CHECKSUM]
    if data[11] >= board.cells or len(weights) != 2 * rows * UNITS + 2 * UNITS:
        raise ValueError("a network for another version of c4")
    return NetworkFile(board.width, board.height, data[11], rows, weights)


def write_network_file(network: NetworkFile) -> bytes:
    """The bytes of a network's file."""
    data = b"".join(
        (
            _MAGIC,
            bytes((network.width, network.height, UNITS, network.last_ply)),
            network.rows.to_bytes(4, "little"),
            network.weights,
        )
    )
    return data + zlib.crc32(data).to_bytes(_CHECKSUM, "little")
