"""The web API in this process; tests that need a database have their own ``api``."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.support.web_api import Api, serving


@pytest.fixture(scope="module")
def bare() -> Iterator[Api]:
    """A server without a database, for all tests of a file."""
    with serving() as found:
        yield found


@pytest.fixture
def api(bare: Api) -> Api:
    """The server under test."""
    return bare


@pytest.fixture
def client(api: Api) -> TestClient:
    """A client of that server, for requests that :class:`Api` does not offer."""
    return api.client
