"""The configuration file: one user's settings, in TOML.

An option takes precedence over the environment, the environment over this file, and the file over
the default. ``C4_CONFIG`` names the file; the default is ``config.toml`` in the user's directory
for configurations, if it exists. It is data: only the settings below are read, and none of them
starts a program.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workers.errors import ConfigurationError

VARIABLE: Final = "C4_CONFIG"
"""The environment variable that names the file."""

MAX_BYTES: Final = 1 << 16
"""Maximum size of the file: five settings never need more."""

Value = str | int

MAX_THREADS: Final = 1024
MAX_TABLE_MB: Final = 1 << 30
DEFAULT_TABLE_MB: Final = 64
"""The default of most commands, and of a worker."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    name: str
    """The name in the file; an option has the same name with two dashes before it."""
    variables: tuple[str, ...]
    """The environment variables for the same setting; the first one that is set counts."""
    most: int | None = None
    """The maximum of a whole number, which is at least 1; None for a text."""
    words: tuple[str, ...] = ()
    """The allowed values of a text; empty for any."""

    def check(self, value: object) -> Value:
        """Return the value if it is valid; the message of the ValueError lists valid ones."""
        if self.most is not None:
            if type(value) is int and 1 <= value <= self.most:
                return value
            raise ValueError(f"{self.name} is a whole number from 1 to {self.most:,}")
        if self.words:
            if value in self.words:
                return str(value)
            raise ValueError(f"{self.name} must be one of {', '.join(self.words)}")
        if isinstance(value, str) and value:
            return value
        raise ValueError(f"{self.name} is a text that is not empty")

    def read(self, text: str) -> Value:
        """Convert a text from the command line or the environment; errors as in `check`."""
        is_number = self.most is not None and re.fullmatch("[0-9]{1,12}", text, re.ASCII)
        return self.check(int(text) if is_number else text)


SETTINGS: Final = {
    setting.name: setting
    for setting in (
        Setting("db", ("C4_DB",)),
        Setting("broker", ("C4_BROKER",)),
        Setting("threads", ("C4_THREADS",), most=MAX_THREADS),
        Setting("table-mb", ("C4_TABLE_MB",), most=MAX_TABLE_MB),
        Setting("color", ("NO_COLOR", "FORCE_COLOR"), words=("auto", "always", "never")),
    )
}


OTHER_VARIABLES: Final = (
    *(VARIABLE, "C4_ALLOW_PROGRAMS", "C4_KERNEL", "C4_TRACE"),
    *("C4_WEB_HOSTS", "C4_WEB_THREADS", "C4_WEB_TOKEN", "C4_WORKERS"),  # some are compose.yaml's
)
"""The environment variables that are not settings of the file."""

LEAST_LIKENESS: Final = 0.7
"""An unknown variable this similar to a known one is a misspelling. Others may belong to somebody
else: Kubernetes sets C4_PORT beside a service with the name c4."""


def misspelled(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for every environment variable that looks like a misspelled one of C4."""
    from difflib import get_close_matches  # noqa: PLC0415 (5 ms)

    known = {*OTHER_VARIABLES, *(name for one in SETTINGS.values() for name in one.variables)}
    for name in sorted(name for name in environment if name.startswith("C4_")):
        if name not in known and (near := get_close_matches(name, known, 1, LEAST_LIKENESS)):
            yield f"the environment variable {name} is unknown: is it meant to be {near[0]}?"


@dataclass(frozen=True)
class Configuration:
    """The file, which is read when a value is first needed."""

    named: str | None = field(default_factory=lambda: os.environ.get(VARIABLE) or None)
    """The file that :data:`VARIABLE` names, which must exist; None for the user's own."""

    @cached_property
    def path(self) -> Path:
        """The path of the file, even if it does not exist."""
        if self.named is not None:
            return Path(self.named).expanduser()
        from platformdirs import user_config_path  # noqa: PLC0415 (10 ms)

        return user_config_path("c4") / "config.toml"

    @cached_property
    def values(self) -> dict[str, Value]:
        """The values that the file sets, by the settings' names.

        Raise ConfigurationError if the file was named but is missing, or cannot be understood.
        """
        if self.named is None and not self.path.exists():
            return {}
        return parse(self.text(), self.path)

    def text(self) -> str:
        """Read the file's text; raise ConfigurationError if that is impossible."""
        try:
            # A pipe would block the program. The null device stands for "no file".
            if not self.path.is_file() and self.path != Path(os.devnull):
                reason = "not a regular file" if self.path.exists() else "no such file"
                raise self.fault(reason)
            with self.path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise self.fault(error.strerror or str(error)) from None
        if len(data) > MAX_BYTES:
            raise self.fault(f"longer than {MAX_BYTES:,} bytes")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self.fault(f"line {line} is not UTF-8") from None

    def fault(self, reason: str) -> ConfigurationError:
        """Make an error about the complete file."""
        of = f" (named by {VARIABLE})" if self.named is not None else ""
        return _error(f"{self.path}{of}: {reason}", self.path)


def parse(text: str, path: Path) -> dict[str, Value]:
    """Parse the settings in a text of TOML; messages name the path."""
    import tomllib  # noqa: PLC0415 (needed only if there is a file)

    def fault(reason: str, name: str | None = None) -> ConfigurationError:
        line = None if name is None else line_of(name, text)
        where = str(path) if line is None else f"{path}, line {line}"
        return _error(f"{where}: {reason}", path, name)

    try:
        found = tomllib.loads(text.replace("\r\n", "\n"))
    except RecursionError:
        raise fault("not TOML: nested too deeply") from None
    except ValueError as error:
        raise fault(f"not TOML: {error}") from None
    values = {}
    for name, value in found.items():
        if name not in SETTINGS:
            raise fault(f"unknown setting {name[:40]!r}; use {', '.join(SETTINGS)}", name)
        try:
            values[name] = SETTINGS[name].check(value)
        except ValueError as error:
            raise fault(str(error), name) from None
    return values


def _error(message: str, path: Path, setting: str | None = None) -> ConfigurationError:
    from workers.errors import ConfigurationError  # noqa: PLC0415 (it imports the engine)

    return ConfigurationError(message, path=str(path), setting=setting)


def line_of(name: str, text: str) -> int | None:
    """Return the number of the line, from 1, that sets a name; None if it is not found."""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*\[*\s*[\"']?{re.escape(name)}[\"']?\s*[=.\]]", line):
            return number
    return None


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
