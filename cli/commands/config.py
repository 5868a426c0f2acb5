"""``c4 config``: show the settings and their sources."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from cli.output.formats import Column, write_rows
from cli.shell.commands import Command
from cli.shell.settings import NO_BROKER, default_database
from db.urls import masked
from workers.configuration import DEFAULT_TABLE_MB, SETTINGS, line_of, usable_cores

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from workers.configuration import Configuration, Setting, Value


EXAMPLES = ("c4 config", "c4 config --json")


# Not configured: the colours of the file would look as if the environment had set them.
@click.command(cls=Command, broker=True, configured=False, examples=EXAMPLES)
@click.pass_context
def config(context: click.Context) -> None:
    """Show the settings in the configuration file.

    \b
    db        database: a file or a URL, as --db
    broker    broker: a URL or none, as --broker
    threads   threads that search, as --threads
    table-mb  size of the table in MB, as --table-mb
    color     colours on a terminal: auto, always or never

    Every setting is shown with its value and the source of the value. An option comes first, then
    the environment (C4_DB, C4_BROKER, C4_THREADS, C4_TABLE_MB, NO_COLOR, FORCE_COLOR), then the
    file, then the default. C4_CONFIG names another file. To change a setting, edit the file, whose
    path is shown on standard error.
    """  # noqa: D301 (click's mark for lines that are not wrapped)
    settings: Settings = context.obj
    given = {"db": settings.db, "broker": settings.broker}
    found = [
        Found(name, masked(str(given[name])), "option", f"--{name}")
        if _is_option(context, name)
        else _find(setting, settings.configuration)
        for name, setting in SETTINGS.items()
    ]
    columns = (
        Column("setting", 8, lambda row: row["setting"]),
        Column("value", max(len(str(one.value)) for one in found), lambda row: str(row["value"])),
        Column("from", 0, lambda row: " ".join(filter(None, (row["source"], row["place"])))),
    )
    rows = (one._asdict() for one in found)
    write_rows(rows, "json" if settings.json else "table", columns)
    settings.say(f"file {settings.configuration.path}")


def _is_option(context: click.Context, name: str) -> bool:
    places = (context, context.find_root())
    return any(place.get_parameter_source(name) is ParameterSource.COMMANDLINE for place in places)


class Found(NamedTuple):
    """A setting's value and its source."""

    setting: str
    value: Value
    source: str
    """The kind of source: ``option``, ``environment``, ``file`` or ``default``."""
    place: str | None = None
    """The option, the variable, or the file and line."""


def _find(setting: Setting, configuration: Configuration) -> Found:
    name = setting.name
    variable = next((name for name in setting.variables if os.environ.get(name)), None)
    if variable is not None:
        return Found(name, _shown(_of_variable(setting, variable)), "environment", variable)
    if name in configuration.values:
        line = line_of(name, configuration.text())
        place = str(configuration.path) if line is None else f"{configuration.path}, line {line}"
        return Found(name, _shown(configuration.values[name]), "file", place)
    defaults: dict[str, Value] = {
        "db": str(default_database(ensure=False)),
        "broker": NO_BROKER,
        "threads": usable_cores(),
        "table-mb": DEFAULT_TABLE_MB,
        "color": "auto",
    }
    return Found(name, defaults[name], "default")


def _of_variable(setting: Setting, variable: str) -> Value:
    if setting.name == "color":
        return "never" if variable == "NO_COLOR" else "always"
    try:
        return setting.read(os.environ[variable])
    except ValueError as error:
        raise click.UsageError(f"the environment variable {variable}: {error}") from None


def _shown(value: Value) -> Value:
    return masked(value) if isinstance(value, str) else value
