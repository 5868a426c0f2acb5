"""Options of trainings on data sets: the data, the sizes of a network, rates and weights.

The limits of sizes are those of the models, as numbers: a help text must not import the engine.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.shell import parameters

if TYPE_CHECKING:
    from collections.abc import Callable

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)

data_option = click.option(
    "--data",
    type=_DIRECTORY,
    required=True,
    multiple=True,
    metavar="DIR",
    help="A data set of c4 dataset build, with NPZ files; several are joined.",
)

apart_option = click.option(
    "--apart-from",
    type=_DIRECTORY,
    multiple=True,
    metavar="DIR",
    help="Learn from no position of this data set, and from no neighbour of one.",
)


def step_options(*, batch: int, rate: float) -> Callable[[Decorated], Decorated]:
    """Add the options of a step of the training, with their defaults."""

    def add(function: Decorated) -> Decorated:
        for option in (
            click.option(
                "--rate",
                type=parameters.FiniteFloat(0, 1, min_open=True),
                metavar="X",
                default=rate,
                show_default=True,
                help="Adam's learning rate at the beginning.",
            ),
            click.option(
                "--batch",
                type=parameters.WholeNumber(1),
                metavar="N",
                default=batch,
                show_default=True,
                help="Positions of a step.",
            ),
        ):
            function = option(function)
        return function

    return add


def decay_option(default: float) -> Callable[[Decorated], Decorated]:
    """The option of how fast the rate falls."""
    return click.option(
        "--decay",
        type=parameters.FiniteFloat(0, 1, min_open=True),
        metavar="X",
        default=default,
        show_default=True,
        help="Factor by which the rate falls in every epoch.",
    )


def weight_options(function: Decorated) -> Decorated:
    """Add the weights of quiet and of decisive positions."""
    for kind, meaning in (
        ("decisive", "in which the result is at stake"),
        ("quiet", "in which nobody has a win in one"),
    ):
        function = click.option(
            f"--{kind}-weight",
            type=parameters.FiniteFloat(0, 1000, min_open=True),
            metavar="X",
            default=1.0,
            show_default=True,
            help=f"Weight of positions {meaning}; of others it is 1.",
        )(function)
    return function


def network_options(
    *, channels: int, layers: int, hidden: int, batch: int, rate: float
) -> Callable[[Decorated], Decorated]:
    """Add the options of networks with an output for every column, with their defaults."""

    def add(function: Decorated) -> Decorated:
        for option in (
            step_options(batch=batch, rate=rate),
            click.option(
                "--hidden",
                type=parameters.IntRange(1, 4096),
                metavar="N",
                default=hidden,
                show_default=True,
                help="Units of the layer before the outputs.",
            ),
            click.option(
                "--layers",
                type=parameters.IntRange(1, 64),
                metavar="N",
                default=layers,
                show_default=True,
                help="Convolutions.",
            ),
            click.option(
                "--channels",
                type=parameters.IntRange(1, 1024),
                metavar="N",
                default=channels,
                show_default=True,
                help="Filters of each convolution.",
            ),
        ):
            function = option(function)
        return function

    return add
