"""The environment variables of C4, and the limits of the settings that several programs share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_THREADS: Final = 1024
MAX_TABLE_MB: Final = 1 << 30
DEFAULT_TABLE_MB: Final = 64
"""The default of most commands, and of a worker."""

VARIABLES: Final = (
    *("C4_DB", "C4_BROKER", "C4_THREADS", "C4_TABLE_MB"),
    *("C4_ALLOW_PROGRAMS", "C4_KERNEL", "C4_TRACE"),
    *("C4_WEB_HOSTS", "C4_WEB_THREADS", "C4_WEB_TOKEN"),  # some are compose.yaml's
)

LEAST_LIKENESS: Final = 0.7
"""An unknown variable this similar to a known one is a misspelling. Others may belong to somebody
else: Kubernetes sets C4_PORT beside a service with the name c4."""


def misspelled(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for every environment variable that looks like a misspelled one of C4."""
    unknown = {name for name in environment if name.startswith("C4_")}.difference(VARIABLES)
    if not unknown:
        return
    from difflib import get_close_matches  # noqa: PLC0415 (5 ms)

    for name in sorted(unknown):
        near = get_close_matches(name, VARIABLES, 1, LEAST_LIKENESS)
        if near:
            yield f"the environment variable {name} is unknown: is it meant to be {near[0]}?"


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
