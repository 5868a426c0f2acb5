"""What a test needs and this machine lacks."""

import os
from typing import NoReturn

import pytest


def leave_out(reason: str) -> NoReturn:
    """Skip the test; in CI, which installs what all tests need, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
