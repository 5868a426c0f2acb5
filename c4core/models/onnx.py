"""Export networks as ONNX files, which other programs can run without C4 and PyTorch.

All files have the same input, and the same first output::

    planes, float32 (n, 2, height, width) -> policy, float32 (n, width)
                                             outcome, float32 (n, 3): exact and residual only

The graph includes the steps around the network: it computes the threats, the mean with the mirror
image, or the grids after each move. Full columns get minus infinity, so the player's move is the
column with the largest ``policy``. The graph is built from the model's arrays, so the export needs
only the package ``onnx``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.errors import LearningMissingError, ModelError
from c4core.extras import ONNX, require
from c4core.models.evaluator import BLOCKING_WORTH, WINNING_WORTH
from c4core.models.files import LARGEST
from c4core.models.residual import STAR, side_prefix
from c4core.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from c4core.models.files import Model

    Array = NDArray[np.generic]
    Value = str | Array
    """An input of a node: the name of another node's output, or a constant."""

OPSET: Final = 18
"""The version of ONNX's operators."""
IR_VERSION: Final = 8
"""The version of the file's format that was released with these operators."""
MOST_BYTES: Final = 2_000_000_000
"""The largest size of all weights; a protobuf message ends at 2 GiB."""

POLICIES: Final = {
    "cnn": "How much the grid after a move in each column looks like a won game, 0 to 1.",
    "exact": "Logits: their softmax has a probability for each column.",
    "residual": "Logits: their softmax has a probability for each column. A win adds 1000.",
    "selfplay": "The expected result of a move in each column, -1 to 1.",
}
"""The kinds of models that can be exported, and the meaning of their policies."""

_PLANES: Final = (
    "Positions, planes, rows, columns. Plane 0 has 1 for each stone of the side to move, plane 1 "
    "has 1 for each stone of the opponent, and all other numbers are 0. Row 0 is the bottom row, "
    "column 0 is the left column. The game must not be over."
)
_PLAY: Final = "Full columns have minus infinity. Play the column with the largest number."
_OUTCOME: Final = "The probabilities that the side to move loses, draws and wins."

_RESULTS: Final = 3
_FOUR: Final = 4
_REACH: Final = 3
_SIDE: Final = 2 * _REACH + 1
"""The side of a kernel that reaches three squares in each direction."""
_DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Rows and columns of a step along a line of four."""
_UNEVEN: Final = [1, 1, 2, 2]
"""The padding of a 4 x 4 first layer: one line of zeros before the board, two after it."""
_FILTERS: Final = 42
_UNITS: Final = 7


def onnx_bytes(model: Model, path: Path, *, license_name: str | None = None) -> bytes:
    """The content of an ONNX file with the network of a model.

    Args:
        model: a model of any kind in :data:`POLICIES`.
        path: the model's file, for messages.
        license_name: the license that the file states, such as ``MIT``.

    Raises:
        LearningMissingError: the package ``onnx`` is not installed.
        ModelError: the model is not a network, or the weights do not fit the architecture.
    """
    if model.kind not in POLICIES:
        raise ModelError(
            f"{path} is a model of kind {model.kind}, which is not a network: choose a model of "
            f"kind {', '.join(POLICIES)}",
            path=str(path),
        )
    require(ONNX, LearningMissingError)
    graph = _Graph(model)
    try:
        _check_sizes(model)
        _BUILDERS[model.kind](graph)
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ModelError(f"{path}: the network cannot be made: {reason}", path=str(path)) from None
    return graph.to_bytes(license_name)


def _number(value: float) -> Array:
    """A float32 constant."""
    return np.array(value, dtype=np.float32)


def _check_sizes(model: Model) -> None:
    """Raise ValueError if the architecture has a number out of range, or too many weights."""
    if sum(array.nbytes for array in model.weights.values()) > MOST_BYTES:
        raise ValueError(f"an ONNX file holds at most {MOST_BYTES:,} bytes of weights")
    for name, most in LARGEST[model.kind].items():
        number = model.architecture.get(name, 1)
        if type(number) is not int or not 1 <= number <= most:
            raise ValueError(f"{name} cannot be {number!r:.80}: it is 1 to {most}")


class _Graph:
    """A builder of an ONNX graph. Methods add nodes and return the names of their outputs."""

    def __init__(self, model: Model) -> None:
        import onnx  # noqa: PLC0415 (optional)

        self.onnx: Any = onnx
        self.model = model
        self.width, self.height = model.board
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        self.about: dict[str, str] = {}
        self.prefix = ""
        """The beginning of the names of the weights."""

    def add(self, operator: str, *inputs: Value, name: str = "", **attributes: object) -> str:
        """Add a node; its inputs are constants, or names of outputs."""
        name = name or f"{operator}_{len(self.nodes)}"
        names = [each if isinstance(each, str) else self._constant(each) for each in inputs]
        node = self.onnx.helper.make_node(operator, names, [name], name=name, **attributes)
        self.nodes.append(node)
        return name

    def _constant(self, array: Array) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def reshape(self, x: str, *shape: int) -> str:
        """Change the shape of x; one number may be -1."""
        return self.add("Reshape", x, np.array(shape))

    def mirrored(self, x: str, *, axis: int) -> str:
        """Reverse the order of the columns of x."""
        return self.add("Gather", x, np.arange(self.width)[::-1], axis=axis)

    def reduced(self, operator: str, x: str, *axes: int, keep: bool = True) -> str:
        """Reduce axes of x by an operator such as ReduceSum."""
        return self.add(operator, x, np.array(axes), keepdims=int(keep))

    def weights(self, name: str, *shape: int) -> Array:
        """An array of the model, checked for its type and shape."""
        array = self.model.weights[self.prefix + name]
        if array.dtype != np.float32 or array.shape != shape:
            raise ValueError(f"{name} is {array.dtype} {array.shape}, not float32 {shape}")
        return array

    def convolution(self, x: str, layer: str, *shape: int, pads: list[int]) -> str:
        """Convolve x with weights of this shape."""
        weight = self.weights(f"{layer}.weight", *shape)
        return self.add("Conv", x, weight, self.weights(f"{layer}.bias", shape[0]), pads=pads)

    def dense(self, x: str, layer: str, inputs: int, outputs: int) -> str:
        """Multiply the last axis of x by a matrix, and add biases."""
        weight = self.weights(f"{layer}.weight", outputs, inputs)
        return self.add(
            "Add", self.add("MatMul", x, weight.T), self.weights(f"{layer}.bias", outputs)
        )

    def stones(self, planes: str) -> str:
        """(n, 1, height, width): 1 for the stones of both sides."""
        return self.reduced("ReduceSum", planes, 1)

    def playable(self, stones: str) -> str:
        """(n, 1, height, width): 1 for the squares that the next stones fall to."""
        below = np.eye(self.height, k=-1, dtype=np.float32)
        ground = np.eye(self.height, 1, dtype=np.float32)
        supported = self.add("Add", self.add("MatMul", below, stones), ground)
        return self.add("Sub", supported, stones)

    def write_policy(self, x: str) -> None:
        """Make x, (n, width), an output; full columns get minus infinity."""
        top = self.add("Gather", self.stones("planes"), np.array(self.height - 1), axis=2)
        is_full = self.add("Greater", self.reshape(top, -1, self.width), _number(0.5))
        self.add("Where", is_full, _number(-np.inf), x, name="policy")
        self._output("policy", self.width, f"{POLICIES[self.model.kind]} {_PLAY}")

    def write_outcome(self, x: str) -> None:
        """Make x, (n, 3), an output."""
        self.add("Identity", x, name="outcome")
        self._output("outcome", _RESULTS, _OUTCOME)

    def _output(self, name: str, size: int, meaning: str) -> None:
        self.outputs.append(self._declared("output", name, (size,), meaning))

    def _declared(self, place: str, name: str, shape: tuple[int, ...], meaning: str) -> Any:  # noqa: ANN401
        """Describe an input or output in the metadata; return its type for the graph."""
        sizes = ("n", *shape)
        self.about[f"{place} {name}"] = f"float32 ({', '.join(map(str, sizes))}). {meaning}"
        helper, kind = self.onnx.helper, self.onnx.TensorProto.FLOAT
        return helper.make_tensor_value_info(name, kind, sizes, doc_string=meaning)

    def to_bytes(self, license_name: str | None) -> bytes:
        """The file's content."""
        helper, model = self.onnx.helper, self.model
        planes = self._declared("input", "planes", (2, self.height, self.width), _PLANES)
        name = f"learning-{model.kind}"
        graph = helper.make_graph(self.nodes, name, [planes], self.outputs, self.constants)
        file = helper.make_model(
            graph,
            producer_name="c4",
            producer_version=__version__,
            doc_string=f"Connect Four on {model.board}: a network of C4.",
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        about = {
            "board": str(model.board),
            "kind": model.kind,
            "weights": model.fingerprint,
            "c4_version": __version__,
            **({"license": license_name} if license_name else {}),
        }
        helper.set_model_props(file, about | dict(sorted(self.about.items())))
        content: bytes = file.SerializeToString(deterministic=True)
        return content


def _cnn(graph: _Graph) -> None:
    """Evaluate the grids after a stone in every column, with the top row first."""
    width, height = graph.model.board
    own, opponent = (graph.add("Gather", "planes", np.array([side]), axis=1) for side in (0, 1))
    one_column = np.eye(width, dtype=np.float32).reshape(width, 1, width)
    falls = graph.add("Mul", graph.playable(graph.stones("planes")), one_column)
    after = graph.add("Add", graph.add("Sub", own, opponent), falls)  # (n, width, height, width)
    grids = graph.add("Gather", after, np.arange(height)[::-1], axis=2)
    padding = graph.model.architecture["padding"]
    if padding not in ("same", "valid"):
        raise ValueError(f"padding cannot be {padding!r:.80}: it is same or valid")
    is_same = padding == "same"
    pads = _UNEVEN if is_same else [0, 0, 0, 0]
    x = graph.reshape(grids, -1, 1, height, width)
    x = graph.convolution(x, "layers.1", _FILTERS, 1, _FOUR, _FOUR, pads=pads)
    x = graph.add("MaxPool", graph.add("Tanh", x), kernel_shape=[2, 2], strides=[2, 2])
    high, wide = ((size if is_same else size - _FOUR + 1) // 2 for size in (height, width))
    x = graph.reshape(x, -1, _FILTERS * high * wide)
    x = graph.add("Sigmoid", graph.dense(x, "layers.5", _FILTERS * high * wide, _UNITS))
    x = graph.add("Sigmoid", graph.dense(x, "layers.7", _UNITS, 1))
    graph.write_policy(graph.reshape(x, -1, width))


def _features(graph: _Graph) -> str:
    """(n, hidden): the features that ``exact`` and ``selfplay`` compute from the planes."""
    channels, layers, hidden = (
        graph.model.architecture[name] for name in ("channels", "layers", "hidden")
    )
    x = graph.convolution("planes", "trunk.1", channels, 2, _FOUR, _FOUR, pads=_UNEVEN)
    for layer in range(1, layers):
        name = f"trunk.{2 * layer + 1}"
        x = graph.add("Relu", x)
        x = graph.convolution(x, name, channels, channels, 3, 3, pads=[1, 1, 1, 1])
    inputs = channels * graph.width * graph.height
    x = graph.reshape(graph.add("Relu", x), -1, inputs)
    return graph.add("Relu", graph.dense(x, f"trunk.{2 * layers + 2}", inputs, hidden))


def _exact(graph: _Graph) -> None:
    features, hidden = _features(graph), graph.model.architecture["hidden"]
    graph.write_policy(graph.dense(features, "policy", hidden, graph.width))
    results = graph.dense(features, "value", hidden, _RESULTS)
    graph.write_outcome(graph.add("Softmax", results))


def _selfplay(graph: _Graph) -> None:
    hidden = graph.model.architecture["hidden"]
    graph.write_policy(
        graph.add("Tanh", graph.dense(_features(graph), "worth.0", hidden, graph.width))
    )


def _residual(graph: _Graph) -> None:
    """Evaluate positions and their mirror images, and take the mean."""
    width = graph.width
    images = graph.add("Concat", "planes", graph.mirrored("planes", axis=3), axis=0)
    planes = _seven_planes(graph, images)
    sides = graph.model.architecture.get("sides", 1)
    found = []
    for side in range(sides):
        graph.prefix = side_prefix(side, sides)
        found.append(_side(graph, planes))
    policy, results = found[0]
    if sides > 1:
        stones = graph.reduced("ReduceSum", images, 1, 2, 3, keep=False)
        odd = graph.reshape(graph.add("Mod", stones, _number(2), fmod=1), -1, 1)
        is_odd = graph.add("Greater", odd, _number(0.5))
        policy, results = (
            graph.add("Where", is_odd, second, first) for first, second in zip(*found, strict=True)
        )
    policy = graph.reshape(policy, 2, -1, width)
    playable, wins, blocks = (
        graph.add("Gather", planes, np.array(plane), axis=1) for plane in (2, 3, 4)
    )
    forced = graph.add(
        "Add",
        graph.add("Mul", wins, _number(WINNING_WORTH)),
        graph.add("Mul", blocks, _number(BLOCKING_WORTH)),
    )
    forced = graph.reduced("ReduceMax", graph.add("Mul", playable, forced), 1, keep=False)
    policy = graph.add("Add", policy, graph.reshape(forced, 2, -1, width))
    plain, mirrored = (graph.add("Gather", policy, np.array(image), axis=0) for image in (0, 1))
    both = graph.add("Add", plain, graph.mirrored(mirrored, axis=1))
    graph.write_policy(graph.add("Div", both, _number(2)))
    results = graph.reshape(graph.add("Softmax", results), 2, -1, _RESULTS)
    graph.write_outcome(graph.reduced("ReduceMean", results, 0, keep=False))


def _side(graph: _Graph, planes: str) -> tuple[str, str]:
    """(n, width) and (n, 3): the policy and the results of a network, as logits."""
    width, height = graph.model.board
    channels, blocks, hidden = (
        graph.model.architecture[name] for name in ("channels", "blocks", "hidden")
    )
    x = graph.add("Conv", planes, *_star(graph, channels), pads=[_REACH] * 4)
    x = graph.add("Relu", x)
    for block in range(blocks):
        before, shape = x, (channels, channels, 3, 3)
        x = graph.convolution(x, f"blocks.{block}.inner", *shape, pads=[1, 1, 1, 1])
        x = graph.add("Relu", x)
        x = graph.convolution(x, f"blocks.{block}.outer", *shape, pads=[1, 1, 1, 1])
        x = graph.add("Relu", graph.add("Add", before, x))
    squares = graph.add("Transpose", x, perm=[0, 3, 2, 1])
    squares = graph.reshape(squares, -1, width, height * channels)
    alone = graph.add("Relu", graph.dense(squares, "column", height * channels, hidden))
    mean = graph.add("Expand", graph.reduced("ReduceMean", alone, 1), graph.add("Shape", alone))
    mixed = graph.dense(graph.add("Concat", alone, mean, axis=2), "mixing", 2 * hidden, hidden)
    units = graph.add("Relu", graph.add("Add", alone, mixed))
    policy = graph.reshape(graph.dense(units, "policy", hidden, 1), -1, width)
    mean = graph.reduced("ReduceMean", units, 1, keep=False)
    return policy, graph.dense(mean, "value", hidden, _RESULTS)


def _star(graph: _Graph, channels: int) -> tuple[Array, Array]:
    """The first layer's weights as a kernel of 7 x 7, and its biases."""
    taps = graph.weights("first.weight", channels, 7, len(STAR))
    kernel = np.zeros((channels, 7, _SIDE, _SIDE), dtype=np.float32)
    for tap, (right, up) in enumerate(STAR):
        kernel[:, :, _REACH + up, _REACH + right] = taps[:, :, tap]
    return kernel, graph.weights("first.bias", channels)


def _seven_planes(graph: _Graph, planes: str) -> str:
    """(n, 7, height, width): the planes of :mod:`c4core.models.evaluator`."""
    width, height = graph.model.board
    stones = graph.stones(planes)
    # A kernel for every line of four through a square: the other three squares of the line.
    lines = np.zeros((_FOUR * len(_DIRECTIONS), 1, _SIDE, _SIDE), dtype=np.float32)
    for line, (place, (up, right)) in enumerate(
        (place, step) for place in range(_FOUR) for step in _DIRECTIONS
    ):
        for other in {*range(_FOUR)} - {place}:
            away = other - place
            lines[line, 0, _REACH + away * up, _REACH + away * right] = 1
    sides = graph.reshape(planes, -1, 1, height, width)
    most = graph.reduced("ReduceMax", graph.add("Conv", sides, lines, pads=[_REACH] * 4), 1)
    is_threat = graph.add("Relu", graph.add("Sub", most, _number(2)))
    empty = graph.add("Sub", _number(1), stones)
    threats = graph.add("Mul", graph.reshape(is_threat, -1, 2, height, width), empty)
    # The last two planes: every other row, by the parity of the number of stones; all squares.
    rows = np.zeros((2, 1, 2, height, width), dtype=np.float32)
    rows[0, 0, 0, ::2] = rows[1, 0, 0, 1::2] = rows[:, 0, 1] = 1
    is_odd = graph.add("Mod", graph.reduced("ReduceSum", stones, 1, 2, 3), _number(2), fmod=1)
    turned = graph.add("Add", graph.add("Mul", is_odd, rows[1] - rows[0]), rows[0])
    return graph.add("Concat", planes, graph.playable(stones), threats, turned, axis=1)


_BUILDERS: Final = {"cnn": _cnn, "exact": _exact, "residual": _residual, "selfplay": _selfplay}
