"""The file of a model: tensors and a description, in the safetensors format.

::

    size of the header, 8 bytes, little-endian | header, JSON | bytes of all tensors, without gaps

    {"__metadata__": {NAME: TEXT, ...},
     TENSOR: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}

The format is described at https://github.com/huggingface/safetensors. It contains no code. Every
number in a header is checked against the size of the file before memory is allocated.

The tensors of the network are named ``weights.NAME``, and the tensors of the optimizer
``optimizer.NAME``. The metadata has one entry, ``c4``, a JSON object::

    {"format": 1, "kind": "cnn", "board": "7x6",
     "architecture": {"padding": "same"},          the sizes of the network
     "settings": {...},                            the training's parameters and data
     "history": [{"epoch": 1, ...}, ...],          an object for every finished epoch
     "sha256": "..."}                              a checksum of the above and of the tensors

A file is written completely or not at all (:mod:`c4core.files`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import reprlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from c4core.errors import ModelError
from c4core.files import atomic_file, check_regular_file
from c4core.lines import TOO_DEEP, is_too_deep, read_json
from c4core.notation import BoardSize, check_narrow, parse_board

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

KINDS: Final = ("cnn", "residual")
"""The kinds of models. A residual network plays without PyTorch."""

ARCHITECTURES: Final = {"cnn": ("padding",), "residual": ("channels", "blocks", "hidden")}
"""The fields of the architecture of each kind of model. A residual network of which each player has
its own weights also has ``sides``, 2."""

LARGEST: Final = {"channels": 128, "blocks": 16, "hidden": 256, "sides": 2}
"""The largest numbers in the architecture of a residual network. ``channels`` and ``hidden`` are
multiples of 8."""

FORMAT: Final = 1
ENTRY: Final = "c4"
WEIGHTS: Final = "weights."
OPTIMIZER: Final = "optimizer."
FINGERPRINT_DIGITS: Final = 12

MAX_HEADER: Final = 1 << 23
"""The largest size of a header in bytes. Parsed data takes about 20 times as much memory."""

MAX_TEXT: Final = 1 << 22
"""The largest number of characters in a description; each epoch adds about 150."""

MAX_TENSORS: Final = 500
"""The largest number of tensors in a file; the largest network has 473 while it is trained."""

_FIELDS: Final = {
    "kind": str,
    "board": str,
    "architecture": dict,
    "settings": dict,
    "history": list,
}
_MAX_SECONDS: Final = 1e12
_MAX_NUMBER: Final = 1e300

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


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model, trained or in training."""

    kind: str
    """One of :data:`KINDS`."""
    board: BoardSize
    """The board that the model plays on."""
    architecture: dict[str, Any]
    """The arguments of the network's class, as JSON."""
    settings: dict[str, Any]
    """The training's parameters and data, as JSON."""
    history: list[dict[str, Any]]
    """The figures of every epoch, as JSON."""
    weights: Arrays = field(repr=False)
    """The network's tensors by name."""
    optimizer: Arrays = field(repr=False, default_factory=dict)
    """The optimizer's tensors by name."""

    @property
    def fingerprint(self) -> str:
        """A checksum of the weights, which identifies the model."""
        return _digest({}, {WEIGHTS + name: array for name, array in self.weights.items()})[
            :FINGERPRINT_DIGITS
        ]


def write_model(path: Path, model: Model) -> None:
    """Write a model's file; an older file is replaced."""
    tensors = {WEIGHTS + name: array for name, array in model.weights.items()}
    tensors |= {OPTIMIZER + name: array for name, array in model.optimizer.items()}
    try:
        _check_finite(tensors)
    except ValueError as error:
        raise ModelError(
            f"{path} is not written: {error}: the training has diverged, use a smaller rate",
            path=str(path),
        ) from None
    about = {
        "format": FORMAT,
        "kind": model.kind,
        "board": str(model.board),
        "architecture": model.architecture,
        "settings": model.settings,
        "history": model.history,
    }
    about["sha256"] = _digest(about, tensors)
    text = json.dumps(about)
    if len(text) > MAX_TEXT:
        raise ModelError(
            f"{path} would have a description of {len(text):,} characters; "
            f"the limit is {MAX_TEXT:,}",
            path=str(path),
        )
    with atomic_file(path) as beside:
        write_tensors(beside, tensors, {ENTRY: text})


def read_model(path: Path) -> Model:
    """Read a model's file."""
    check_regular_file(path)
    try:
        metadata, tensors = read_tensors(path, max_header=MAX_HEADER, max_tensors=MAX_TENSORS)
    except (RecursionError, ValueError) as error:
        raise ModelError(
            f"{path} is not a c4 model, or is damaged: {error}", path=str(path)
        ) from None
    if ENTRY not in metadata:
        raise ModelError(f"{path} is not a c4 model", path=str(path))
    return _checked(path, metadata[ENTRY], tensors)


def read_unchanged(path: Path, fingerprint: str) -> Model:
    """Read a model's file, and check that its weights have this fingerprint."""
    model = read_model(path)
    if model.fingerprint != fingerprint:
        raise ModelError(
            f"{path} has changed: weights {model.fingerprint}, not {fingerprint}", path=str(path)
        )
    return model


def _checked(path: Path, text: str, tensors: Arrays) -> Model:
    """The model from a file's description and tensors."""
    try:
        about = read_json(text) if len(text) <= MAX_TEXT else None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is a damaged model: {error}", path=str(path)) from None
    # Resumed training writes the description again, perhaps with less stack left.
    if is_too_deep(about):
        raise ModelError(f"{path} is a damaged model: {TOO_DEEP}", path=str(path))
    if not isinstance(about, dict) or type(about.get("format")) is not int:
        raise ModelError(f"{path} is a damaged model", path=str(path))
    if about["format"] != FORMAT:
        age = "a newer" if about["format"] > FORMAT else "an older"
        raise ModelError(
            f"{path} is a model in format {about['format']}, of {age} version of c4; "
            f"this one reads format {FORMAT}",
            path=str(path),
        )
    try:
        return _described(about, tensors)
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ModelError(f"{path} is a damaged model: {reason}", path=str(path)) from None


def _described(about: dict[str, Any], tensors: Arrays) -> Model:
    """Check a description, and make the model."""
    digest = about.pop("sha256", None)
    if digest != _digest(about, tensors):
        raise ValueError("its checksum does not match its content")
    for name, kind in _FIELDS.items():
        if type(about[name]) is not kind:
            raise TypeError(f"{name} cannot be {reprlib.repr(about[name])}")
    if about["kind"] not in KINDS:
        raise ValueError(f"it is of unknown kind {about['kind']!r:.80}")
    missing = [name for name in ARCHITECTURES[about["kind"]] if name not in about["architecture"]]
    if missing:
        raise ValueError(f"its architecture has no {missing[0]}")
    _check_finite(tensors)
    for entry in about["history"]:
        numbers = [entry["epoch"], entry["seconds"], *entry.values()]
        if not all(map(_is_number, numbers)):
            raise TypeError(f"an epoch cannot be {reprlib.repr(entry)}")
        if not 0 <= entry["seconds"] <= _MAX_SECONDS:
            raise ValueError(f"an epoch cannot take {entry['seconds']!r} seconds")
    return Model(
        kind=about["kind"],
        board=check_narrow(parse_board(about["board"]), "models"),
        architecture=about["architecture"],
        settings=about["settings"],
        history=about["history"],
        weights=_part(tensors, WEIGHTS),
        optimizer=_part(tensors, OPTIMIZER),
    )


def _is_number(value: object) -> bool:
    """Whether a value is a number, and finite as a float, so that it can be shown and drawn."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < _MAX_NUMBER


def _check_finite(tensors: Arrays) -> None:
    """Raise ValueError for NaN and infinite numbers, which would make all outputs NaN."""
    for name, tensor in tensors.items():
        if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
            raise ValueError(f"tensor {name!r:.80} has a number that is NaN or infinite")


def _part(tensors: Arrays, prefix: str) -> Arrays:
    """The tensors whose names begin with the prefix, which is removed."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _digest(about: Mapping[str, Any], tensors: Arrays) -> str:
    """A checksum of a description, and of tensors with their names, types and shapes."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype} {tensor.shape}\n".encode())
        digest.update(tensor.tobytes())
    return digest.hexdigest()


def read_tensors(
    path: Path, *, max_header: int, max_tensors: int
) -> tuple[dict[str, str], dict[str, NDArray[np.generic]]]:
    """Read the metadata and the tensors of a file; ``max_header`` is in bytes."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header_bytes = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if header_bytes > max_header:
            raise ValueError(f"its header is larger than {max_header:,} bytes")
        data_bytes = size - _LENGTH_BYTES - header_bytes
        if data_bytes < 0:
            raise ValueError("it ends within its header")
        header = read_json(file.read(header_bytes))
        if not isinstance(header, dict):
            raise ValueError("its header is not an object")  # noqa: TRY004  (of a file)
        metadata = header.pop(METADATA, {})
        if not isinstance(metadata, dict) or not all(
            isinstance(text, str) for text in metadata.values()
        ):
            raise ValueError("its metadata has values that are not strings")
        if len(header) > max_tensors:
            raise ValueError(f"it has more than {max_tensors:,} tensors")
        return metadata, _tensors(file, header, data_bytes)


def write_tensors(path: Path, tensors: Arrays, metadata: Mapping[str, str]) -> None:
    """Write a file. Tensors with larger elements come first, so that all tensors are aligned."""
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
    """Read the tensors of a header; their bytes must fill the file without gaps."""
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
        raise ValueError("it has bytes that do not belong to any tensor")
    return found


def _place(name: str, entry: object) -> tuple[str, np.dtype[np.generic], int, int, tuple[int, ...]]:
    """Check a tensor's entry; return its name, type, first byte, end, and shape."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ValueError(f"tensor {name!r:.80} must have a type, a shape and a place")
    code = entry["dtype"]
    if not isinstance(code, str) or code not in _TYPES:
        raise ValueError(f"tensor {name!r:.80} is of unknown type {code!r:.80}")
    shape, offsets = _sizes(name, entry["shape"]), _sizes(name, entry["data_offsets"])
    dtype = np.dtype(_TYPES[code])
    if len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize:  # noqa: PLR2004
        raise ValueError(f"tensor {name!r:.80} has a size that does not match its shape")
    return name, dtype, offsets[0], offsets[1], shape


def _sizes(name: str, values: object) -> tuple[int, ...]:
    """Check that a tensor's shape or place is a list of whole numbers from 0, and return it."""
    if not isinstance(values, list) or len(values) > _MAX_AXES:
        raise ValueError(f"tensor {name!r:.80} has an impossible shape or place")
    for value in values:
        if type(value) is not int or not 0 <= value <= _MAX_LENGTH:
            raise ValueError(f"tensor {name!r:.80} has an impossible size {value!r:.80}")
    return tuple(values)
