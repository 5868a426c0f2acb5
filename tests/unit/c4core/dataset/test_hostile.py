"""Hostile archives are refused with the right message, using little memory.

They are small files that unpack to a lot, and arrays of wrong kinds.
"""

import io
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from c4core.dataset.reading import inspect
from c4core.dataset.writing import write_dataset
from c4core.errors import DatasetError
from tests.support.boards.datasets import made, recipe
from tests.support.memory import memory_below

LARGE = 16 << 20
"""Bytes of an array that exceeds the memory limit."""
MEMORY = 12 << 20
"""Memory in bytes that checking a file may take. Careless readers would take 16 MB and more."""
LONGEST = 500
"""Longest answer, in characters; the answer quotes the input."""
PLANES = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 2, 3, 4)}"
TYPES = ("<U50000000", "|V50000000", "<U50000000, <U5", "|S70", "|O")
HEADERS = ("(" * 5000, "-" * 9000 + "1", "{}", "{'descr'", "\xff", "9" * 6000, "'" * 70)
"""Headers of arrays that cannot be parsed."""

Arrays = dict[str, np.ndarray]
PARTS, CARD = made(recipe(count=30, source={"kind": "x", "first_ply": 0, "last_ply": 9}))


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """The test part of a data set."""
    write_dataset(tmp_path, PARTS, CARD, formats=["npz"])
    return tmp_path / "test.npz"


def changed(change: Callable[[Arrays], Arrays]) -> Callable[[bytes], bytes]:
    """Make an archive of other arrays."""

    def make(sample: bytes) -> bytes:
        with np.load(io.BytesIO(sample)) as archive:
            arrays = {name: archive[name] for name in archive.files}
        out = io.BytesIO()
        np.savez_compressed(out, allow_pickle=False, **change(arrays))
        return out.getvalue()

    return make


def zeros(
    name: str, header: str, content: int = LARGE, method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """An archive with an array of zeros, made without allocating the array."""
    text = header.encode("latin-1").ljust(117) + b"\n"  # usually 128 bytes with the magic string
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        with archive.open(f"{name}.npy", "w") as stream:
            stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
            for _ in range(content >> 20):
                stream.write(bytes(1 << 20))
        if name != "card":  # the card is read after all columns
            archive.writestr("last.npy", b"")
    assert len(out.getvalue()) < 100_000
    return out.getvalue()


def of_type(dtype: str) -> str:
    return f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': ()}}"


def lying_sizes(method: int) -> bytes:
    """A large array whose size in the archive's directory is small."""
    data = zeros("planes", PLANES % 1, LARGE, method)
    said = struct.pack("<I", 128 + LARGE)
    assert said in data
    return data.replace(said, struct.pack("<I", 152))


def with_comment(sample: bytes) -> bytes:
    """An archive with almost the longest comment that the format allows."""
    out = io.BytesIO(sample)
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b"x" * 60_000
    return out.getvalue()


def large_together(arrays: Arrays) -> Arrays:
    """Columns that would each fit into a data set, but not together."""
    return {
        name: array if name == "card" else np.zeros(900_000 // array.dtype.itemsize, array.dtype)
        for name, array in arrays.items()
    }


def foreign_column(arrays: Arrays) -> Arrays:
    """A column that data sets do not have; the number of members is unchanged."""
    others = {name: array for name, array in arrays.items() if name != "moves"}
    return others | {"more": arrays["ply"]}


def keys_of(shape: tuple[int, ...]) -> Callable[[bytes], bytes]:
    return changed(lambda arrays: arrays | {"key": np.zeros(shape, dtype=np.uint64)})


TYPE_ANSWER = "it unpacks to|(the card|column moves) is of type|Object arrays cannot be loaded"
CASES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a small file of large columns": (
        lambda _: zeros("planes", PLANES % (LARGE // 24)),
        "it unpacks to",
    ),
    "many columns together": (changed(large_together), "it unpacks to"),
    "an array that is larger than it says": (
        lambda _: zeros("planes", PLANES % 1),
        "it unpacks to",
    ),
    **{
        f"lies about sizes, method {method}": (
            lambda _, method=method: lying_sizes(method),
            r"test\.npz: not an NPZ data set, or damaged",
        )
        for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    },
    **{
        f"{name} of type {dtype}": (lambda _, n=name, t=dtype: zeros(n, of_type(t)), TYPE_ANSWER)
        for name in ("moves", "card")
        for dtype in TYPES
    },
    **{
        f"header {text[:7]}": (lambda _, text=text: zeros("card", text, 0), "or damaged")
        for text in HEADERS
    },
    **{f"keys of shape {s}": (keys_of(s), r"instead of \(") for s in ((0,), (), (0, 3), (3, 0))},
    "a column twice": (
        lambda sample: sample.replace(b"ply.npy", b"key.npy"),
        "or damaged|no column ply",
    ),
    "a foreign column": (changed(foreign_column), "an unknown column 'more'"),
}


def said(path: Path) -> list[str]:
    try:
        problems = inspect(path).problems
    except DatasetError as error:
        problems = [str(error)]
    return [problem for problem in problems if "(sha256)" not in problem]


@pytest.mark.parametrize(("make", "answer"), CASES.values(), ids=CASES.keys())
def test_hostile_file_is_refused(part: Path, make: Callable[[bytes], bytes], answer: str) -> None:
    part.write_bytes(make(part.read_bytes()))
    for path in (part.parent, part):
        with memory_below(MEMORY):
            problems = said(path)
        assert problems
        for problem in problems:
            assert re.search(answer, problem), problem
            assert len(problem) < LONGEST


def test_a_long_comment_is_harmless(part: Path) -> None:
    part.write_bytes(with_comment(part.read_bytes()))
    assert said(part.parent) == said(part) == []
