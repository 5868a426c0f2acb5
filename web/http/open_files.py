"""How many files and connections the process may have open at once.

Many systems give a process 1,024 unless it asks for more. A server whose number is used up cannot
take a connection, nor open its database's file.
"""

from __future__ import annotations

import resource
from typing import Final

OTHERS: Final = 256
"""Files of the database, of books, of jobs."""


def room_for_connections(wanted: int) -> int:
    """Raise the process's limit as far as that is allowed.

    Args:
        wanted: connections at a time.

    Returns:
        As many of them as there is room for.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + OTHERS
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    except (OSError, ValueError):  # macOS has a limit that it does not tell
        needed = soft
    return max(1, min(wanted, max(soft, needed) - OTHERS))
