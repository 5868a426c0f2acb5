"""Models with a readable description from which no network can be built."""

from collections.abc import Callable

import numpy as np

from c4core.models.files import LARGEST
from tests.support.hostile import Case
from tests.support.hostile.modelfiles import Tensors, crafted

SMALL = {"channels": 8, "blocks": 1, "hidden": 8}


def architecture(name: str, answer: str, **numbers: object) -> Case:
    """A network with other dimensions."""
    return Case(name, lambda sample: crafted(sample, architecture=SMALL | numbers), answer)


def weights(name: str, change: Callable[[np.ndarray], np.ndarray], answer: str) -> Case:
    def changed(tensors: Tensors) -> Tensors:
        return {key: change(tensor) for key, tensor in tensors.items()}

    return Case(name, lambda sample: crafted(sample, changed), answer)


CASES = (
    architecture("2**31 blocks", "too large", blocks=2**31),
    architecture("no blocks", "blocks cannot be 0", blocks=0),
    architecture("true blocks", "blocks cannot be True", blocks=True),
    architecture("half a unit", r"hidden cannot be 1\.5", hidden=1.5),
    architecture("10**400 channels", "too large", channels=10**400),
    architecture("channels as a text", "channels cannot be '2'", channels="2"),
    architecture("an unknown number", "unexpected keyword", depth=1),
    architecture("the largest network, without its weights", "cannot be made", **LARGEST),
    weights("weights of 64 bits", lambda array: array.astype("float64"), "is float64"),
    weights("weights of bytes", lambda array: array.astype("int8"), "is int8"),
    weights("weights of truth values", lambda array: array.astype("bool"), "is bool"),
    weights("weights of 16 bits", lambda array: array.astype("float16"), "is float16"),
    weights("huge weights", lambda array: np.full_like(array, 3e38), "too large"),
)
