"""NPZ parts of data sets: small files that unpack to a lot, and arrays of wrong kinds.

Reading such a file takes little memory.
"""

import io
import struct
import zipfile
from collections.abc import Callable

import numpy as np

from tests.support.hostile import Case

Arrays = dict[str, np.ndarray]

LARGE = 16 << 20
"""Bytes of an array that exceeds the memory limit."""

PLANES = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 2, 3, 4)}"
OTHER_TYPES = ("<U50000000", "|V50000000", "<U50000000, <U5", "|S70", "|O")


def archive_of(arrays: Arrays) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, **arrays)
    return out.getvalue()


def arrays_of(data: bytes) -> Arrays:
    with np.load(io.BytesIO(data)) as archive:
        return {name: archive[name] for name in archive.files}


def changed(change: Callable[[Arrays], Arrays]) -> Callable[[bytes], bytes]:
    """Make an archive of other arrays."""
    return lambda sample: archive_of(change(arrays_of(sample)))


def zeros(name: str, header: str, content: int, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with an array of zeros, made without allocating the array."""
    text = header.encode().ljust(117) + b"\n"  # 128 bytes, including the magic string
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        with archive.open(f"{name}.npy", "w") as stream:
            stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
            for _ in range(content >> 20):
                stream.write(bytes(1 << 20))
        if name != "card":  # the card is read after all columns
            archive.writestr("last.npy", b"")
    return out.getvalue()


def large_columns(_sample: bytes) -> bytes:
    """A column that takes 16 MB, in a file of less than 100 KB."""
    data = zeros("planes", PLANES % (LARGE // 24), LARGE)
    assert len(data) < 100_000
    return data


def lying_sizes(method: int) -> bytes:
    """A large array whose size in the archive's directory is small."""
    data = zeros("planes", PLANES % 1, LARGE, method)
    said = struct.pack("<I", 128 + LARGE)
    assert said in data
    return data.replace(said, struct.pack("<I", 152))


def other_type(name: str, dtype: str) -> Case:
    """An array of another type, with several megabytes of content."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': ()}}"
    answer = "it unpacks to|(the card|column moves) is of type|Object arrays cannot be loaded"
    return Case(
        f"{name} of type {dtype}", lambda _sample: zeros(name, header, LARGE), answer, is_large=True
    )


def with_comment(sample: bytes) -> bytes:
    """An archive with almost the longest comment that the format allows."""
    out = io.BytesIO(sample)
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b"x" * 60_000
    return out.getvalue()


def renamed(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Rename a member to another name of the same length."""
    return lambda sample: sample.replace(old + b".npy", new + b".npy")


def large_together(arrays: Arrays) -> Arrays:
    """Columns that would each fit into a data set, but not together."""
    return {
        name: array if name == "card" else np.zeros(900_000 // array.dtype.itemsize, array.dtype)
        for name, array in arrays.items()
    }


def keys_of_shape(shape: tuple[int, ...]) -> Case:
    make = changed(lambda arrays: arrays | {"key": np.zeros(shape, dtype=np.uint64)})
    return Case(f"keys of shape {shape}", make, r"instead of \(")


def foreign_column(arrays: Arrays) -> Arrays:
    """A column that data sets do not have; the number of members is unchanged."""
    others = {name: array for name, array in arrays.items() if name != "moves"}
    return others | {"more": arrays["ply"]}


CASES = (
    Case("a small file of large columns", large_columns, "it unpacks to", is_large=True),
    Case("many columns together", changed(large_together), "it unpacks to", is_large=True),
    Case("a long comment, which is harmless", with_comment, ""),
    Case(
        "an array that is larger than it says",
        lambda _: zeros("planes", PLANES % 1, LARGE),
        "it unpacks to",
        is_large=True,
    ),
    *(
        Case(
            f"lies about sizes, method {method}",
            lambda _, method=method: lying_sizes(method),
            r"test\.npz: not an NPZ data set, or damaged",
            is_large=True,
        )
        for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    ),
    *(other_type(name, dtype) for name in ("moves", "card") for dtype in OTHER_TYPES),
    *map(keys_of_shape, ((0,), (), (0, 3), (3, 0))),
    Case("a column twice", renamed(b"ply", b"key"), "or damaged|no column ply"),
    Case("a foreign column", changed(foreign_column), "an unknown column 'more'"),
)
