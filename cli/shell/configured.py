"""What the configuration file says, as defaults of options and as colours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from workers.configuration import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import click

    from workers.configuration import Configuration, Value

_BY_VARIABLE: Final = {
    variable: setting.name for setting in SETTINGS.values() for variable in setting.variables
}

_COLOUR_VARIABLES: Final = {"never": "NO_COLOR", "always": "FORCE_COLOR"}


class Defaults(Mapping[str, "Value"]):
    """A ``default_map`` for click. The file is read when a value is looked up, not before.

    Args:
        configuration: has the values.
        parameters: of the command; the ones that a setting's variable sets are set by the file too.
    """

    def __init__(self, configuration: Configuration, parameters: Iterable[click.Parameter]) -> None:
        self._configuration = configuration
        self._settings = {
            str(parameter.name): _BY_VARIABLE[parameter.envvar]
            for parameter in parameters
            if isinstance(parameter.envvar, str) and parameter.envvar in _BY_VARIABLE
        }

    def __getitem__(self, name: str) -> Value:
        """The value of an option, by the name of its parameter."""
        setting = self._settings[name]  # before the file is read
        return self._configuration.values[setting]

    def __iter__(self) -> Iterator[str]:
        """The options that have a value."""
        return (name for name in self._settings if name in self)

    def __len__(self) -> int:
        """The number of these."""
        return sum(1 for _ in self)


def set_colours(configuration: Configuration) -> None:
    """Have the libraries that draw do what the file says of colours.

    They all read the environment, which goes first if it says anything.
    """
    if any(os.environ.get(variable) for variable in _COLOUR_VARIABLES.values()):
        return
    variable = _COLOUR_VARIABLES.get(str(configuration.values.get("color")))
    if variable is not None:
        os.environ[variable] = "1"
