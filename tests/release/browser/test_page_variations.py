"""The variations of an analysis in a real browser: kept, commented, deleted, saved and opened."""

from tests.support.browser import Browser, PageServer
from tests.support.page import await_stones, moves_on_board, open_analysis


def variations(browser: Browser) -> list[str]:
    return browser.texts("#variations .variation")


def await_variations(browser: Browser, *lines: str) -> None:
    browser.until(lambda: variations(browser) == [*lines], f"not {lines}")


def play(browser: Browser, moves: str) -> None:
    for move in moves:
        browser.press(move)


def test_a_line_that_is_left_stays(browser: Browser) -> None:
    open_analysis(browser)
    play(browser, "4453")
    browser.press("\ue012", "\ue012")  # two moves back
    await_stones(browser, 2)
    play(browser, "21")
    await_variations(browser, "4453", "4421")

    browser.type("#variations li:first-child input", "the main line")
    browser.click("#variations li:first-child .variation")
    browser.until(
        lambda: moves_on_board(browser) == "445", "the first move of its own is not shown"
    )

    browser.open(browser.driver.current_url)
    await_variations(browser, "4453", "4421")
    comment = browser.one("#variations li:first-child input")
    assert comment.get_attribute("value") == "the main line"

    browser.click("#variations [aria-label='Move 4421 to the top']")
    await_variations(browser, "4421", "4453")
    browser.click("#variations [aria-label='Delete 4421']")
    await_variations(browser, "4453")
    browser.press("c")
    await_variations(browser)


def test_variations_are_a_file_of_games(browser: Browser, page_server: PageServer) -> None:
    open_analysis(browser, pos="44")
    play(browser, "53")
    browser.press("\ue012")
    await_stones(browser, 3)
    play(browser, "1")
    await_variations(browser, "4453", "4451")
    browser.type("#variations li:last-child input", "a comment")
    browser.press("\ue007")  # Enter
    browser.click("#variations-save")
    saved = browser.download("variations*.jsonl")
    page_server.run("review", str(saved), "--no-store", "--time-limit", "1", "--json")
    assert '"detail":"a comment"' in saved.read_text()

    browser.press("\ue00c")  # Escape
    browser.click("#clear")
    await_variations(browser)
    browser.run("document.querySelector('#variations').open = true")
    browser.driver.find_element("css selector", "#variations input[type=file]").send_keys(
        str(saved)
    )
    await_variations(browser, "4453", "4451")
    comment = browser.one("#variations li:last-child input")
    assert comment.get_attribute("value") == "a comment"
