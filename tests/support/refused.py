"""Error messages for snapshots; the wording changes more often than the reasons."""

import re
from collections.abc import Callable
from typing import Any

import pytest

_OF_PYTHON = re.compile(
    r": (Expecting|Extra data|Unterminated|maximum recursion|Stack overflow|Exceeds the limit).*"
)


def refused(
    call: Callable[..., object],
    *arguments: Any,  # noqa: ANN401
    error: type[Exception] = ValueError,
    **options: Any,  # noqa: ANN401
) -> str:
    """The message of the error that a call raises."""
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    return str(caught.value)


def own_words(text: str) -> str:
    """The message without Python's own text about JSON, which differs between versions."""
    return _OF_PYTHON.sub("", text)
