"""The page with the keyboard only, on a phone, and without its server, in a real browser."""

import pytest

from tests.support.browser import PHONE, Browser, PageServer
from tests.support.page import (
    await_answer,
    columns,
    moves_on_board,
    open_analysis,
    overflow,
    small_targets,
    state,
    stones,
    store_games_and_positions,
)

TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"
FINGER = (44, 44)
"""Pixels that a fingertip needs, horizontally and vertically."""

TOUCHED = {
    "/?pos=4453": "#line .chip",
    "/?view=play": "#play-start",
    "/?match=1&number=0": "#mistakes button",
    "/explore": ".book-tree table",
    "/explore?show=positions": "[data-explore] tbody a",
    "/explore?show=game&match=1&number=0": "#replay-graph",
    "/explore?show=matches": "[data-explore] tbody a",
    "/explore?show=match&match=1": "figure svg.plot",
    "/work": "[data-job]",
}
"""Pages with all controls, and the elements that exist when a page is ready."""


@pytest.fixture(scope="module")
def stored(page_server: PageServer) -> PageServer:
    """A server with data for every view."""
    store_games_and_positions(page_server, games=2, positions=10)
    return page_server


def focused(browser: Browser) -> str:
    """The name of the focused element."""
    found: str = browser.run(
        "const one = document.activeElement;"
        "return one.getAttribute('aria-label') || one.textContent.trim() || one.id"
    )
    return found


def test_a_browser_may_forbid_storage(browser: Browser) -> None:
    forbidden = (
        "Object.defineProperty(window, area, {get() { throw new DOMException('forbidden'); }});"
    )
    source = f"for (const area of ['localStorage', 'sessionStorage']) {forbidden}"
    added = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": source}
    )
    try:
        open_analysis(browser, pos="44")
        browser.click("#tabs a[data-view='work']")
        browser.one("[data-drop]")
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


class TestKeyboard:
    def test_tab_reaches_columns_and_enter_plays(self, browser: Browser) -> None:
        open_analysis(browser)
        for _ in range(40):
            browser.press(TAB)
            if focused(browser).startswith("Column 4, score"):
                break
        assert focused(browser) == "Column 4, score +1, wins in 41 moves, best"
        browser.press(ENTER)
        browser.until(lambda: moves_on_board(browser) == "4", "enter plays nothing")

    def test_the_focus_is_visible(self, browser: Browser) -> None:
        open_analysis(browser)
        for _ in range(12):
            browser.press(TAB)
            style = browser.run(
                "const style = getComputedStyle(document.activeElement);"
                "return [style.outlineStyle, style.outlineWidth, style.boxShadow, style.stroke]"
            )
            has_outline = style[0] != "none" and style[1] != "0px"
            assert has_outline or style[2] != "none" or style[3] != "none", focused(browser)

    def test_help_opens_and_escape_closes_it(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.press("?")
        browser.one("#help[open]")
        browser.press(ESCAPE)
        browser.until(lambda: not browser.all("#help[open]"), "it stays open")

    def test_the_end_of_the_help_is_visible(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.press("?")
        box = browser.one("#help-close").rect
        dialog = browser.one("#help").rect
        assert box["y"] + box["height"] < dialog["y"] + dialog["height"]

    def test_positions_can_be_set_up_with_keys_only(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.press("s")
        browser.one("#setup[open]")
        browser.press("4453", ENTER)
        browser.until(lambda: moves_on_board(browser) == "4453", "it is not set up")


def test_buttons_with_a_picture_have_a_tooltip(browser: Browser) -> None:
    open_analysis(browser)
    assert browser.one("#undo").get_attribute("title") == "Undo (u)"
    script = """
        return [...document.querySelectorAll(".top button, .controls button")]
            .filter((one) => one.title === "")
            .map((one) => one.outerHTML);
    """
    assert browser.run(script) == []


def test_a_mistyped_address_leads_back(browser: Browser) -> None:
    browser.open("/explorer")
    assert browser.text("h1") == "There is no page at this address"
    browser.await_refusal()  # the status is 404
    browser.click("a[href='/explore']")
    browser.one(".book")


class TestPhone:
    @pytest.mark.parametrize("path", ["/?pos=4453", "/?view=play", "/explore", "/work"])
    def test_nothing_is_wider_than_the_page(self, browser: Browser, path: str) -> None:
        browser.resize(*PHONE)
        browser.open(path)
        browser.one("h2, table")
        assert browser.run("return innerWidth") == PHONE[0]
        assert not overflow(browser)

    @pytest.mark.parametrize(("path", "shown"), TOUCHED.items())
    @pytest.mark.usefixtures("stored")
    def test_targets_are_large_enough(self, browser: Browser, path: str, shown: str) -> None:
        browser.resize(*PHONE)
        browser.open(path)
        browser.one(shown)
        browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
        assert not small_targets(browser, *FINGER)

    @pytest.mark.parametrize(("key", "dialog"), [("s", "#setup"), ("?", "#help")])
    def test_dialogs_fit_and_start_at_the_top(
        self, browser: Browser, key: str, dialog: str
    ) -> None:
        browser.resize(*PHONE)
        open_analysis(browser, pos="4453")
        browser.press(key)
        browser.one(f"{dialog}[open]")
        script = "const it = document.querySelector(arguments[0]); return [it.scrollTop, {}];"
        wider = script.format("it.scrollWidth - it.clientWidth")
        assert browser.run(wider, dialog) == [0, 0]
        assert not small_targets(browser, *FINGER)

    def test_board_columns_and_controls_are_visible_together(self, browser: Browser) -> None:
        browser.resize(*PHONE)
        open_analysis(browser, pos="4453")
        for selector in ("#board svg", "#columns [data-column='7']", "#previous", "#next"):
            box = browser.one(selector).rect
            assert box["y"] + box["height"] <= PHONE[1], selector
            assert box["x"] + box["width"] <= PHONE[0], selector


class TestAway:
    def test_a_restarted_server_is_found_again(
        self, browser: Browser, page_server: PageServer
    ) -> None:
        open_analysis(browser, pos="44")
        page_server.stop()
        browser.click("#columns [data-column='5']")
        browser.one("#banner")
        assert stones(browser) == 3
        browser.until(lambda: state(browser) == "away", "nobody says that it is away")
        browser.click("#columns [data-column='3']")
        browser.until(lambda: stones(browser) == 4, "the board does not work")
        page_server.start()
        await_answer(browser)
        browser.until(lambda: columns(browser).get(1) == -5, "the scores do not come back")
        assert not browser.one("body").find_element("css selector", "#banner").is_displayed()
        browser.faults()  # requests that were refused while the server was down
