"""The exit codes of ``c4``."""

from __future__ import annotations

from typing import Final

FINE: Final = 0
"""Everything was done, and nothing wrong was found."""
PROBLEMS: Final = 1
"""Something wrong was found, or something is left undone."""
USAGE: Final = 2
"""The command or its input cannot be understood; nothing was done."""
UNREACHABLE: Final = 3
"""A service, such as the database server, cannot be reached."""
INTERRUPTED: Final = 130
"""Ctrl-C. The code is 128 plus the signal's number, so 143 for SIGTERM and 129 for SIGHUP."""
CLOSED_PIPE: Final = 141
"""The reader of the output is gone, as with ``| head``: 128 plus the number of SIGPIPE."""

HELP: Final = (
    (FINE, "fine"),
    (PROBLEMS, "found problems, or left something undone"),
    (USAGE, "cannot understand the command or its input; nothing was done"),
    (UNREACHABLE, "cannot reach a service, such as the database server"),
    (INTERRUPTED, "interrupted (143 when terminated)"),
    (CLOSED_PIPE, "the reader of the output is gone"),
)
