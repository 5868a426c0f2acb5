"""The file of a model: tensors and a description, in the safetensors format.

The format has a header in JSON and the tensors' bytes, and nothing that could be executed. Tensors
are called ``weights.NAME``, and ``optimizer.NAME`` what is needed to train on. The header's
metadata has one entry, ``c4``, a JSON object::

    {"format": 1, "kind": "cnn", "board": "7x6",
     "architecture": {"padding": "same"},          what the network is made of
     "settings": {...},                            what it is trained with, and on
     "history": [{"epoch": 1, ...}, ..],           an object for every epoch that was trained
     "sha256": "..."}                              of all that and of the tensors

A file is there whole or not at all: it is written beside its place and then moved there.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from c4core.errors import BoardError
from c4core.learning.errors import ModelError
from c4core.learning.requirements import require
from c4core.notation import BoardSize, parse_board
from c4core.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

FORMAT: Final = 1
KINDS: Final = ("cnn", "exact", "selfplay")
ENTRY: Final = "c4"
WEIGHTS: Final = "weights."
OPTIMIZER: Final = "optimizer."
FINGERPRINT_DIGITS: Final = 12


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A trained model, or one that is being trained."""

    kind: str
    """One of :data:`KINDS`."""
    board: BoardSize
    """That it plays on."""
    architecture: dict[str, Any]
    """What its network is made of, as JSON."""
    settings: dict[str, Any]
    """What it is trained with, as JSON."""
    history: list[dict[str, Any]]
    """What every epoch has come to, as JSON."""
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
        OSError: it cannot be written.
    """
    from safetensors.numpy import save  # noqa: PLC0415 (optional)

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
    with whole_file(path) as beside:
        beside.write_bytes(save(dict(tensors), {ENTRY: json.dumps(about)}))


def read_model(path: Path) -> Model:
    """Read a model's file.

    Raises:
        LearningMissingError: the packages that read it are not installed.
        ModelError: it is no model, a damaged one, or one of another version of the format.
        OSError: it cannot be read.
    """
    require()
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415 (optional)

    with path.open("rb"):  # so that what is wrong with the path is an OSError that names it
        pass
    try:
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(ENTRY)
            if text is None:
                raise ModelError(f"{path} is no model of c4", path=str(path))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(
            f"{path} is no model of c4, or a damaged one: {error}", path=str(path)
        ) from None
    return _checked(path, text, tensors)


def _checked(path: Path, text: str, tensors: Arrays) -> Model:
    """The model of a file's description and tensors.

    Raises:
        ModelError: they do not belong together.
    """
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise ModelError(f"{path} is a damaged model", path=str(path))
    if about["format"] != FORMAT:
        age = "a newer" if about["format"] > FORMAT else "an older"
        raise ModelError(
            f"{path} is a model in format {about['format']}, of {age} version of c4; "
            f"this one reads format {FORMAT}",
            path=str(path),
        )
    digest = about.pop("sha256", None)
    if digest != _digest(about, tensors):
        raise ModelError(
            f"{path} is a damaged model: its checksum is not that of its content", path=str(path)
        )
    if about["kind"] not in KINDS:
        raise ModelError(f"{path} is a model of unknown kind {about['kind']!r}", path=str(path))
    try:
        board = parse_board(about["board"])
    except BoardError as error:
        raise ModelError(f"{path}: {error}", path=str(path)) from None
    return Model(
        kind=about["kind"],
        board=board,
        architecture=about["architecture"],
        settings=about["settings"],
        history=about["history"],
        weights=_part(tensors, WEIGHTS),
        optimizer=_part(tensors, OPTIMIZER),
    )


def _part(tensors: Arrays, prefix: str) -> Arrays:
    """The tensors whose names begin so, without that."""
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
