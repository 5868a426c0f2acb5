"""The file of a model: tensors and a description, in the safetensors format.

The format has a JSON header and the tensors' bytes, and no code. The network's tensors are named
``weights.NAME``, those of the optimizer ``optimizer.NAME``. The header's metadata has one entry,
``c4``, a JSON object::

    {"format": 1, "kind": "cnn", "board": "7x6",
     "architecture": {"padding": "same"},          what the network is made of
     "settings": {...},                            how it is trained, and on which data
     "history": [{"epoch": 1, ...}, ..],           an object for every epoch that was trained
     "sha256": "..."}                              of the above and of the tensors

A file is written completely or not at all (:mod:`c4core.files`).
"""

from __future__ import annotations

import hashlib
import json
import reprlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from c4core.files import atomic_file, check_plain
from c4core.learning.errors import ModelError
from c4core.learning.tensorfile import read_tensors, write_tensors
from c4core.lines import TOO_DEEP, is_too_deep
from c4core.notation import BoardSize, parse_board

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

FORMAT: Final = 1
KINDS: Final = ("cnn", "exact", "selfplay", "residual", "tuples")
ENTRY: Final = "c4"
WEIGHTS: Final = "weights."
OPTIMIZER: Final = "optimizer."
FINGERPRINT_DIGITS: Final = 12

LARGEST: Final = {"channels": 1024, "layers": 64, "blocks": 64, "hidden": 4096}
"""The limits of the numbers of an architecture."""

MAX_HEADER: Final = 1 << 23
"""The limit for the bytes of a header. Parsed, it takes some 20 times as much memory."""

MAX_TEXT: Final = 1 << 22
"""The limit for the characters of a description; an epoch takes some 150."""

MAX_TENSORS: Final = 1_000
"""The limit for the tensors of a file; the largest network and its optimizer have 536."""

_TYPES: Final = {
    "kind": str,
    "board": str,
    "architecture": dict,
    "settings": dict,
    "history": list,
}
_MAX_SECONDS: Final = 1e12
_MAX_NUMBER: Final = 1e300


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A trained model, or one that is being trained."""

    kind: str
    """One of :data:`KINDS`."""
    board: BoardSize
    """The board that it plays on."""
    architecture: dict[str, Any]
    """The arguments of its network's class, as JSON."""
    settings: dict[str, Any]
    """How it is trained, and on which data, as JSON."""
    history: list[dict[str, Any]]
    """The figures of every epoch, as JSON."""
    weights: Arrays = field(repr=False)
    """The network's tensors by name."""
    optimizer: Arrays = field(repr=False, default_factory=dict)
    """The optimizer's tensors by name."""

    @property
    def fingerprint(self) -> str:
        """A checksum of the weights: the same weights play the same moves."""
        return _digest({}, {WEIGHTS + name: array for name, array in self.weights.items()})[
            :FINGERPRINT_DIGITS
        ]


def write_model(path: Path, model: Model) -> None:
    """Write a model's file; an older one is replaced.

    Raises:
        ModelError: its description is longer than :data:`MAX_TEXT`.
        OSError: it cannot be written.
    """
    tensors = {WEIGHTS + name: array for name, array in model.weights.items()}
    tensors |= {OPTIMIZER + name: array for name, array in model.optimizer.items()}
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
            f"no more than {MAX_TEXT:,} are read again",
            path=str(path),
        )
    with atomic_file(path) as beside:
        write_tensors(beside, tensors, {ENTRY: text})


def read_model(path: Path) -> Model:
    """Read a model's file.

    Raises:
        ModelError: the file is not a model, or damaged, or in another version of the format.
        OSError: the file cannot be read.
    """
    check_plain(path)
    try:
        metadata, tensors = read_tensors(path, max_header=MAX_HEADER, max_tensors=MAX_TENSORS)
    except (RecursionError, ValueError) as error:
        raise ModelError(
            f"{path} is no model of c4, or a damaged one: {error}", path=str(path)
        ) from None
    if ENTRY not in metadata:
        raise ModelError(f"{path} is no model of c4", path=str(path))
    return _checked(path, metadata[ENTRY], tensors)


def _checked(path: Path, text: str, tensors: Arrays) -> Model:
    """The model of a file's description and tensors.

    Raises:
        ModelError: they do not belong together.
    """
    try:
        about = json.loads(text) if len(text) <= MAX_TEXT else None
    except (ValueError, RecursionError):
        about = None
    # A resumed training writes it again, perhaps with less stack left.
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
    """The model, from a description that was not checked yet.

    Raises:
        KeyError, RecursionError, TypeError, ValueError: a field is missing or wrong.
    """
    digest = about.pop("sha256", None)
    if digest != _digest(about, tensors):
        raise ValueError("its checksum is not that of its content")
    for name, kind in _TYPES.items():
        if type(about[name]) is not kind:
            raise TypeError(f"{name} cannot be {reprlib.repr(about[name])}")
    if about["kind"] not in KINDS:
        raise ValueError(f"it is of unknown kind {about['kind']!r:.80}")
    for entry in about["history"]:
        numbers = [entry["epoch"], entry["seconds"], *entry.values()]
        if not all(map(_is_number, numbers)):
            raise TypeError(f"an epoch cannot be {reprlib.repr(entry)}")
        if not 0 <= entry["seconds"] <= _MAX_SECONDS:
            raise ValueError(f"an epoch cannot take {entry['seconds']!r} seconds")
    return Model(
        kind=about["kind"],
        board=parse_board(about["board"]),
        architecture=about["architecture"],
        settings=about["settings"],
        history=about["history"],
        weights=_part(tensors, WEIGHTS),
        optimizer=_part(tensors, OPTIMIZER),
    )


def _is_number(value: object) -> bool:
    """Whether a value is a number that is finite as a float, so that it can be shown and drawn."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < _MAX_NUMBER


def _part(tensors: Arrays, prefix: str) -> Arrays:
    """The tensors whose names begin with the prefix, without it."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _digest(about: Mapping[str, Any], tensors: Arrays) -> str:
    """A checksum of a description and of tensors with their names, types and shapes."""
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype} {tensor.shape}\n".encode())
        digest.update(tensor.tobytes())
    return digest.hexdigest()
