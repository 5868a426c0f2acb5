"""The board in a real browser: mirrored, in all sizes, and with reduced motion."""

from typing import Final

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from tests.support.browser import DESKTOP, PHONE, Browser
from tests.support.page import (
    await_stones,
    columns,
    moves_on_board,
    open_analysis,
    overflow,
    stones,
)

LEAST_ACROSS: Final = 24
"""Smallest column width in pixels when there is no room for fingertip width."""
OFF: Final = 1.5
"""Largest offset in pixels between a column and its button."""

MIDDLES: Final = """
const middle = (one) => {
    const box = one.getBoundingClientRect();
    return box.left + box.width / 2;
};
const found = [...document.querySelectorAll(arguments[0])];
return Object.fromEntries(found.map((one) => [one.dataset.column, middle(one)]));
"""

MOVING: Final = """
document.querySelector("#columns [data-column='3']").click();
return document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().duration > 1)
    .map((one) => one.effect.target.getAttribute("class"));
"""


def middles(browser: Browser, selector: str) -> dict[int, float]:
    """The horizontal middles of elements, by column."""
    found: dict[str, float] = browser.run(MIDDLES, selector)
    return {int(column): place for column, place in found.items()}


class TestFlipped:
    def test_columns_and_stones_are_mirrored_and_keep_their_numbers(self, browser: Browser) -> None:
        open_analysis(browser, pos="1")
        before, scores = middles(browser, "#board rect[data-row='1']"), columns(browser)
        browser.press("f")
        browser.until(lambda: "flip=1" in browser.driver.current_url, "the address does not say so")
        after = middles(browser, "#board rect[data-row='1']")
        assert [after[8 - column] for column in range(1, 8)] == pytest.approx(
            [before[column] for column in range(1, 8)]
        )
        assert middles(browser, "#columns button") == pytest.approx(after, abs=OFF)
        assert columns(browser) == scores
        browser.click("#columns [data-column='2']")
        browser.until(lambda: moves_on_board(browser) == "12", "another column was played")

    def test_it_stays_mirrored_until_flipped_again(self, browser: Browser) -> None:
        open_analysis(browser, pos="12", flip="1")
        places = middles(browser, "#board rect[data-row='1']")
        assert places[1] > places[7]
        browser.click("#flip")
        places = middles(browser, "#board rect[data-row='1']")
        assert places[1] < places[7]
        assert "flip" not in browser.driver.current_url


class TestMotion:
    def test_a_stone_falls(self, browser: Browser) -> None:
        open_analysis(browser, pos="44")
        assert "stone x" in browser.run(MOVING)

    def test_reduced_motion_stops_all_motion(self, browser: Browser) -> None:
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


class TestSizes:
    @pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
    @pytest.mark.parametrize("board", ["8x7", "12x4", "32x1", "3x19"])
    def test_any_board_can_be_played_on(
        self, browser: Browser, board: str, size: tuple[int, int]
    ) -> None:
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

    def test_columns_after_the_ninth_have_letters(self, browser: Browser) -> None:
        browser.open("/?board=12x4&pos=a")
        await_stones(browser, 1)
        browser.press("C")
        browser.until(lambda: moves_on_board(browser) == "ac", "the letter plays nothing")
        stone = browser.one("#board rect[data-column='12'][data-row='1']")
        assert stone.get_attribute("aria-label") == "Column 12, row 1: yellow"
