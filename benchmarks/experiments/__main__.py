"""``python -m benchmarks.experiments``: run an experiment of a source, and write the page."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from benchmarks.experiments import pages, results
from benchmarks.experiments.catalogue import EXPERIMENTS
from benchmarks.options import WITH_HELP, failures, file_argument, output_option, page_option
from benchmarks.page import fill_file
from benchmarks.record import this_command
from cli.shell import signals

if TYPE_CHECKING:
    from benchmarks.experiments.experiment import Experiment

FILE: Final = Path("benchmarks/results/experiments.json")


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Run experiments that the sources describe, and compare what comes out."""


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
    @output_option(FILE)
    def run(*, sample: int, seed: int, output: Path) -> None:
        with failures(ValueError):
            runs = results.read(output)
        began = time.process_time()
        finding = experiment.run(sample, seed)
        runs[experiment.name] = results.Run.of(
            finding,
            sample=sample,
            seed=seed,
            command=this_command("benchmarks.experiments"),
            seconds=time.process_time() - began,
        )
        results.write(output, runs)
        click.echo(f"{experiment.name}: {finding.found}")

    return run


for _experiment in EXPERIMENTS.values():
    main.add_command(_command(_experiment))


@main.command()
@file_argument(FILE)
@page_option(Path("docs/experiments.md"))
def report(*, file: Path, page: Path) -> None:
    """Write the page's tables."""
    with failures(ValueError):
        fill_file(page, pages.sections(results.read(file)))


if __name__ == "__main__":
    signals.install()  # only here: other callers of the command keep their own handlers
    main(prog_name="python -m benchmarks.experiments")
