"""``c4 config``: show and change the settings in the configuration file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from cli.shell import settings as shared
from cli.shell.commands import Command, LazyGroup, refuse
from cli.shell.process import echo
from cli.shell.settings import NO_BROKER
from workers.configuration import DEFAULT_TABLE_MB, SETTINGS, line_of, parse

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from workers.configuration import Configuration, Setting, Value

EXAMPLES = (
    "c4 config --show",
    "c4 config set threads 2",
    "c4 config set db postgresql://c4@dbhost/c4",
    "c4 config unset threads",
)

name_argument = click.argument("name", metavar="SETTING", type=click.Choice(list(SETTINGS)))


@click.group(
    cls=LazyGroup,
    lazy={
        "set": "cli.commands.config:set_",
        "unset": "cli.commands.config:unset",
        "path": "cli.commands.config:path",
    },
    invoke_without_command=True,
    no_args_is_help=True,
    examples=EXAMPLES,
)
@click.option(
    "--show", is_flag=True, help="Show every setting, its value, and the source of the value."
)
@shared.json_option
@click.pass_context
def config(context: click.Context, *, show: bool) -> None:
    """Show and change the settings in the configuration file.

    \b
    db        database: a file or a URL, as --db
    broker    broker: a URL or none, as --broker
    threads   threads that search, as --threads
    table-mb  size of the table in MB, as --table-mb
    color     colours on a terminal: auto, always or never

    An option comes first, then the environment (C4_DB, C4_BROKER, C4_THREADS, C4_TABLE_MB,
    NO_COLOR, FORCE_COLOR), then the file, then the default. C4_CONFIG names another file.
    """  # noqa: D301 (click's mark for lines that are not wrapped)
    is_alone = context.invoked_subcommand is None
    refuse(
        context,
        (show and not is_alone, "--show cannot be used with a command"),
        (is_alone and not show, "Give a command, or --show."),
    )
    if show:
        _show(context)


def _show(context: click.Context) -> None:
    from cli.output.formats import Column, write_rows

    settings = shared.settings_of(context)
    found = find_all(settings, context.find_root())
    rows: list[dict[str, Any]] = [
        {"setting": one.name, "value": one.value, "source": one.source, "place": one.place or None}
        for one in found
    ]
    columns = (
        Column("setting", 8, lambda row: row["setting"]),
        Column("value", max(5, *(len(str(one.value)) for one in found)), _value),
        Column("from", 0, lambda row: " ".join(filter(None, (row["source"], row["place"])))),
    )
    write_rows(rows, "json" if settings.json else "table", columns)


def _value(row: dict[str, Any]) -> str:
    return str(row["value"])


@click.command(
    "set",
    cls=Command,
    database=False,
    json=False,
    configured=False,
    examples=["c4 config set table-mb 256", "c4 config set broker redis://queue"],
)
@name_argument
@click.argument("value")
@click.pass_context
def set_(context: click.Context, *, name: str, value: str) -> None:
    """Change a setting in the file, which is created if missing.

    Only you can read a new file, because a URL may contain a password. Comments are kept.
    """
    settings: Settings = context.obj
    change_file(settings.configuration, name, _read(name, value))
    variable = set_by(SETTINGS[name])
    if variable is not None:
        settings.say(f"{variable} is also set, and overrides the file")


def _read(name: str, text: str) -> Value:
    from c4core.errors import C4Error
    from db.urls import parse_url
    from workers.celery.broker import check_url

    try:
        value = SETTINGS[name].read(text.encode(errors="surrogateescape").decode())
    except UnicodeDecodeError:
        raise click.BadParameter("it is not UTF-8", param_hint="'VALUE'") from None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'VALUE'") from None
    try:
        if name == "broker" and text.lower() != shared.NO_BROKER:
            check_url(text)
        if name == "db":
            parse_url(text)
    except C4Error as error:
        raise click.BadParameter(str(error), param_hint="'VALUE'") from None
    is_path = name == "db" and "://" not in text
    return os.path.abspath(os.path.expanduser(text)) if is_path else value  # noqa: PTH100, PTH111


@click.command(
    cls=Command,
    database=False,
    json=False,
    configured=False,
    examples=["c4 config unset threads"],
)
@name_argument
@click.pass_context
def unset(context: click.Context, *, name: str) -> None:
    """Remove a setting from the file: its default is used again."""
    settings: Settings = context.obj
    configuration = settings.configuration
    if not configuration.path.exists() or name not in configuration.values:
        raise click.ClickException(f"{configuration.path} does not set {name}")
    change_file(configuration, name, None)


@click.command(
    cls=Command,
    database=False,
    json=False,
    configured=False,
    examples=["c4 config path", 'cat "$(c4 config path)"'],
)
@click.pass_obj
def path(settings: Settings) -> None:
    """Show the path of the file, even if it does not exist."""
    echo(str(settings.configuration.path))


class Found(NamedTuple):
    """A setting's value and its source."""

    name: str
    value: Value
    source: str
    """The kind of source: ``option``, ``environment``, ``file`` or ``default``."""
    place: str
    """The option, the variable, or the file and line; empty for a default."""


def find_all(settings: Settings, program: click.Context) -> list[Found]:
    """Every setting, in the order of :data:`SETTINGS`."""
    from db.urls import masked

    options = {
        name: value
        for name, value in (("db", settings.db), ("broker", settings.broker))
        if value and program.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    return [
        Found(name, masked(options[name]), "option", f"--{name}")
        if name in options
        else _find(setting, settings.configuration)
        for name, setting in SETTINGS.items()
    ]


def _find(setting: Setting, configuration: Configuration) -> Found:
    variable = set_by(setting)
    if variable is not None:
        value = _of_variable(setting, variable)
        return Found(setting.name, _shown(value), "environment", variable)
    if setting.name in configuration.values:
        line = line_of(setting.name, configuration.text())
        place = str(configuration.path) if line is None else f"{configuration.path}, line {line}"
        return Found(setting.name, _shown(configuration.values[setting.name]), "file", place)
    return Found(setting.name, _default(setting.name), "default", "")


def set_by(setting: Setting) -> str | None:
    """The environment variable with a value for a setting; an empty one counts as unset."""
    return next((variable for variable in setting.variables if os.environ.get(variable)), None)


def _of_variable(setting: Setting, variable: str) -> Value:
    if setting.name == "color":
        return "never" if variable == "NO_COLOR" else "always"
    try:
        return setting.read(os.environ[variable])
    except ValueError as error:
        raise click.UsageError(f"the environment variable {variable}: {error}") from None


def _shown(value: Value) -> Value:
    from db.urls import masked

    return masked(value) if isinstance(value, str) else value


def _default(name: str) -> Value:
    from workers.configuration import usable_cores

    defaults: dict[str, Value] = {
        "db": str(shared.default_database(ensure=False)),
        "broker": NO_BROKER,
        "threads": usable_cores(),
        "table-mb": DEFAULT_TABLE_MB,
        "color": "auto",
    }
    return defaults[name]


def change_file(configuration: Configuration, name: str, value: Value | None) -> None:
    """Change a setting in the file, or remove it if the value is None.

    A missing file is created. Comments, blanks and the order of lines are kept. If the file cannot
    be read or parsed (ConfigurationError), it is not changed.
    """
    import tomlkit

    path = Path(os.path.realpath(configuration.path))
    if path.exists() and not path.is_file():  # a device must not become a file
        raise configuration.fault("not a regular file")
    text = configuration.text() if configuration.path.exists() else ""
    parse(text, configuration.path)
    try:
        document = tomlkit.parse(text)
    except ValueError as error:
        raise configuration.fault(f"not TOML: {error}") from None
    if value is None:
        document.remove(name)
    else:
        document[name] = value
    _replace_file(path, tomlkit.dumps(document))


def _replace_file(path: Path, text: str) -> None:
    """Replace the file. Only its owner can read a new one: URLs contain passwords."""
    from c4core.files import atomic_file

    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with atomic_file(path) as beside:
        if is_new:
            beside.chmod(0o600)
        beside.write_bytes(text.encode())
