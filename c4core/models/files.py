"""The file of a model: tensors and a description, in the safetensors format.

The format, which contains no code, is described at https://github.com/huggingface/safetensors. The
tensors of the network are named ``weights.NAME``, and the tensors of the optimizer
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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from c4core.errors import BoardError, ModelError
from c4core.files import atomic_file, check_regular_file
from c4core.notation import BoardSize, check_narrow, parse_board

if TYPE_CHECKING:
    from pathlib import Path

Arrays = Mapping[str, NDArray[np.generic]]

Kind = Literal["cnn", "residual"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The kinds of models. A residual network plays without PyTorch."""

ARCHITECTURES: Final = {"cnn": ("padding",), "residual": ("channels", "blocks", "hidden")}
"""The fields of the architecture of each kind of model. A residual network of which each player has
its own weights also has ``sides``, 2."""

LARGEST: Final = {"channels": 128, "blocks": 16, "hidden": 256, "sides": 2}
"""The largest numbers in the architecture of a residual network. ``channels`` and ``hidden`` are
multiples of 8."""

LARGEST_FILE: Final = 160 << 20
"""Maximum size of a file in bytes. A sparse file takes no space on the disk, but all of its size in
memory. The largest network takes 41 MB, and its optimizer twice as much."""

FORMAT: Final = 1
ENTRY: Final = "c4"
WEIGHTS: Final = "weights."
OPTIMIZER: Final = "optimizer."
FINGERPRINT_DIGITS: Final = 12


class _About(msgspec.Struct):
    """The description in a file."""

    kind: Kind
    board: str
    architecture: dict[str, Any]
    settings: dict[str, Any]
    history: list[dict[str, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model, trained or in training."""

    kind: str
    board: BoardSize
    architecture: dict[str, Any]
    """The arguments of the network's class, as JSON."""
    settings: dict[str, Any]
    """The training's parameters and data, as JSON."""
    history: list[dict[str, Any]]
    """The figures of every epoch, as JSON."""
    weights: Arrays = field(repr=False)
    optimizer: Arrays = field(repr=False, default_factory=dict)

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
            f"{path} is not written: {error}: the training has diverged, use a smaller rate"
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
    with atomic_file(path) as beside:
        beside.write_bytes(save(dict(tensors), {ENTRY: json.dumps(about)}))


def read_model(path: Path) -> Model:
    """Read a model's file."""
    check_regular_file(path)
    if path.stat().st_size > LARGEST_FILE:
        raise ModelError(f"{path} is larger than any c4 model ({LARGEST_FILE:,} bytes)")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is not a c4 model, or is damaged: {error}") from None
    if ENTRY not in metadata:
        raise ModelError(f"{path} is not a c4 model")
    try:
        fields = msgspec.json.decode(metadata[ENTRY], type=dict[str, Any])
        if fields.get("format") == FORMAT:
            return _described(fields, tensors)
    except (BoardError, RecursionError, ValueError) as error:
        raise ModelError(f"{path} is a damaged model: {error}") from None
    raise ModelError(
        f"{path} is a model in format {fields.get('format')!r:.80}; "
        f"this version of c4 reads format {FORMAT}"
    )


def read_unchanged(path: Path, fingerprint: str) -> Model:
    """Read a model's file, and check that its weights have this fingerprint."""
    model = read_model(path)
    if model.fingerprint != fingerprint:
        raise ModelError(f"{path} has changed: weights {model.fingerprint}, not {fingerprint}")
    return model


def _described(fields: dict[str, Any], tensors: Arrays) -> Model:
    """Check a description, and make the model."""
    if fields.pop("sha256", None) != _digest(fields, tensors):
        raise ValueError("its checksum does not match its content")
    about = msgspec.convert(fields, _About)
    missing = [name for name in ARCHITECTURES[about.kind] if name not in about.architecture]
    if missing:
        raise ValueError(f"its architecture has no {missing[0]}")
    _check_finite(tensors)
    if not all({"epoch", "seconds"} <= entry.keys() for entry in about.history):
        raise ValueError("an epoch has no number or no time")
    return Model(
        kind=about.kind,
        board=check_narrow(parse_board(about.board), "models"),
        architecture=about.architecture,
        settings=about.settings,
        history=fields["history"],  # whole numbers stay whole
        weights=_part(tensors, WEIGHTS),
        optimizer=_part(tensors, OPTIMIZER),
    )


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
