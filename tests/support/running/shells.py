"""Shells in which ``c4`` is a program on the path, as after an installation."""

import os
import sys

from tests.support.running.command_line import C4

COMPLETION_SECONDS = 120
"""Only a shell that hangs takes longer."""


def with_c4_on_the_path(c4: C4) -> dict[str, str]:
    """Create ``c4`` in its directory; return the environment of a shell that finds it."""
    program = c4.directory / "bin" / "c4"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cli "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    return os.environ | c4.environment | {"PATH": path, "TERM": "dumb", "HOME": str(c4.directory)}
