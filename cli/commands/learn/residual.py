"""``c4 learn train residual``: a network that sees threats, on exact labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn import options, sizes
from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from pathlib import Path

EPOCHS = 7

EXAMPLES = (
    "c4 learn train residual --data positions --epochs 2 --channels 8",
    "c4 learn train residual --data positions --epochs 1 --quiet-weight 3 --json",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@sizes.data_option
@sizes.apart_option
@click.option(
    "--channels",
    type=parameters.IntRange(8, 128),
    metavar="N",
    default=32,
    show_default=True,
    help="Filters of each convolution, a multiple of 8.",
)
@click.option(
    "--blocks",
    type=parameters.IntRange(1, 16),
    metavar="N",
    default=4,
    show_default=True,
    help="Pairs of convolutions after the first.",
)
@click.option(
    "--hidden",
    type=parameters.IntRange(8, 256),
    metavar="N",
    default=32,
    show_default=True,
    help="Units of a column before the outputs, a multiple of 8.",
)
@sizes.step_options(batch=256, rate=0.004)
@sizes.decay_option(0.6)
@sizes.weight_options
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    default="float32",
    show_default=True,
    help="Of the numbers in training; bfloat16 is faster on newer processors.",
)
@options.training_options(kind="residual", epochs=EPOCHS, curves="shares and losses by epoch")
@click.pass_context
def residual(
    context: click.Context,
    /,
    *,
    data: tuple[Path, ...],
    apart_from: tuple[Path, ...],
    seed: int,
    **others: Any,
) -> None:
    """Train a network that sees threats on positions with exact labels.

    It learns which columns are best, who wins, and the scores of all columns. It is trained on
    train.npz; after every epoch, and in the report, it is evaluated on validation.npz. The model
    plays as learning-residual:model=FILE, without PyTorch.
    """
    training = options.training_of(context, others)
    from c4core.models.labels import read_joined
    from c4core.models.torch.courses import ResidualCourse
    from c4core.models.torch.networks import parameter_count
    from c4core.models.torch.report import quality_of_network, share_of_best
    from cli.commands.learn.view import write_report

    learned, held_out = read_joined(data, apart_from=apart_from)
    course = ResidualCourse(learned, held_out, seed=seed, **others)
    model = options.run(context.obj, course, training)
    write_report(
        context.obj,
        training.path,
        model,
        parameters=parameter_count(course.network),
        shares=share_of_best(course.network, course.kind, held_out),
        quality=quality_of_network(course.network, course.kind, held_out),
        with_history=True,
    )
