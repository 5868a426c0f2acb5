"""Data cards, parts of data sets, and public evaluation sets."""

import io
import json
import struct
import zipfile
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from c4core.dataset.exchange import exchange_lines, read_stated
from c4core.dataset.reading import inspect
from c4core.dataset.writing import check_free
from c4core.errors import DatasetError, DatasetExistsError
from c4core.models.labels import read_positions
from c4core.notation import BoardSize
from cli.commands.dataset.files import _show
from tests.release.fuzz.datasets import answers, small_dataset
from tests.release.fuzz.mutation import NUMBERS, mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.boards.datasets import made, recipe
from tests.support.hostile import cards, jsonl, npz
from tests.support.traps import Trap

SMALL = 1 << 16
"""Larger hostile inputs are not changed."""
CARDS_WORDS = (
    b"\\ud800", b"1e400", b"NaN", b"[" * 2000, b'"', b"{", b"\x1b", b"9" * 5000, b"../", b"null",
)  # fmt: skip


def prepare_cards(directory: Path) -> Target:
    small_dataset(directory, "jsonl")
    path = directory / "card.json"
    text = path.read_bytes()
    sample = json.loads(text)

    @cache
    def seeds() -> list[bytes]:
        return [data for case in cards.CASES if len(data := case.make(text)) < SMALL]

    def make(chance: Random) -> bytes:
        if chance.random() < 0.3:
            return mutated(chance, chance.choice((text, text, chance.choice(seeds()))), CARDS_WORDS)
        return mutated_text(chance, sample)

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        with suppress(DatasetExistsError):
            check_free(directory, command="c4", formats=["npz"])
        found = inspect(directory)
        with redirect_stdout(io.StringIO()):
            _show(str(directory), found.card)
        return found.problems + inspect(directory / "test.jsonl").problems

    return Target(make, run, (DatasetError,), hostile=cards.CASES, sample=text)


JSONL_WORDS = (
    b"\n", b"null", b"1.5", b"-1", b"999", b'""', b"[]", b"{}", b"\xff", b"NaN", b"1" * 5000,
)  # fmt: skip


def prepare_jsonl(directory: Path) -> Target:
    path = small_dataset(directory, "jsonl")
    sample = path.read_bytes()
    lines = sample.splitlines()

    def make(chance: Random) -> bytes:
        changed = list(lines)
        for _ in range(chance.choice((0, 1, 1, 2))):
            place = chance.choice((0, chance.randrange(len(lines))))
            changed[place] = mutated_text(chance, json.loads(lines[place])).replace(b"\n", b" ")
        data = b"\n".join(changed) + b"\n"
        return mutated(chance, data, JSONL_WORDS) if chance.random() < 0.3 else data

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        return answers(directory, path)

    return Target(make, run, hostile=jsonl.CASES, sample=sample)


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

    bombs = Trap(directory).bombs().values()

    @cache
    def seeds() -> list[bytes]:
        return [*bombs, *(data for case in npz.CASES if len(data := case.make(sample)) < SMALL)]

    def make(chance: Random) -> bytes:
        if chance.random() < 0.3:
            return mutated(chance, chance.choice((sample, chance.choice(seeds()))))
        data = forged(chance, arrays)
        return mutated(chance, data) if chance.random() < 0.2 else data

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        with suppress(DatasetError):
            read_positions(directory, "test")
        return answers(directory, path)

    return Target(make, run, hostile=npz.CASES, sample=sample)


BOARD = BoardSize(4, 3)
SET_WORDS = (
    b" ", b"-1000", b"-99", b"-", b"\n", b"{", b"null", b"1e9", b"\xff", b"9" * 5000,
)  # fmt: skip


def prepare_evaluation_sets(_directory: Path) -> Target:
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
        return mutated(chance, b"\n".join(lines), SET_WORDS)

    def run(data: bytes) -> None:
        stated = read_stated(io.BytesIO(data), name="set", board=BOARD)
        stated.compare(stated.keys[:0], stated.column_scores[:0])

    return Target(make, run, (DatasetError,))
