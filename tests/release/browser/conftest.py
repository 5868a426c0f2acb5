"""One browser for all tests of the page, and one server for each file of tests."""

from collections.abc import Iterator

import pytest

from tests.support.browser import DESKTOP, Browser, PageServer, open_browser
from tests.support.page import store_games_and_positions


@pytest.fixture(scope="session")
def one_browser() -> Iterator[Browser]:
    """The browser that all tests share one after another."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def page_server() -> Iterator[PageServer]:
    """A server with an empty database, for the tests of a file."""
    with PageServer() as server:
        yield server


@pytest.fixture(scope="module")
def stored(page_server: PageServer) -> PageServer:
    """The server with data for every view: a tournament of three players, and positions."""
    store_games_and_positions(page_server, games=20, positions=70)
    return page_server


@pytest.fixture
def browser(one_browser: Browser, page_server: PageServer) -> Iterator[Browser]:
    """The browser in the state of a first visit. The page's console must have no errors."""
    one_browser.resize(*DESKTOP)
    one_browser.prefer()
    one_browser.open("about:blank")
    one_browser.faults()
    one_browser.server = page_server
    yield one_browser
    # A server started by the test has ended; its page may have reported that.
    unexpected = [fault for fault in one_browser.faults() if page_server.url in fault]
    one_browser.driver.get(f"{page_server.url}/favicon.ico")
    one_browser.run("localStorage.clear(); sessionStorage.clear()")
    assert not unexpected
