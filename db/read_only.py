"""Opening SQLite databases that cannot be written.

To read a database in WAL mode, SQLite makes two files beside it. Where it may not, there are two
cases:

- There is no ``-wal`` file, or an empty one: everything is in the database's own file. It is
  opened as ``immutable``, without other files and without locks. Nobody may write to it
  meanwhile.
- There is a ``-wal`` file: it holds the latest transactions. SQLite can read them only if the
  ``-shm`` file was left as well.

A transaction that another program has left unfinished in a ``-journal`` file must be rolled back
before the database can be read, so SQLite refuses the database.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from db.side_files import has_hot_journal, has_wal

if TYPE_CHECKING:
    from sqlalchemy import URL

MODE: Final = "mode"
READ_ONLY: Final = "ro"
_IMMUTABLE: Final = "immutable"


def as_possible(url: URL) -> URL:
    """The URL of an SQLite file, with the options that are needed to open it.

    Args:
        url: of any database; URLs of other databases stay as they are.
    """
    if url.get_backend_name() != "sqlite" or url.database is None:
        return url
    path = Path(os.path.realpath(url.database))
    if not path.exists() or os.access(path.parent, os.W_OK):
        return url
    url = url.update_query_dict({MODE: READ_ONLY})
    if has_wal(path) or has_hot_journal(path):
        return url
    return url.update_query_dict({_IMMUTABLE: "1"})


def is_read_only(url: URL) -> bool:
    """Whether a database is only read: by the URL, or because it cannot be written."""
    return url.get_backend_name() == "sqlite" and MODE in url.query


def file_uri(url: URL) -> str:
    """SQLite's URI of a file, with these options."""
    options = "&".join(f"{name}={value}" for name, value in sorted(url.query.items()))
    return f"file:{quote(os.path.abspath(url.database or ''))}?{options}"  # noqa: PTH100 (as typed)
