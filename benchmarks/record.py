"""Figures in JSON files, with the day, the machine and the command."""

from __future__ import annotations

import datetime as dt
import json
import platform
import re
import shlex
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

from c4core.version import ENGINE_VERSION, __version__
from cli.bench.command import processor
from cli.shell.parameters import usable_cores
from db.masking import masked

if TYPE_CHECKING:
    from pathlib import Path


def today() -> str:
    """The day, ISO 8601."""
    return dt.datetime.now(dt.UTC).date().isoformat()


def this_machine() -> dict[str, str | int]:
    """Processor, cores and system: figures depend on them."""
    return {
        "processor": processor(),
        "cores": usable_cores(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def this_processor() -> str:
    """The processor's name."""
    return str(this_machine()["processor"])


def these_versions() -> dict[str, str]:
    """Versions of the engine and of the Python that calls it."""
    return {
        "C4": f"{__version__} (engine {ENGINE_VERSION})",
        "Python": platform.python_version(),
    }


def version_of(distribution: str) -> str:
    """The version of an installed package."""
    return metadata.version(distribution)


def this_command(module: str) -> str:
    """This process's command line, for publication: without passwords and directories.

    Args:
        module: the module that was run by ``python -m``.
    """
    arguments = map(masked, sys.argv[1:])
    return without_directories(shlex.join(["python", "-m", module, *arguments]))


def without_directories(command: str) -> str:
    """A command line for publication, with only the last part of absolute paths."""
    return re.sub(r"(?<![^\s='\"])/(?:[^/\s]+/)+", "", command)


def write_json(path: Path, entries: Any) -> None:  # noqa: ANN401 (JSON)
    """Write a file of figures, and its directories if they are missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


def read_json(path: Path, *, what: str, form: int) -> dict[str, Any]:
    """Read a file of figures and check its format.

    Args:
        path: the file.
        what: the expected content, for the error.
        form: the expected number of the format.

    Raises:
        ValueError: the file has another format.
    """
    entries = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(entries, dict) or entries.get("format") != form:
        raise ValueError(f"{path}: no {what} in format {form}")
    return entries
