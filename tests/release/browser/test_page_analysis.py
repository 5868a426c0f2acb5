"""The board in a real browser: analysing, setting up positions, links, sizes and motion."""

import re

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from c4core import Position, Solver
from tests.support.browser import DESKTOP, PHONE, Browser
from tests.support.page import (
    await_stones,
    columns,
    moves_on_board,
    numbers,
    open_analysis,
    overflow,
    state,
    stones,
)

GAME = "4444446552"
"""The middle column is full, and neither side has won."""
LATE = "325662262431342341447"
"""All columns are open, and the server finds best play at once."""
LEAST_ACROSS = 24
"""Smallest column width in pixels when there is no room for fingertip width."""
OFF = 1.5
"""Largest offset in pixels between a column and its button."""

MIDDLES = """
const middle = (one) => {
    const box = one.getBoundingClientRect();
    return box.left + box.width / 2;
};
const found = [...document.querySelectorAll(arguments[0])];
return Object.fromEntries(found.map((one) => [one.dataset.column, middle(one)]));
"""

MOVING = """
document.querySelector("#columns [data-column='3']").click();
return document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().duration > 1)
    .map((one) => one.effect.target.getAttribute("class"));
"""


def engine_scores(moves: str) -> dict[int, int]:
    """The engine's own scores of the open columns, counted from 1."""
    scores = Solver().analyze(Position(moves)).scores
    return {column: score for column, score in enumerate(scores, 1) if score is not None}


DROP_LINES = """
const ask = window.fetch;
window.budgets = [];
window.fetch = async (address, options) => {
    const response = await ask(address, options);
    const {pathname, searchParams} = new URL(address, location);
    if (pathname !== "/api/v1/position") return response;
    const budget = Number(searchParams.get("budget"));
    window.budgets.push(budget);
    if (budget >= arguments[0]) return response;
    return Response.json({...await response.json(), line: null});
};
"""
"""Makes the server seem too slow to find a line within a shorter budget."""


class TestAnalysed:
    def test_a_full_column_cannot_be_played(self, browser: Browser) -> None:
        open_analysis(browser, pos=GAME)
        scores = engine_scores(GAME)
        browser.until(lambda: columns(browser) == scores, "the engine's scores are not shown")
        full = browser.one("#columns [data-column='4']")
        assert full.get_attribute("aria-label") == "Column 4, cannot be played"
        best = {column for column, score in scores.items() if score == max(scores.values())}
        assert set(numbers(browser, "[data-best]", "column")) == best

    def test_the_verdict_is_in_words_and_best_play_can_be_followed(self, browser: Browser) -> None:
        open_analysis(browser, pos="4453")
        assert "\N{MINUS SIGN}5" in browser.text("#columns [data-column='1']")
        assert browser.text("#verdict") == "Yellow wins in 36 moves with best play"
        browser.until(lambda: "Yellow wins in 36" in browser.announced(), "it is not announced")
        line = browser.all("#line [data-index]")
        first = "".join(found.text for found in line[:3])
        browser.click("#line [data-index='2']")
        await_stones(browser, 7)
        assert f"pos=4453{first}" in browser.driver.current_url

    @pytest.mark.parametrize("least", [2, 10])
    def test_best_play_that_takes_longer_than_the_scores(
        self, browser: Browser, least: int
    ) -> None:
        open_analysis(browser, pos=LATE)
        browser.run(DROP_LINES, least)
        browser.click("#columns [data-column='3']")
        if least > 2:
            button = "Think longer (10 s)"
            browser.until(lambda: browser.text("#think-longer") == button, "no button")
            assert state(browser) == "ready"
            assert len(columns(browser)) == 7
            assert not browser.all("#line .chip")
            browser.click("#think-longer")
        browser.one("#line .chip")
        assert not [one for one in browser.all("#think-longer") if one.is_displayed()]
        budgets = [budget for budget in (0.3, 2, 10) if budget <= least]
        assert browser.run("return window.budgets") == budgets

    def test_what_is_not_proven_is_marked_as_a_guess(self, browser: Browser) -> None:
        browser.open("/?board=8x8&pos=44")
        browser.until(lambda: len(browser.all("#columns [data-guess]")) == 8, "there is no guess")
        assert re.fullmatch(r"~\d+", browser.text("#columns [data-column='1'] .column-score"))
        label = browser.one("#columns [data-column='1']").get_attribute("aria-label")
        assert re.search(r"not decided yet; a guess: \d+ %", label or "")
        # The guess depends on the number of random games, which depends on the time.
        verdict = r"(Too close to call|(Red|Yellow) is favoured), not proven"
        assert re.fullmatch(verdict, browser.text("#verdict"))
        assert columns(browser) == {}
        browser.until(lambda: state(browser) == "incomplete", "the search does not end")
        assert browser.text("#think-longer") == "Think longer (10 s)"
        browser.open("/?board=8x8")
        published = "Published score: \N{MINUS SIGN}2 for Red, not proven here"
        browser.until(lambda: browser.text("#verdict") == published, "no published result")

    def test_a_proven_win_is_shown_though_other_columns_are_open(self, browser: Browser) -> None:
        browser.open("/?board=8x8&pos=4455")
        browser.until(lambda: state(browser) == "incomplete", "the search does not end")
        assert columns(browser) == {3: 29, 6: 29}
        assert browser.text("#verdict") == "Red wins in 3 moves with best play"
        assert browser.text("#outcome") == "Best: columns 3 and 6 win in 3 moves."


PASTE = """
const clipboardData = new DataTransfer();
clipboardData.setData("text/plain", arguments[0]);
const options = {clipboardData, bubbles: true, cancelable: true};
document.body.dispatchEvent(new ClipboardEvent("paste", options));
"""


class TestSetUp:
    @pytest.mark.parametrize(
        ("field", "text"),
        [
            ("#setup-moves", "4 4 5 3"),
            ("#setup-moves", "D1 D2 E1 C1"),
            ("#setup-grid", str(Position("4453"))),
            ("#setup-grid", "0000000\n" * 4 + "0002000\n0021100"),
            ("#setup-grid", "[4, 4, 5, 3]"),
        ],
    )
    def test_moves_or_a_grid_are_shown(self, browser: Browser, field: str, text: str) -> None:
        open_analysis(browser)
        browser.click("#open-setup")
        browser.type(field, text)
        browser.click("#setup-apply")
        await_stones(browser, 4)
        browser.until(lambda: columns(browser) == engine_scores("4453"), "other scores are shown")

    def test_a_bad_grid_is_refused_with_a_message(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.click("#open-setup")
        browser.type("#setup-grid", ".......\n...x...\n.......\n.......")
        browser.click("#setup-apply")
        browser.until(lambda: "column 4" in browser.text("#setup-error"), "no reason")
        browser.await_refusal()

    def test_by_painting_stones(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.click("#open-setup")
        for brush, column in [("x", 4), ("o", 4), ("x", 5), ("o", 3), ("o", 2), ("none", 2)]:
            browser.run("document.querySelector(arguments[0]).click()", f"#setup [value={brush}]")
            browser.click(f"#setup rect[data-column='{column}'][data-row='6']")
        painted = browser.one("#setup-grid").get_attribute("value").splitlines()
        assert painted[-2:] == ["...o...", "..oxx.."]
        browser.click("#setup-apply")
        await_stones(browser, 4)
        assert Position(moves_on_board(browser)) == Position("4453")

    def test_another_board(self, browser: Browser) -> None:
        open_analysis(browser, pos="1234", board="5x4")
        browser.until(lambda: len(columns(browser)) == 5, "not five columns")
        assert len(browser.all("#board [role=gridcell]")) == 20
        scores = Solver().analyze(Position("1234", board="5x4")).scores
        assert columns(browser) == dict(enumerate(scores, 1))


def test_a_copy_of_the_address_shows_the_same(browser: Browser) -> None:
    open_analysis(browser, pos="44")
    browser.click("#flip")
    browser.click("#columns [data-column='1']")
    await_stones(browser, 3)
    browser.open(browser.driver.current_url)
    await_stones(browser, 3)
    assert browser.one("#flip").get_attribute("aria-pressed") == "true"


def middles(browser: Browser, selector: str) -> dict[int, float]:
    """The horizontal middles of elements, by column."""
    found: dict[str, float] = browser.run(MIDDLES, selector)
    return {int(column): place for column, place in found.items()}


def test_a_flipped_board_is_mirrored_and_keeps_its_numbers(browser: Browser) -> None:
    open_analysis(browser, pos="1")
    before, scores = middles(browser, "#board rect[data-row='1']"), columns(browser)
    browser.press("f")
    browser.until(lambda: "flip=1" in browser.driver.current_url, "the address does not say so")
    after = middles(browser, "#board rect[data-row='1']")
    mirrored = {8 - column: place for column, place in after.items()}
    assert mirrored == pytest.approx(before)
    assert middles(browser, "#columns button") == pytest.approx(after, abs=OFF)
    assert columns(browser) == scores
    browser.click("#columns [data-column='2']")
    browser.until(lambda: moves_on_board(browser) == "12", "another column was played")

    open_analysis(browser, pos="12", flip="1")
    assert middles(browser, "#board rect[data-row='1']") == pytest.approx(after)
    browser.click("#flip")
    assert middles(browser, "#board rect[data-row='1']") == pytest.approx(before)
    assert "flip" not in browser.driver.current_url


def test_a_stone_falls_unless_reduced_motion_is_preferred(browser: Browser) -> None:
    open_analysis(browser, pos="44")
    assert "stone x" in browser.run(MOVING)
    browser.prefer(reduced_motion="reduce")
    open_analysis(browser, pos="44")
    assert browser.run(MOVING) == []
    assert stones(browser) == 3


def test_a_ghost_shows_where_the_stone_falls(browser: Browser) -> None:
    open_analysis(browser, pos="4")
    ghosts = "return [...document.querySelectorAll('#board .ghost')].map((one) => one.outerHTML)"
    assert browser.run(ghosts) == []
    cell = browser.one("#board rect[data-column='4'][data-row='6']")
    ActionChains(browser.driver).move_to_element(cell).perform()
    (ghost,) = browser.until(lambda: browser.run(ghosts), "no ghost")
    assert "ghost o" in ghost
    browser.click("#board rect[data-column='4'][data-row='6']")
    browser.until(lambda: stones(browser) == 2, "no move")
    height = "return document.querySelector('#board .stone.o circle').getAttribute('cy')"
    assert f'cy="{browser.run(height)}"' in ghost


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("board", ["8x7", "12x4", "32x1", "3x19"])
def test_any_board_can_be_played_on(browser: Browser, board: str, size: tuple[int, int]) -> None:
    width, height = (int(number) for number in board.split("x"))
    browser.resize(*size)
    browser.open(f"/?board={board}&pos=1")
    await_stones(browser, 1)
    assert len(browser.all("#board [role=gridcell]")) == width * height
    assert not overflow(browser)
    buttons = middles(browser, "#columns button")
    assert buttons == pytest.approx(middles(browser, "#board rect[data-row='1']"), abs=OFF)
    assert min(found.rect["width"] for found in browser.all("#columns button")) >= LEAST_ACROSS
    last = f"#columns [data-column='{width}']"
    # A person scrolls until the controls at the bottom of a phone do not cover the column.
    browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", last)
    browser.click(last)
    await_stones(browser, 2)


def test_columns_after_the_ninth_have_letters(browser: Browser) -> None:
    browser.open("/?board=12x4&pos=a")
    await_stones(browser, 1)
    browser.press("C")
    browser.until(lambda: moves_on_board(browser) == "ac", "the letter plays nothing")
    stone = browser.one("#board rect[data-column='12'][data-row='1']")
    assert stone.get_attribute("aria-label") == "Column 12, row 1: yellow"
