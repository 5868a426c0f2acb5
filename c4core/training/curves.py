"""Draws the figures of a training by epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from c4core.learning.modelfile import Model

CURVES: Final[Mapping[str, Sequence[tuple[str, Sequence[tuple[str, str]]]]]] = {
    "cnn": (
        (
            "share of grids that it is right about",
            (("accuracy", "trained on"), ("test_accuracy", "tested")),
        ),
        ("mean squared error", (("loss", "trained on"), ("test_loss", "tested"))),
    ),
    "exact": (
        ("held-out positions", (("best_share", "best column"), ("value_accuracy", "result"))),
        ("loss", (("policy_loss", "policy"), ("value_loss", "value"))),
    ),
    "residual": (
        (
            "held-out positions",
            (
                ("result_kept", "result kept"),
                ("quiet_decisive", "result kept, quiet and decisive"),
                ("best_share", "best column"),
            ),
        ),
        (
            "loss",
            (("policy_loss", "best columns"), ("kept_loss", "result"), ("value_loss", "value")),
        ),
    ),
    "tuples": (
        (
            "held-out positions",
            (
                ("result_kept", "result kept"),
                ("quiet_decisive", "result kept, quiet and decisive"),
                ("best_share", "best column"),
            ),
        ),
        ("loss", (("policy_loss", "best columns"), ("value_loss", "value"))),
    ),
    "selfplay": (
        ("share of games won", (("won_random", "against random"), ("won_set", "against set"))),
        ("squared error", (("loss", "worth of columns"),)),
    ),
}
"""The two plots of each kind of model: the label of each, and its curves."""

_COLOURS: Final = ("#2171b5", "#d2560b", "#2a7f3f")
_STYLE: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.hashsalt": "c4",
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_DOTS_PER_INCH: Final = 150


def draw_curves(model: Model, path: Path) -> None:
    """Draw the curves of a training into a file; its suffix is the format.

    Args:
        model: a model with at least one epoch.
        path: the file.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    epochs = [entry["epoch"] for entry in model.history]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9.5, 3.6), layout="constrained", facecolor="white")
        plots = figure.subplots(1, 2)
        for axes, (label, curves) in zip(plots, CURVES[model.kind], strict=True):
            for (name, what), colour in zip(curves, _COLOURS, strict=False):
                values = [entry[name] for entry in model.history]
                axes.plot(epochs, values, color=colour, linewidth=1.4, label=what, marker=".")
            axes.set_xlabel("epoch")
            axes.set_ylabel(label)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.legend(frameon=False)
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, dpi=_DOTS_PER_INCH, metadata=metadata)
