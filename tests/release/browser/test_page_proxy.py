"""The page behind a real nginx, under a path of its own."""

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser, PageServer
from tests.support.lacking import leave_out
from tests.support.page import await_answer, await_stones, columns
from tests.support.running.nginx import Nginx


@pytest.fixture(scope="module")
def page_server() -> Iterator[PageServer]:
    options = ("--token=t", "--allow-host=c4.example", "--trust-proxy=127.0.0.1")
    with PageServer(*options) as server:
        yield server


@pytest.fixture
def proxied(browser: Browser, page_server: PageServer) -> Iterator[str]:
    """The address of the page behind the proxy; the browser's console must have no errors."""
    if Nginx.program() is None:
        leave_out("nginx is not installed")
    with Nginx(page_server, "/c4/") as nginx:
        yield f"{nginx.url}/c4/"
        assert not [fault for fault in browser.faults() if nginx.url in fault]
        browser.driver.get(f"{nginx.url}/c4/favicon.ico")
        browser.run("localStorage.clear(); sessionStorage.clear()")


def test_every_view_works_under_a_path(browser: Browser, proxied: str) -> None:
    browser.open(f"{proxied}?pos=44")
    await_answer(browser)
    browser.click("#columns [data-column='5']")
    await_stones(browser, 3)
    assert browser.driver.current_url == f"{proxied}?pos=445&board=7x6"
    browser.until(lambda: columns(browser).get(3) == 2, "no scores")
    browser.press("s")
    browser.type("#setup-moves", "4453")
    browser.click("#setup-apply")
    await_stones(browser, 4)
    browser.click("#tabs a[data-view='explore']")
    browser.one(".book")
    browser.click("a[href$='show=positions']")
    assert browser.driver.current_url.startswith(f"{proxied}explore?show=positions")
    browser.driver.refresh()
    browser.one("#explore table, #explore .quiet")
    for view, shown in {"puzzles": "#puzzle-question[data-side]", "work": "[data-drop]"}.items():
        browser.click(f"#tabs a[data-view='{view}']")
        browser.one(shown)
        assert browser.driver.current_url.startswith(f"{proxied}{view}")
    browser.driver.back()
    browser.one("#puzzle-question")
