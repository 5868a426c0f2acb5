"""``python -m benchmarks SUBJECT COMMAND``: measure something, and store the figures.

``python -m benchmarks render`` then writes the figures into the documents.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from benchmarks.options import WITH_HELP, failures
from benchmarks.page import DOCS, fill_file
from benchmarks.record import RESULTS, Results
from cli.shell.process import handle_signals

if TYPE_CHECKING:
    from types import ModuleType


class Subject(NamedTuple):
    """A subject of measurements, with its modules and its page."""

    measure: str
    """The module whose group ``main`` has the commands."""
    render: str = ""
    """The module whose function ``places`` makes the texts of the page."""
    page: str = ""
    """The name of the page; a subject without a page only prints its figures."""

    def renderer(self) -> ModuleType:
        """Import the rendering module."""
        return import_module(f"benchmarks.{self.render}")


SUBJECTS: Final = {
    "anytime": Subject("anytime"),
    "books": Subject("books"),
    "certificates": Subject("certificates", "certificates", "certificates-log"),
    "deep": Subject("deep.command"),
    "engine": Subject("engine.measure", "engine.pages", "performance"),
    "guesses": Subject("guesses", "guesses", "boards"),
    "learning": Subject("learning", "learning", "learning-log"),
    "matches": Subject("matches.measure", "matches.pages", "matches-log"),
    "order": Subject("order.command"),
    "scaling": Subject("scaling", "scaling", "scaling"),
    "web": Subject("web.measure", "web.measure", "web-log"),
}
PAGES: Final = [name for name, subject in SUBJECTS.items() if subject.page]


class Subjects(click.Group):
    """Imports the commands of a subject when they are used, because some imports take seconds."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all subjects, and ``render``."""
        return sorted([*super().list_commands(ctx), *SUBJECTS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The commands of a subject, or ``render``."""
        if cmd_name not in SUBJECTS:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"benchmarks.{SUBJECTS[cmd_name].measure}")
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
@click.argument("names", metavar="[SUBJECT]...", nargs=-1, type=click.Choice(PAGES))
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
        renderer: Any = SUBJECTS[name].renderer()
        with failures(ValueError, OSError):
            parts = results.read(name)
            if not parts:
                raise ValueError(f"{name} was not measured yet: python -m benchmarks {name}")
            fill_file(docs / f"{SUBJECTS[name].page}.md", renderer.places(parts))


if __name__ == "__main__":
    handle_signals()  # only here: other callers of the command keep their own handlers
    main(prog_name="python -m benchmarks")
