"""Where the value of each setting comes from: an option, the environment, the file, a default."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from cli.shell import settings as shared
from cli.shell.settings import NO_BROKER
from db.masking import masked
from workers.configuration import DEFAULT_TABLE_MB, SETTINGS, line_of
from workers.cores import usable_cores

if TYPE_CHECKING:
    from cli.shell.settings import Settings
    from workers.configuration import Configuration, Setting, Value


class Found(NamedTuple):
    """The value of a setting."""

    name: str
    value: Value
    """A password in it is masked."""
    source: str
    """``option``, ``environment``, ``file`` or ``default``."""
    place: str
    """The option, the variable, or the file and its line; empty for a default."""


def find_all(settings: Settings, program: click.Context) -> list[Found]:
    """Every setting, in the order of :data:`SETTINGS`.

    Args:
        settings: what options, variables and the file say.
        program: the context of ``c4``, which knows what was an option.

    Raises:
        ConfigurationError: the file cannot be read or understood.
        click.UsageError: a variable of the environment has an impossible value.
    """
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
    """The variable of the environment that sets something; an empty one counts as none."""
    return next((variable for variable in setting.variables if os.environ.get(variable)), None)


def _of_variable(setting: Setting, variable: str) -> Value:
    if setting.name == "color":
        return "never" if variable == "NO_COLOR" else "always"
    try:
        return setting.read(os.environ[variable])
    except ValueError as error:
        raise click.UsageError(f"the environment variable {variable}: {error}") from None


def _shown(value: Value) -> Value:
    return masked(value) if isinstance(value, str) else value


def _default(name: str) -> Value:
    defaults: dict[str, Value] = {
        "db": str(shared.default_database(ensure=False)),
        "broker": NO_BROKER,
        "threads": usable_cores(),
        "table-mb": DEFAULT_TABLE_MB,
        "color": "auto",
    }
    return defaults[name]
