"""Changing the configuration file, line by line, so that comments and order stay."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from c4core.files import atomic_file
from workers.configuration import parse
from workers.errors import ConfigurationError

if TYPE_CHECKING:
    from workers.configuration import Configuration, Value

_VALUE = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#"']+)"""


def change(configuration: Configuration, name: str, value: Value | None) -> None:
    """Set something in the file, which is made if it is not there, or remove it.

    Args:
        configuration: says where the file is.
        name: of the setting.
        value: the new value; None to remove the line.

    Raises:
        ConfigurationError: the file cannot be read or understood, or its line for this setting is
            written in a way that can only be edited by hand. Nothing is changed then.
        OSError: the file cannot be written.
    """
    path = Path(os.path.realpath(configuration.path))
    if path.exists() and not path.is_file():  # a device must not become a file
        raise configuration.fault("no ordinary file")
    text = configuration.text() if configuration.path.exists() else ""
    wanted = parse(text, configuration.path)
    if value is None:
        wanted.pop(name, None)
    else:
        wanted[name] = value
    new = _changed(text, name, value)
    if not _says(new, wanted, configuration.path):
        raise configuration.fault(f"{name} has to be edited by hand")
    _write(path, new)


def _says(text: str, wanted: dict[str, Value], path: Path) -> bool:
    try:
        return parse(text, path) == wanted
    except ConfigurationError:
        return False


def _changed(text: str, name: str, value: Value | None) -> str:
    line = re.compile(
        rf"^([ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*=[ \t]*){_VALUE}([ \t]*(?:#.*)?\r?\n?)$",
        re.MULTILINE,
    )
    if value is None:
        return line.sub("", text, count=1)
    written = _toml(value)
    changed, found = line.subn(lambda old: f"{old[1]}{written}{old[2]}", text, count=1)
    if found:
        return changed
    break_ = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{break_}{name} = {written}\n"


def _toml(value: Value) -> str:
    """A value in TOML, whose texts are JSON's but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", r"\u007f")


def _write(path: Path, text: str) -> None:
    """Replace the file. A new one is for its owner's eyes only: URLs have passwords in them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with atomic_file(path) as beside:
        if is_new:
            beside.chmod(0o600)
        beside.write_bytes(text.encode())
