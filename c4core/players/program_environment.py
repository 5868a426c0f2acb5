"""The environment of a program that plays: the variables that programs need, and no secrets.

This is a list of the variables to pass on, and not of those to leave out, because nobody can list
all names of secrets (``C4_DB``, ``PGPASSWORD``, ``AWS_SECRET_ACCESS_KEY``, ..). A description can
set more variables: ``exec:env NAME=VALUE PROGRAM``.
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
"""Variables that are passed on if this process has them."""

LOCALE: Final = "LC_"
"""Variables with this prefix are passed on, too."""


def program_environment() -> dict[str, str]:
    """The part of this process's environment that is passed on to programs."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith(LOCALE)
    }
