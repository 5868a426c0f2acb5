"""Model files: damaged ones, and ones with another description and a right checksum."""

import json
from pathlib import Path
from random import Random

import numpy as np

from c4core.errors import ModelError
from c4core.models.files import Model, read_model, write_model
from c4core.notation import BoardSize
from tests.release.fuzz.mutation import mutated, mutated_json
from tests.release.fuzz.target import Target
from tests.support.hostile.modelfiles import CASES, crafted

ABOUT = {
    "kind": "residual",
    "board": BoardSize(5, 4),
    "architecture": {"channels": 8, "blocks": 1, "hidden": 8},
    "settings": {"seed": 1},
    "history": [{"epoch": 1, "loss": 0.5, "seconds": 0.1}],
}


def prepare_modelfiles(directory: Path) -> Target:
    """Prepare the target. Its model has one tensor, whose meaning does not matter here."""
    path = directory / "model"
    write_model(path, Model(**ABOUT, weights={"x": np.zeros(3, dtype=np.float32)}))
    sample = path.read_bytes()
    fields = {**ABOUT, "board": "5x4", "format": 1}

    def make(chance: Random) -> bytes:
        changed = mutated_json(chance, fields)
        if chance.random() < 0.3 or not isinstance(changed, dict):
            return mutated(chance, sample)
        return crafted(sample, **json.loads(json.dumps(changed)))

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        read_model(path)
        return []

    return Target(make, run, (ModelError,), hostile=CASES, sample=sample)
