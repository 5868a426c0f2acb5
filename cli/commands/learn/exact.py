"""``c4 learn train exact``: a network with policy and value, on exact labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.commands.learn import options, sizes
from cli.shell.commands import Command

if TYPE_CHECKING:
    from pathlib import Path

EPOCHS = 20

EXAMPLES = (
    "c4 learn train exact --data positions --epochs 2 --channels 8",
    "c4 learn train exact --data positions --epochs 1 --json",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@sizes.data_option
@sizes.apart_option
@sizes.network_options(channels=64, layers=3, hidden=128, batch=256, rate=0.002)
@options.training_options(kind="exact", epochs=EPOCHS, curves="shares and losses by epoch")
@click.pass_context
def exact(
    context: click.Context,
    /,
    *,
    data: tuple[Path, ...],
    apart_from: tuple[Path, ...],
    seed: int,
    **others: Any,
) -> None:
    """Train a network on positions with exact labels.

    It learns which columns are best, and who wins. It is trained on train.npz; after every epoch,
    and in the report, it is evaluated on validation.npz. The model plays as
    learning-exact:model=FILE.
    """
    training = options.training_of(context, others)
    from c4core.models.labels import read_joined
    from c4core.models.torch.courses import ExactCourse
    from c4core.models.torch.networks import parameter_count
    from c4core.models.torch.report import quality_of_network, share_of_best
    from cli.commands.learn.view import write_report

    learned, held_out = read_joined(data, apart_from=apart_from)
    course = ExactCourse(learned, held_out, seed=seed, **others)
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
