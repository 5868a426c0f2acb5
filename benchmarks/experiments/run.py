"""Runs experiments, one a command: ``python -m benchmarks experiments NAME``."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from benchmarks.experiments.sources import EXPERIMENTS
from benchmarks.options import WITH_HELP
from benchmarks.page import run_lines, span_text, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.experiments.playing import Experiment
    from benchmarks.record import Part, Results


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Run experiments that the sources describe, and compare the findings."""


def _command(experiment: Experiment) -> click.Command:
    """The command that runs an experiment."""

    @click.command(experiment.name, help=f"{experiment.title}.", short_help=experiment.title)
    @click.option(
        "--sample",
        type=click.IntRange(1),
        default=experiment.sample,
        show_default=True,
        help="Games or positions for each row of the table.",
    )
    @click.option("--seed", type=click.IntRange(0), default=2022, show_default=True)
    @click.pass_obj
    def run(results: Results, *, sample: int, seed: int) -> None:
        began = time.process_time()
        finding = experiment.run(sample, seed)
        seconds = round(time.process_time() - began, 1)
        figures = asdict(finding) | {"sample": sample, "seed": seed, "seconds": seconds}
        results.keep("experiments", experiment.name, figures)
        click.echo(f"{experiment.name}: {finding.found}")

    return run


for _experiment in EXPERIMENTS.values():
    main.add_command(_command(_experiment))


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of the only place of ``docs/experiments.md``.

    Raises:
        ValueError: an experiment was never run.
    """
    if missing := [name for name in EXPERIMENTS if name not in parts]:
        raise ValueError(f"these experiments were never run: {', '.join(missing)}")
    return {"experiments": "\n\n".join(_section(name, parts[name]) for name in EXPERIMENTS)}


def _section(name: str, part: Part) -> str:
    experiment, found = EXPERIMENTS[name], part.figures
    sample = f"{found['sample']:,} games or positions a row"
    return "\n\n".join(
        (
            f"## {experiment.title}",
            f"*The source:* {experiment.source}",
            f"*Here:* {found['found']}",
            table(found["headings"], found["rows"]),
            run_lines(part.made, f"{sample}, {span_text(found['seconds'])} of processor time"),
        )
    )
