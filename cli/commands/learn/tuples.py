"""``c4 learn train tuples``: an n-tuple network, on exact labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn import options, sizes
from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from pathlib import Path

EPOCHS = 10

EXAMPLES = (
    "c4 learn train tuples --data positions --epochs 2 --tuples 20 --length 5",
    "c4 learn train tuples --data positions --epochs 1 --length 4 --json",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@sizes.data_option
@sizes.apart_option
@click.option(
    "--tuples",
    type=parameters.IntRange(1, 256),
    metavar="N",
    default=60,
    show_default=True,
    help="Tuples, each with two tables.",
)
@click.option(
    "--length",
    type=parameters.IntRange(1, 10),
    metavar="N",
    default=7,
    show_default=True,
    help="Squares of a tuple; one more makes the tables four times as large.",
)
@click.option(
    "--rate",
    type=parameters.FiniteFloat(0, 100, min_open=True),
    metavar="X",
    default=0.5,
    show_default=True,
    help="Share of an error by which a sum changes at the beginning.",
)
@sizes.decay_option(0.8)
@sizes.weight_options
@options.training_options(
    kind="tuples", epochs=EPOCHS, curves="shares and losses by epoch", pytorch=False
)
@click.pass_context
def tuples(
    context: click.Context,
    /,
    *,
    data: tuple[Path, ...],
    apart_from: tuple[Path, ...],
    seed: int,
    **others: Any,
) -> None:
    """Train an n-tuple network on positions with exact labels.

    It adds up entries of tables, one for what is on the squares of each tuple. It is trained on
    train.npz; after every epoch, and in the report, it is evaluated on validation.npz. Neither
    training nor playing needs PyTorch. The model plays as learning-tuples:model=FILE.
    """
    training = options.training_of(context, others)
    from c4core.models.labels import read_joined
    from c4core.models.quality import quality_of_engine
    from c4core.models.tuple_course import TupleCourse
    from cli.commands.learn.view import write_report

    learned, held_out = read_joined(data, apart_from=apart_from)
    course = TupleCourse(learned, held_out, seed=seed, **others)
    model = options.run(context.obj, course, training)
    write_report(
        context.obj,
        training.path,
        model,
        parameters=sum(array.size for array in model.weights.values()),
        quality=quality_of_engine(course.engine(), held_out, mirrors=True),
        with_history=True,
    )
