"""Places on a page of the documents that a program fills."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def fill(page: str, texts: Mapping[str, str]) -> str:
    """The page with its places filled: what stands between ``begin NAME`` and ``end NAME``.

    Args:
        page: the document; a place is a pair of HTML comments on lines of their own.
        texts: for every place of the page its new content, by name.

    Raises:
        ValueError: a place is missing, or has a name that is not known.
    """
    filled = set()

    def replace(match: re.Match[str]) -> str:
        name = match[1]
        if name not in texts:
            raise ValueError(f"the page has a place for {name!r}, which is not known")
        filled.add(name)
        return f"<!-- begin {name} -->\n{texts[name]}\n<!-- end {name} -->"

    page = re.sub(r"<!-- begin (\w+) -->\n.*?<!-- end \1 -->", replace, page, flags=re.DOTALL)
    if missing := [name for name in texts if name not in filled]:
        raise ValueError(f"the page has no place for {', '.join(missing)}")
    return page
