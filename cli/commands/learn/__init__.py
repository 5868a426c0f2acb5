"""The group ``c4 learn``."""

from __future__ import annotations

import click

from cli.shell.commands import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "train": "cli.commands.learn:train",
        "evaluate": "cli.commands.learn.evaluate:evaluate",
    },
    examples=[
        "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
        "c4 learn evaluate model.safetensors --data positions",
    ],
)
def learn() -> None:
    """Train networks that play, and evaluate them.

    A model plays as learning-KIND:model=FILE, where KIND is cnn or residual. PyTorch trains it:
    pip install torch.
    """


@click.group(
    cls=LazyGroup,
    lazy={
        "cnn": "cli.commands.learn.training:cnn",
        "residual": "cli.commands.learn.training:residual",
    },
    examples=[
        "c4 learn train cnn --games 2000 --epochs 5 --output won.safetensors",
        "c4 learn train residual --data positions --epochs 2 --steps 10 --channels 8",
    ],
)
def train() -> None:
    """Train a network.

    After every epoch the file is written; it can play at once, and training can continue from it.
    Ctrl-C leaves the last complete epoch. The same command with --resume continues, and
    gives the same weights as training without an interruption.
    """
