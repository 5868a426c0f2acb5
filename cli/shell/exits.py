"""The exit codes of ``c4``."""

from __future__ import annotations

from typing import Final

FINE: Final = 0
"""Everything was done and nothing was found wrong."""
PROBLEMS: Final = 1
"""Something was found wrong, or something is left undone."""
USAGE: Final = 2
"""The command or its input cannot be understood; nothing was done."""
UNREACHABLE: Final = 3
"""A service, such as the database server, cannot be reached."""
INTERRUPTED: Final = 130
"""Ctrl-C; 143 after a SIGTERM, 129 after a hang-up: 128 and the signal's number."""
CLOSED_PIPE: Final = 141
"""The reader of the output went away, as in ``| head``: 128 and the number of SIGPIPE."""

HELP: Final = (
    (FINE, "fine"),
    (PROBLEMS, "found problems, or something is left undone"),
    (USAGE, "the command or its input makes no sense; nothing was done"),
    (UNREACHABLE, "a service cannot be reached"),
    (INTERRUPTED, "interrupted (143 when terminated)"),
    (CLOSED_PIPE, "the reader of the output went away"),
)
"""What ``c4 --help`` says about them."""
