"""What calls are refused with. The words go into snapshots: they change more than the reasons."""

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
    """A message without what Python itself says of JSON, which differs between its versions."""
    return _OF_PYTHON.sub("", text)
