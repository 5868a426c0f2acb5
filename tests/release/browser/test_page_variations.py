"""The variations of an analysis in a real browser: nested, commented, promoted, deleted, saved."""

from typing import Final

from tests.support.browser import Browser, PageServer
from tests.support.page import await_stones, moves_on_board, open_analysis

BACK, ENTER, ESCAPE = "\ue012", "\ue007", "\ue00c"
COMMENT: Final = "#variations [name=comment]"

SHOWN: Final = """
const words = (list) => [...list.children].map((row) => {
    if (row.classList.contains("variation")) return `(${words(row.firstChild)})`;
    if (row.classList.contains("move-comment")) return `{${row.innerText}}`;
    return [...row.querySelectorAll("button")].map((one) => one.firstChild.data).join(" ");
}).join(" ");
return words(document.querySelector("#moves"));
"""
"""The list of moves as text: variations in round brackets, comments in curly ones."""


def await_moves(browser: Browser, shown: str) -> None:
    browser.until(lambda: browser.run(SHOWN) == shown, f"{browser.run(SHOWN)} is not {shown}")


def go(browser: Browser, moves: str) -> None:
    """Click a move in the list."""
    browser.click(f"#moves [data-moves='{moves}']")
    browser.until(lambda: moves_on_board(browser) == moves, f"not {moves}")


def comment(browser: Browser, text: str) -> None:
    browser.run("document.querySelector('#variations').open = true")
    browser.type(COMMENT, text)
    browser.press(ENTER)


def play_a_tree(browser: Browser) -> None:
    """Play 4453, 4421, 44215 and 1, from the empty board."""
    open_analysis(browser)
    browser.press(*"4453")
    await_stones(browser, 4)
    go(browser, "44")
    browser.press(*"213")
    await_stones(browser, 5)
    go(browser, "4421")
    browser.press("5")
    await_stones(browser, 5)
    browser.press("\ue011")  # Home
    await_stones(browser, 0)
    browser.press("1")
    await_moves(browser, "4 (1) 4 5 (2 1 3 (5)) 3")


def test_a_line_that_is_left_becomes_a_variation(browser: Browser) -> None:
    play_a_tree(browser)
    go(browser, "4421")
    comment(browser, "not 5 3")
    go(browser, "4453")
    comment(browser, "the book")
    tree = "4 (1) 4 5 (2 1 {not 5 3} 3 (5)) 3 {the book}"
    await_moves(browser, tree)
    assert browser.one("#moves [aria-current]").get_attribute("data-moves") == "4453"

    browser.open(browser.driver.current_url)
    await_moves(browser, tree)
    assert browser.run(f"return document.querySelector('{COMMENT}').value") == "the book"
    go(browser, "442")
    browser.press("\ue010")  # End: a move is followed by its main line
    await_stones(browser, 5)
    assert moves_on_board(browser) == "44213"


def test_a_variation_is_promoted_and_deleted(browser: Browser) -> None:
    play_a_tree(browser)
    go(browser, "44215")
    browser.run("document.querySelector('#variations').open = true")
    for tree in (
        "4 (1) 4 5 (2 1 5 (3)) 3",
        "4 (1) 4 2 (5 3) 1 5 (3)",
        "4 (1) 4 2 (5 3) 1 5 (3)",
    ):
        browser.click("#variation-promote")
        await_moves(browser, tree)
    go(browser, "4421")
    browser.click("#variation-delete")
    await_moves(browser, "4 (1) 4 2 (5 3)")
    assert moves_on_board(browser) == "442"
    go(browser, "1")
    browser.click("#variation-delete")
    await_moves(browser, "4 4 2 (5 3)")
    browser.press("c")
    await_moves(browser, "")


def test_a_reviewed_game_is_the_main_line(browser: Browser) -> None:
    play_a_tree(browser)
    go(browser, "4453")
    browser.click("#open-review")
    browser.one("#review .side-share")
    browser.press("2")
    await_moves(browser, "4 (1) 4 5 (2 1 3 (5)) 3 2")
    browser.press(BACK, BACK)
    browser.press("1")
    await_moves(browser, "4 (1) 4 5 (2 1 3 (5)) 3 (1) 2")
    go(browser, "4453")
    browser.run("document.querySelector('#variations').open = true")
    assert browser.one("#variation-delete").get_attribute("aria-disabled") == "true"

    # A line of the same game elsewhere begins a tree of its own.
    browser.open("/?pos=4455")
    await_moves(browser, "4 4 5 5")


def test_variations_are_a_file_of_games(browser: Browser, page_server: PageServer) -> None:
    play_a_tree(browser)
    go(browser, "4421")
    comment(browser, "a comment")
    browser.click("#variations-save")
    saved = browser.download("variations*.jsonl")
    page_server.run("review", str(saved), "--no-store", "--time-limit", "1", "--json")
    assert '"detail":"a comment"' in saved.read_text()

    browser.press(ESCAPE)
    browser.click("#clear")
    await_moves(browser, "")
    field = browser.driver.find_element("css selector", "#variations input[type=file]")
    field.send_keys(str(saved))
    await_moves(browser, "4 (1) 4 5 (2 1 {a comment} 3 (5)) 3")
