"""The environment of a program that plays: what programs need to run, and no secrets.

The variables that are passed on are listed, not those that are left out: nobody can list all names
of passwords (``C4_DB``, ``PGPASSWORD``, ``AWS_SECRET_ACCESS_KEY``, ..). A description can set more
variables: ``exec:env NAME=VALUE PROGRAM``.
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
"""Variables that a program gets if this process has them."""

LOCALE: Final = "LC_"
"""Variables that begin with this are passed on, too."""


def program_environment() -> dict[str, str]:
    """The part of this process's environment that programs get."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith(LOCALE)
    }
