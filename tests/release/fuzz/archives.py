"""NPZ parts of data sets: forged arrays, and damaged archives."""

import io
import struct
import zipfile
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np

from c4core.errors import DatasetError
from c4core.models.labels import read_positions
from tests.release.fuzz.mutation import NUMBERS, mutated
from tests.release.fuzz.target import Target
from tests.support.hostile.small import answers, small_dataset
from tests.support.traps import Trap

TYPES = (
    "|u1", "|i1", "<u8", ">u8", "<f8", "|b1", "|O", "|S0", "|S5", "|S60", "|V9", "<U3", "<U900000",
    "<M8[s]", "<c16", "|S2000000000", "u1,u1", "(3,)u1", "x",
)  # fmt: skip
HEADERS = (b"(" * 5000, b"-" * 9000 + b"1", b"{}", b"{'descr'", b"\xff", b"9" * 6000, b"'" * 70)


def _header(chance: Random, shape: object) -> bytes:
    """An array header with arbitrary content."""
    if chance.random() < 0.2:
        return chance.choice(HEADERS)
    shapes = (shape, (), (0,), (0, 2, 3, 4), (chance.choice(NUMBERS),), (-1,), (3, -3), (True,), 5,
              (2**31, 2**31, 2**31), (0, 2**62), tuple([1] * 70))  # fmt: skip
    about = {
        "descr": chance.choice(TYPES),
        "fortran_order": chance.choice((False, True, 0)),
        "shape": chance.choice(shapes),
    }
    return repr(about).encode()


def forged(chance: Random, arrays: dict[str, np.ndarray]) -> bytes:
    """An archive in which some arrays are replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            stream = io.BytesIO()
            if chance.random() < 0.15:
                text = _header(chance, array.shape)
                version = chance.choice((b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x03\x00"))
                size = struct.pack("<H" if version == b"\x01\x00" else "<I", len(text))
                zeros = bytes(chance.choice((0, 8, 1000, 3 << 20)))
                stream.write(b"\x93NUMPY" + version + size + text + zeros)
            elif chance.random() < 0.15:
                changed = array[: chance.choice((0, 1, -1))] if array.ndim else array.reshape(1)
                np.lib.format.write_array(stream, changed)
            elif chance.random() < 0.1:
                flat = array.copy()
                raw = flat.reshape(-1).view(np.uint8)
                raw[chance.randrange(len(raw))] = chance.randrange(256)
                np.lib.format.write_array(stream, flat)
            else:
                np.lib.format.write_array(stream, array)
            kind = chance.choice((8, 8, 8, 0, 12, 14))
            data = stream.getvalue()
            archive.writestr(f"{name}.npy", data, kind)
    return out.getvalue()


def prepare_npz(directory: Path) -> Target:
    path = small_dataset(directory, "npz")
    sample = path.read_bytes()
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    bombs = list(Trap(directory).bombs().values())

    def make(chance: Random) -> bytes:
        if chance.random() < 0.3:
            return mutated(chance, chance.choice((sample, chance.choice(bombs))))
        data = forged(chance, arrays)
        return mutated(chance, data) if chance.random() < 0.2 else data

    def run(data: bytes) -> None:
        path.write_bytes(data)
        with suppress(DatasetError):
            read_positions(directory, "test")
        answers(directory, path)

    return Target(make, run, ())
