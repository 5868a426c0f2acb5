"""Reads and writes files in the safetensors format, without a package for it.

::

    bytes of the header, 8, little-endian | header, JSON | bytes of all tensors, without gaps

    {"__metadata__": {NAME: TEXT, ..},
     TENSOR: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..}

The format is described at https://github.com/huggingface/safetensors. It has no code. Every number
of a header is checked against the size of the file before memory is taken.
"""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

METADATA: Final = "__metadata__"

_TYPES: Final = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES: Final = {np.dtype(code): name for name, code in _TYPES.items()}
_LENGTH_BYTES: Final = 8
_MAX_AXES: Final = 32
_MAX_LENGTH: Final = 1 << 48
_ALIGNMENT: Final = 8


def read_tensors(
    path: Path, *, max_header: int, max_tensors: int
) -> tuple[dict[str, str], dict[str, NDArray[np.generic]]]:
    """The metadata of a file, and its tensors.

    Args:
        path: the file.
        max_header: the limit for the bytes of the header.
        max_tensors: the limit for the number of tensors.

    Raises:
        OSError: the file cannot be read.
        RecursionError: the header is nested too deeply.
        ValueError: the file is damaged, or exceeds a limit.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header_bytes = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if header_bytes > max_header:
            raise ValueError(f"its header is larger than {max_header:,} bytes")
        data_bytes = size - _LENGTH_BYTES - header_bytes
        if data_bytes < 0:
            raise ValueError("it ends within its header")
        header = json.loads(file.read(header_bytes))
        if not isinstance(header, dict):
            raise ValueError("its header is no object")  # noqa: TRY004  (of a file)
        metadata = header.pop(METADATA, {})
        if not isinstance(metadata, dict) or not all(
            isinstance(text, str) for text in metadata.values()
        ):
            raise ValueError("its metadata is not made of texts")
        if len(header) > max_tensors:
            raise ValueError(f"it has more than {max_tensors:,} tensors")
        return metadata, _tensors(file, header, data_bytes)


def write_tensors(path: Path, tensors: Arrays, metadata: Mapping[str, str]) -> None:
    """Write a file. Tensors of larger numbers come first, so that all are aligned.

    Raises:
        OSError: it cannot be written.
        ValueError: the format has no name for the type of a tensor.
    """
    order = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    header: dict[str, Any] = {METADATA: dict(metadata)}
    offset = 0
    for name in order:
        tensor = tensors[name]
        if tensor.dtype not in _NAMES:
            raise ValueError(f"tensor {name} cannot be of type {tensor.dtype}")
        header[name] = {
            "dtype": _NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + tensor.nbytes],
        }
        offset += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(_LENGTH_BYTES, "little"))
        file.write(text)
        for name in order:
            file.write(tensors[name].tobytes())


def _tensors(
    file: BinaryIO, header: Mapping[str, Any], data_bytes: int
) -> dict[str, NDArray[np.generic]]:
    """The tensors of a header, whose bytes follow each other to the end of the file.

    Raises:
        ValueError: an entry is no tensor, or the bytes overlap, have gaps or end elsewhere.
    """
    places = sorted(
        (_place(name, entry) for name, entry in header.items()), key=lambda place: place[2:]
    )
    found, reached = {}, 0
    for name, dtype, begin, end, shape in places:
        if begin != reached:
            raise ValueError(f"tensor {name!r:.80} does not follow the one before")
        reached = end
        if end > data_bytes:
            raise ValueError(f"it ends within tensor {name!r:.80}")
        data = file.read(end - begin)
        if len(data) != end - begin:
            raise ValueError(f"it ends within tensor {name!r:.80}")
        found[name] = np.frombuffer(data, dtype=dtype).reshape(shape)
    if reached != data_bytes:
        raise ValueError("it has bytes that belong to no tensor")
    return found


def _place(name: str, entry: object) -> tuple[str, np.dtype[np.generic], int, int, tuple[int, ...]]:
    """A tensor's name, its type, its first byte and the one after its last, and its shape.

    Raises:
        ValueError: the entry is no tensor.
    """
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"tensor {name!r:.80} has no type, shape and place")
    code = entry["dtype"]
    if not isinstance(code, str) or code not in _TYPES:
        raise ValueError(f"tensor {name!r:.80} is of unknown type {code!r:.80}")
    shape, offsets = _sizes(name, entry["shape"]), _sizes(name, entry["data_offsets"])
    dtype = np.dtype(_TYPES[code])
    if len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize:  # noqa: PLR2004
        raise ValueError(f"tensor {name!r:.80} has other bytes than its shape")
    return name, dtype, offsets[0], offsets[1], shape


def _sizes(name: str, values: object) -> tuple[int, ...]:
    """A list of some whole numbers, none of them negative."""
    if not isinstance(values, list) or len(values) > _MAX_AXES:
        raise ValueError(f"tensor {name!r:.80} has an impossible shape or place")
    for value in values:
        if type(value) is not int or not 0 <= value <= _MAX_LENGTH:
            raise ValueError(f"tensor {name!r:.80} has an impossible size {value!r:.80}")
    return tuple(values)
