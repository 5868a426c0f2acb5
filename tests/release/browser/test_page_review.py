"""The review in a real browser: mistakes, better columns, both lines, and a chance to find them."""

import re
from typing import Any, Final

import pytest

from tests.support.browser import DESKTOP, Browser, PageServer
from tests.support.page import await_stones, moves_on_board, numbers

PHONE: Final = (390, 844)
GAMES: Final = (
    "7677552134453472445343",
    "4244565465677",
    "4241313456562",
    "4444565553362",
    "4642414",
    "54343454",
    "44754512455214622133",
    "3454635424",
    "2444466573",
    "52255513214733141",
)
"""Ten games between the levels, with two to four blunders each."""

MARKED: Final = """
const shown = (selector) => [...document.querySelectorAll(`#board ${selector}`)].filter((one) => {
    const {left, right, top, bottom} = one.getBoundingClientRect();
    const controls = document.querySelector(".controls").getBoundingClientRect().top;
    const isCovered = controls > top && controls < bottom;
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && !isCovered;
});
const middle = (one) => {
    const {left, width} = one.getBoundingClientRect();
    return left + width / 2;
};
const cells = [...document.querySelectorAll("#board rect[data-row='1']")];
const isAbove = (cell, one) => Math.abs(middle(cell) - middle(one)) < 5;
const column = (one) => Number(cells.find((cell) => isAbove(cell, one)).dataset.column);
return {wrong: shown(".mark-wrong").map(column), right: shown(".mark-right").map(column)};
"""
"""The columns that are marked on the board, inside the window."""


def open_review(browser: Browser, moves: str) -> None:
    browser.open(f"/?pos={moves}&review={moves}")
    browser.one("#mistakes button")


def judged(server: PageServer, moves: str) -> list[dict[str, Any]]:
    """The mistakes of a game, from the API."""
    moves_judged = server.ask(f"/api/v1/game?moves={moves}&budget=30").json["moves_judged"]
    return [move for move in moves_judged if move["mark"] in ("??", "?")]


def click(browser: Browser, selector: str) -> None:
    """Scroll until the controls at the bottom of a phone do not cover an element, and click it."""
    centre = "document.querySelector(arguments[0]).scrollIntoView({block: 'center'})"
    browser.run(centre, selector)
    browser.click(selector)


def await_marks(browser: Browser, move: dict[str, Any]) -> None:
    wanted = {"wrong": [move["column"]], "right": move["best"]}
    browser.until(lambda: browser.run(MARKED) == wanted, f"{move['ply']}: {browser.run(MARKED)}")
    assert moves_on_board(browser) == browser.run(
        "return new URLSearchParams(location.search).get('review').slice(0, arguments[0])",
        move["ply"],
    )


def find_better(browser: Browser, move: dict[str, Any]) -> None:
    """Try a mistake oneself: the played column is refused, and a best one is accepted."""
    click(browser, "#lesson-try")
    browser.until(lambda: browser.run(MARKED) == {"wrong": [], "right": []}, "the answer is shown")
    assert not browser.all("#columns [data-best]")
    assert not browser.all(".lesson-line")
    browser.press(str(move["column"]))
    browser.until(lambda: "not the move" in browser.text("#lesson-answer"), "it is accepted")
    assert len(moves_on_board(browser)) == move["ply"]
    browser.press(str(move["best"][-1]))
    browser.until(lambda: "is right" in browser.text("#lesson-answer"), "it is refused")
    await_stones(browser, move["ply"] + 1)
    assert moves_on_board(browser).endswith(str(move["best"][-1]))
    browser.one(".lesson-line")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("moves", GAMES)
def test_each_blunder_shows_the_better_column_and_lets_it_be_found(
    browser: Browser, page_server: PageServer, moves: str, size: tuple[int, int]
) -> None:
    browser.resize(*size)
    open_review(browser, moves)
    blunders = [move for move in judged(page_server, moves) if move["mark"] == "??"]
    assert blunders
    for move in blunders:
        click(browser, f"#mistakes button[data-shown='{move['ply']}']")
        await_marks(browser, move)
        assert f"{move['ply'] + 1}. " in browser.text("#lesson-title")
        for name in ("reason", "better"):
            if move[name] is not None:
                words = re.sub(r"\bx\b", "Red", move[name]["text"])
                assert re.sub(r"\bo\b", "Yellow", words) in browser.text("#lesson")
        find_better(browser, move)


@pytest.mark.parametrize("moves", GAMES)
def test_keys_step_through_the_mistakes(
    browser: Browser, page_server: PageServer, moves: str
) -> None:
    mistakes = judged(page_server, moves)
    open_review(browser, moves)
    browser.press("\ue011")  # Home
    await_stones(browser, 0)
    for move in mistakes:
        if move["ply"] > 0:  # a first move that is a mistake is shown already
            browser.press("n")
        await_marks(browser, move)
        assert numbers(browser, "#mistakes [aria-current]", "shown") == [move["ply"]]
    browser.press("n")
    for move in reversed(mistakes[:-1]):
        browser.press("p")
        await_marks(browser, move)


def test_both_lines_are_stepped_through(browser: Browser, page_server: PageServer) -> None:
    moves = GAMES[0]
    move = next(move for move in judged(page_server, moves) if move["reason"] and move["better"])
    open_review(browser, moves)
    click(browser, f"#mistakes button[data-shown='{move['ply']}']")
    for number, name in enumerate(("reason", "better"), start=1):
        line = move[name]["moves"]
        click(browser, f".lesson-line:nth-child({number}) [data-index='{len(line) - 1}']")
        await_stones(browser, move["ply"] + len(line))
        assert moves_on_board(browser) == moves[: move["ply"]] + "".join(map(str, line))
    click(browser, "#back-to-game")
    await_stones(browser, move["ply"])
