"""The environment of a program that plays: what programs need to run, and nothing that is secret.

It is a list of what is passed on, not of what is left out: nobody can list all names under which
passwords are kept (``C4_DB``, ``PGPASSWORD``, ``AWS_SECRET_ACCESS_KEY``, ..). A program that needs
more is told so in its description: ``exec:env NAME=VALUE PROGRAM``.
"""

from __future__ import annotations

import os
from typing import Final

PASSED_ON: Final = frozenset(
    {
        "HOME",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "LOGNAME",
        "PATH",
        "PYTHONPATH",
        "SHELL",
        "TEMP",
        "TERM",
        "TMP",
        "TMPDIR",
        "TZ",
        "USER",
    }
)
"""Variables that a program gets, where this process has them."""

LOCALE: Final = "LC_"
"""So do those that begin like this."""


def program_environment() -> dict[str, str]:
    """This process's environment without what is not a program's business."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith(LOCALE)
    }
