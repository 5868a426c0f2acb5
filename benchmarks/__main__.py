"""``python -m benchmarks SUBJECT COMMAND``: measure something, and store the figures.

``python -m benchmarks render`` then writes the figures into the documents.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from benchmarks.options import WITH_HELP, failures
from benchmarks.page import DOCS, fill
from benchmarks.record import RESULTS, Results
from cli.shell.process import handle_signals

SUBJECTS: Final = {
    "certificates": "certificates",
    "deep": "deep.command",
    "engine": "engine.measure",
    "learning": "learning",
    "matches": "matches.measure",
    "order": "order.command",
    "scaling": "scaling",
    "web": "web",
}
"""The subjects of measurements, with the module whose group ``main`` has the commands."""
PAGES: Final = {
    "certificates": ("certificates", "certificates-log"),
    "engine": ("engine.pages", "performance-log"),
    "learning": ("learning", "learning-log"),
    "matches": ("matches.pages", "matches-log"),
    "scaling": ("scaling", "scaling"),
    "web": ("web", "web-log"),
}
"""The module whose function ``places`` makes the texts of a subject's page, and the page."""


class Subjects(click.Group):
    """Imports the commands of a subject when they are used, because some imports take seconds."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all subjects, and ``render``."""
        return sorted([*super().list_commands(ctx), *SUBJECTS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The commands of a subject, or ``render``."""
        if cmd_name not in SUBJECTS:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"benchmarks.{SUBJECTS[cmd_name]}")
        found: click.Command = module.main
        return found


@click.group(cls=Subjects, context_settings=WITH_HELP)
@click.option(
    "--results",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=RESULTS,
    help="Store the figures in this directory.  [default: benchmarks/results]",
)
@click.pass_context
def main(context: click.Context, directory: Path) -> None:
    """Measure C4, and write the figures into the documents."""
    context.obj = Results(directory)


@main.command()
@click.argument("names", metavar="[SUBJECT]...", nargs=-1, type=click.Choice(list(PAGES)))
@click.option(
    "--docs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=DOCS,
    help="The directory of the pages.  [default: docs]",
)
@click.pass_obj
def render(results: Results, *, names: tuple[str, ...], docs: Path) -> None:
    """Write the figures of these subjects into their pages; of all subjects by default."""
    for name in names or PAGES:
        module, page = PAGES[name]
        path = docs / f"{page}.md"
        renderer: Any = import_module(f"benchmarks.{module}")
        with failures(ValueError, OSError):
            parts = results.read(name)
            if not parts:
                raise ValueError(f"{name} was not measured yet: python -m benchmarks {name}")
            filled = fill(path.read_text(encoding="utf-8"), renderer.places(parts))
            path.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    handle_signals()  # only here: other callers of the command keep their own handlers
    main(prog_name="python -m benchmarks")
