"""Models: damaged ones, and forged ones with a right checksum; accepted ones play."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from c4core.errors import C4Error, ModelError
from c4core.models import files
from c4core.models.files import KINDS, Model, read_model, write_model
from c4core.models.players import engine_of
from c4core.models.torch.networks import arrays_of, network_of, new_network
from c4core.models.torch.playing import choose_column, residual_columns
from c4core.notation import BoardSize
from c4core.position import Position
from tests.release.fuzz.mutation import ODD, mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.traps import Trap

NETWORKS: dict[str, dict[str, Any]] = {
    "cnn": {"padding": "same"},
    "residual": {"channels": 8, "blocks": 1, "hidden": 8},
}
TYPES = ("float64", "float16", "int8", "bool", "uint64", "complex64", "float32")


def _changed(chance: Random, tensors: dict[str, Any]) -> dict[str, Any]:
    """Tensors, some missing, of another type or shape, or with strange numbers."""
    changed = dict(tensors)
    for _ in range(chance.choice((0, 0, 1, 2))):
        name = chance.choice(list(changed) or ["x"])
        array = changed.pop(name, np.zeros(3, dtype=np.float32))
        match chance.randrange(4):
            case 0:
                changed[name] = array.astype(chance.choice(TYPES))
            case 1:
                changed[name] = array.reshape(-1)
            case 2:
                with np.errstate(invalid="ignore"):  # whole numbers cannot be nan
                    changed[name] = np.full_like(array, chance.choice((np.nan, np.inf, 1e38)))
    return changed


def prepare_models(directory: Path) -> Target:
    path = directory / "model"
    samples = []
    bombs = list(Trap(directory).bombs().values())
    for kind in KINDS:
        history = [{"epoch": 1, "loss": 0.5, "seconds": 0.1}]
        network = new_network(kind, BoardSize(5, 4), NETWORKS[kind], seed=1)
        weights = arrays_of(network.state_dict())
        write_model(
            path, Model(kind, BoardSize(5, 4), NETWORKS[kind], {"seed": 1}, history, weights)
        )
        data = path.read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        samples.append((data, json.loads(header["__metadata__"]["c4"]), load(data)))

    def make(chance: Random) -> bytes:
        data, about, tensors = chance.choice(samples)
        if chance.random() < 0.3:
            return mutated(chance, chance.choice((data, chance.choice(bombs))))
        about = {name: entry for name, entry in about.items() if name != "sha256"}
        if chance.random() < 0.3:
            name = chance.choice(("channels", "blocks", "hidden", "sides", "padding", "x"))
            about["architecture"] = {**about["architecture"], name: chance.choice(ODD)}
            text = json.dumps(about).encode()
        else:
            text = mutated_text(chance, about)
        changed = _changed(chance, tensors)
        try:
            fields = json.loads(text)
            fields["sha256"] = files._digest(fields, changed)
            text = json.dumps(fields).encode()
        except (ValueError, TypeError, RecursionError):
            pass  # a description without a checksum
        return bytes(save(changed, {"c4": text.decode(errors="replace")}))

    def run(data: bytes) -> None:
        path.write_bytes(data)
        model = read_model(path)
        position = Position(width=model.board.width, height=model.board.height)
        if model.kind == "residual":
            assert engine_of(model, path).choose(position) in position.legal_columns()
            (column,) = residual_columns(network_of(model, path), [position])
        else:
            column = choose_column(network_of(model, path), position)
        assert column in position.legal_columns()

    return Target(make, run, (ModelError, C4Error))
