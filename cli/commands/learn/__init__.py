"""The group ``c4 learn``."""

from __future__ import annotations

import click

from cli.shell.commands import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "train": "cli.commands.learn:train",
        "evaluate": "cli.commands.learn.evaluate:evaluate",
        "export": "cli.commands.learn.evaluate:export",
    },
    examples=[
        "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
        "c4 learn evaluate model.safetensors --games 1000",
    ],
)
def learn() -> None:
    """Train networks that play, evaluate them, and export them.

    A model plays as learning-KIND:model=FILE, where KIND is cnn, exact, residual, selfplay or
    tuples. All but tuples are trained with PyTorch: pip install torch.
    """


@click.group(
    cls=LazyGroup,
    lazy={
        "cnn": "cli.commands.learn.training:cnn",
        "exact": "cli.commands.learn.training:exact",
        "residual": "cli.commands.learn.training:residual",
        "selfplay": "cli.commands.learn.training:selfplay",
        "tuples": "cli.commands.learn.training:tuples",
    },
    examples=[
        "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
        "c4 learn train selfplay --games 256 --epochs 1 --output self.safetensors",
    ],
)
def train() -> None:
    """Train a network.

    After every epoch the file is written; it can play at once, and training can continue from it.
    Ctrl-C leaves the last complete epoch. The same command with --resume continues, and
    gives the same weights as training without an interruption.
    """
