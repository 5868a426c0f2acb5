"""The puzzles of the page: solved, missed and shown, by mouse, keyboard and on a phone."""

from typing import Any

from tests.support.browser import PHONE, Browser, PageServer
from tests.support.page import stones

ARROW_LEFT, ARROW_RIGHT = "\ue012", "\ue014"
ADDRESS = "/puzzles?board=5x5&seed=5"


def puzzle_of(browser: Browser, server: PageServer) -> dict[str, Any]:
    """The puzzle that is on the board, as the server describes it."""
    browser.until(lambda: "find the only column" in browser.text("#puzzle-question"), "no puzzle")
    query = browser.run("return location.search") + "&count=1&budget=30"
    puzzle: dict[str, Any] = server.ask(f"/api/v1/puzzles{query}").json["puzzles"][0]
    return puzzle


def wrong_column(puzzle: dict[str, Any]) -> int:
    """A column that can be played, and is not the solution."""
    top = puzzle["grid"].split("\n")[0]
    return next(n for n, cell in enumerate(top, 1) if cell == "." and n != puzzle["solution"])


def on_board(browser: Browser) -> int:
    """The number of stones on the board of the puzzle."""
    return int(browser.run("return document.querySelectorAll('.puzzle .stone').length"))


def test_puzzles_one_after_the_other(browser: Browser, page_server: PageServer) -> None:
    browser.open(ADDRESS)
    first = puzzle_of(browser, page_server)
    assert on_board(browser) == first["ply"]
    side = {"x": "Red", "o": "Yellow"}[first["side"]]
    assert browser.text("#puzzle-question").startswith(f"{side} to move")

    browser.click(f".puzzle .columns [data-column='{first['solution']}']")
    browser.until(lambda: "Right: column" in browser.text("#puzzle-answer"), "not right")
    outcome = f"wins in {first['length']} moves" if first["keeps"] == "win" else "holds the draw"
    assert browser.text("#puzzle-answer").endswith(f"{outcome}.")
    assert on_board(browser) == first["ply"] + 1
    assert browser.texts("#puzzle-line button") == list(first["line"])
    assert "Streak: 1. Best: 1." in browser.text("#puzzle-streak")
    browser.press(ARROW_RIGHT)
    browser.until(lambda: on_board(browser) == first["ply"] + 2, "no step")
    browser.press(ARROW_LEFT)
    browser.until(lambda: on_board(browser) == first["ply"] + 1, "no step back")

    browser.press("n")
    second = puzzle_of(browser, page_server)
    assert second["key"] != first["key"]
    assert second["board"] == "5x5"
    browser.press(str(wrong_column(second)))
    browser.until(lambda: "Wrong: column" in browser.text("#puzzle-answer"), "not wrong")
    assert f"Only column {second['solution']} " in browser.text("#puzzle-answer")
    assert "Streak: 0. Best: 1." in browser.text("#puzzle-streak")

    browser.click("#puzzle-analyse")
    browser.until(lambda: stones(browser) == second["ply"], "no analysis")
    browser.open(ADDRESS)  # the same address is the same puzzle, and the streak is kept
    assert puzzle_of(browser, page_server)["key"] == first["key"]
    browser.click("#puzzle-solution")
    browser.until(lambda: browser.texts("#puzzle-line button"), "no solution")
    assert browser.all(".puzzle .mark-best")
    assert "Best: 1." in browser.text("#puzzle-streak")


def test_a_cell_plays_its_column_on_a_phone(browser: Browser, page_server: PageServer) -> None:
    browser.resize(*PHONE)
    browser.open(ADDRESS)
    puzzle = puzzle_of(browser, page_server)
    browser.click(f".puzzle rect[data-column='{puzzle['solution']}'][data-row='5']")
    browser.until(lambda: "Right: column" in browser.text("#puzzle-answer"), "not right")


def test_an_address_without_a_puzzle_says_why(browser: Browser) -> None:
    browser.open("/puzzles?seed=x")
    browser.until(lambda: "Seed must be" in browser.text("#puzzle-question"), "nothing is said")
    browser.await_refusal()
    browser.open("/puzzles?board=3x3&seed=1")
    browser.until(lambda: "have none" in browser.text("#puzzle-question"), "nothing is said")


def test_the_tab_chooses_a_puzzle_and_keeps_it(browser: Browser, page_server: PageServer) -> None:
    browser.open("/?pos=44")
    browser.click("#tabs a[data-view='puzzles']")
    puzzle = puzzle_of(browser, page_server)
    browser.click("#tabs a[data-view='analysis']")
    browser.until(lambda: stones(browser) == 2, "no analysis")
    browser.click("#tabs a[data-view='puzzles']")
    assert puzzle_of(browser, page_server)["key"] == puzzle["key"]
