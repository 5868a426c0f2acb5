"""What calls are refused with. The words go into snapshots: they change more than the reasons."""

from collections.abc import Callable
from typing import Any

import pytest


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
