"""Models with a readable description from which no network can be built."""

from collections.abc import Callable

import numpy as np

from c4core.models.files import LARGEST
from tests.support.hostile import Case
from tests.support.hostile.modelfiles import Tensors, crafted

SMALL = {"channels": 2, "layers": 1, "hidden": 4}


def architecture(name: str, answer: str, **numbers: object) -> Case:
    """A network with other dimensions."""
    return Case(name, lambda sample: crafted(sample, architecture=SMALL | numbers), answer)


def weights(
    name: str, change: Callable[[np.ndarray], np.ndarray], answer: str = "not of type float32"
) -> Case:
    def changed(tensors: Tensors) -> Tensors:
        return {key: change(tensor) for key, tensor in tensors.items()}

    return Case(name, lambda sample: crafted(sample, changed), answer)


CASES = (
    architecture("2**31 layers", "layers cannot be 2147483648: it is 1 to 64", layers=2**31),
    architecture("no layers", "layers cannot be 0", layers=0),
    architecture("true layers", "layers cannot be True", layers=True),
    architecture("half a neuron", r"hidden cannot be 1\.5", hidden=1.5),
    architecture("10**400 channels", "channels cannot be 1000", channels=10**400),
    architecture("channels as a text", "channels cannot be '2'", channels="2"),
    architecture("an unknown number", "unexpected keyword", depth=1),
    architecture("a board", "multiple values", board=1),
    architecture(
        "the largest network, without its weights", "the network cannot be made", **LARGEST["exact"]
    ),
    weights("weights of 64 bits", lambda array: array.astype("float64")),
    weights("weights of bytes", lambda array: array.astype("int8")),
    weights("weights of truth values", lambda array: array.astype("bool")),
    weights("weights of 16 bits", lambda array: array.astype("float16")),
    weights("huge weights, which play", lambda array: np.full_like(array, 3e38), ""),
)
