"""``c4 learn export``: write a network in a format of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 learn export shipped --onnx c4.onnx",
    "c4 learn export model.safetensors --onnx model.onnx",
)


@click.command(cls=Command, database=False, json=False, examples=EXAMPLES)
@click.argument("model")
@click.option("--onnx", metavar="FILE", required=True, help="The ONNX file to write.")
@click.pass_obj
def export(settings: Settings, *, model: str, onnx: str) -> None:
    """Write a network as an ONNX file for other programs.

    MODEL is a model of kind cnn, exact, residual or selfplay, or "shipped", the included residual
    network. onnxruntime and other programs run the ONNX file without c4. Its input "planes" has the
    stones of both sides. Its output "policy" has a number for each column: play the column with the
    largest one. The file's metadata describes both. This command needs the package onnx, but not
    PyTorch.
    """
    from c4core.files import atomic_file
    from c4core.models.files import read_model
    from c4core.models.onnx import onnx_bytes
    from c4core.models.players import SHIPPED, named_file
    from cli.output.formats import writable_path
    from cli.output.render import count

    is_shipped = model == SHIPPED
    if not is_shipped:
        parameters.check_exists(model, option="MODEL")
    target = writable_path(onnx, option="--onnx")
    source = named_file(model, "residual")
    if target == source.resolve():
        raise click.BadParameter(f"{onnx!r} is the model itself", param_hint="'--onnx'")
    found = read_model(source)
    content = onnx_bytes(found, Path(model), license_name="MIT" if is_shipped else None)
    with atomic_file(target) as beside:
        beside.write_bytes(content)
    settings.say(f"{onnx}: {found.kind} network of {found.board}, {count(len(content), 'byte')}")
