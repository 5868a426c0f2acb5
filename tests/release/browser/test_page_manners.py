"""The page with the keyboard only, on a phone, and without its server, in a real browser."""

from tests.support.browser import PHONE, Browser, PageServer
from tests.support.page import (
    await_answer,
    columns,
    moves_on_board,
    open_analysis,
    state,
    stones,
)

TAB, ENTER, ESCAPE = "\ue004", "\ue007", "\ue00c"


def focused(browser: Browser) -> str:
    """The name of the focused element."""
    found: str = browser.run(
        "const one = document.activeElement;"
        "return one.getAttribute('aria-label') || one.textContent.trim() || one.id"
    )
    return found


def test_a_browser_may_forbid_storage(browser: Browser) -> None:
    forbid = "{get() { throw new DOMException('forbidden'); }}"
    areas = "['localStorage', 'sessionStorage']"
    source = f"for (const area of {areas}) Object.defineProperty(window, area, {forbid});"
    added = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": source}
    )
    try:
        open_analysis(browser, pos="44")
        browser.click("#tabs a[data-view='work']")
        browser.one("[data-drop]")
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_a_column_is_played_with_enter(browser: Browser) -> None:
    open_analysis(browser)
    for _ in range(40):
        browser.press(TAB)
        if focused(browser).startswith("Column 4, score"):
            break
    assert focused(browser) == "Column 4, score +1, wins in 41 moves, best"
    browser.press(ENTER)
    browser.until(lambda: moves_on_board(browser) == "4", "enter plays nothing")


def test_the_help_opens_to_its_end_and_escape_closes_it(browser: Browser) -> None:
    open_analysis(browser)
    browser.press("?")
    dialog, box = browser.one("#help[open]").rect, browser.one("#help-close").rect
    assert box["y"] + box["height"] < dialog["y"] + dialog["height"]
    browser.press(ESCAPE)
    browser.until(lambda: not browser.all("#help[open]"), "it stays open")


def test_a_mistyped_address_leads_back(browser: Browser) -> None:
    browser.open("/explorer")
    assert browser.text("h1") == "There is no page at this address"
    browser.await_refusal()  # the status is 404
    browser.click("a[href='./explore']")
    browser.one(".book")


def test_board_columns_and_controls_are_visible_together_on_a_phone(browser: Browser) -> None:
    browser.resize(*PHONE)
    open_analysis(browser, pos="4453")
    for selector in ("#board svg", "#columns [data-column='7']", "#previous", "#next"):
        box = browser.one(selector).rect
        assert box["y"] + box["height"] <= PHONE[1], selector
        assert box["x"] + box["width"] <= PHONE[0], selector


def test_a_restarted_server_is_found_again(browser: Browser, page_server: PageServer) -> None:
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
