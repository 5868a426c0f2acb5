"""The analysis board in a real browser: analysing a game, setting up positions, and links."""

import re

import pytest

from c4core import Position, Solver
from tests.support.browser import Browser
from tests.support.page import (
    await_stones,
    columns,
    moves_on_board,
    numbers,
    open_analysis,
    state,
    stones,
)

GAME = "4444446552"
"""The middle column is full, and neither side has won."""


def engine_scores(moves: str) -> dict[int, int]:
    """The engine's own scores of the open columns, counted from 1."""
    scores = Solver().analyze(Position(moves)).scores
    return {column: score for column, score in enumerate(scores, 1) if score is not None}


class TestAnalysed:
    def test_a_game_is_analysed_move_by_move(self, browser: Browser) -> None:
        open_analysis(browser)
        for ply, column in enumerate(GAME, 1):
            browser.click(f"#columns [data-column='{column}']")
            await_stones(browser, ply)
        browser.until(
            lambda: columns(browser) == engine_scores(GAME), "the engine's scores are not shown"
        )
        full = browser.one("#columns [data-column='4']")
        assert full.get_attribute("aria-label") == "Column 4, cannot be played"
        scores = engine_scores(GAME)
        best = {column for column, score in scores.items() if score == max(scores.values())}
        assert set(numbers(browser, "[data-best]", "column")) == best

    def test_the_verdict_is_in_words_and_best_play_can_be_followed(self, browser: Browser) -> None:
        open_analysis(browser, pos="4453")
        assert "\N{MINUS SIGN}5" in browser.text("#columns [data-column='1']")
        assert browser.text("#verdict") == "Yellow wins in 36 moves with best play"
        browser.until(
            lambda: "Yellow wins in 36 moves" in browser.announced(), "it is not announced"
        )
        line = browser.all("#line [data-index]")
        first = "".join(found.text for found in line[:3])
        browser.click("#line [data-index='2']")
        browser.until(lambda: stones(browser) == 7, "no step into the line")
        assert f"pos=4453{first}" in browser.driver.current_url

    def test_what_is_not_proven_is_marked_as_a_guess(self, browser: Browser) -> None:
        browser.open("/?board=8x8&pos=44")
        browser.until(lambda: len(browser.all("#columns [data-guess]")) == 8, "there is no guess")
        assert re.fullmatch(r"~\d+", browser.text("#columns [data-column='1'] .column-score"))
        label = browser.one("#columns [data-column='1']").get_attribute("aria-label")
        assert re.search(r"not decided yet; a guess: \d+ % in random games", label or "")
        assert re.fullmatch(r"A guess: (Red|Yellow) wins, not proven", browser.text("#verdict"))
        assert columns(browser) == {}
        browser.until(lambda: state(browser) == "incomplete", "the search does not end")
        assert browser.text("#think-longer") == "Think longer (10 s)"

    def test_the_winning_four_is_marked(self, browser: Browser) -> None:
        open_analysis(browser, pos="1212121")
        assert len(browser.all(".mark-four")) == 4
        assert browser.text("#verdict") == "Red has won"

    def test_undo_and_redo(self, browser: Browser) -> None:
        open_analysis(browser, pos="44")
        browser.click("#columns [data-column='5']")
        browser.until(lambda: stones(browser) == 3, "no move")
        browser.click("#undo")
        browser.until(lambda: stones(browser) == 2, "no way back")
        browser.click("#redo")
        browser.until(lambda: moves_on_board(browser) == "445", "the move is not redone")


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
            ("#setup-moves", "44 53"),
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
        browser.until(lambda: stones(browser) == 4, "the stones are not on the board")
        browser.until(
            lambda: columns(browser) == engine_scores("4453"), "the engine's scores are not shown"
        )

    def test_a_bad_grid_is_refused_with_a_message(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.click("#open-setup")
        browser.type("#setup-grid", ".......\n...x...\n.......\n.......")
        browser.click("#setup-apply")
        browser.until(lambda: "column 4" in browser.text("#setup-error"), "no reason")
        browser.await_refusal()

    def test_a_pasted_text(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.run(PASTE, "4-4-5-3")
        browser.until(lambda: moves_on_board(browser) == "4453", "it is not pasted")
        browser.run(PASTE, "hello")
        browser.until(lambda: "column h" in browser.text("#setup-error"), "no reason")
        assert browser.one("#setup-moves").get_attribute("value") == "hello"
        browser.await_refusal()

    def test_by_painting_stones(self, browser: Browser) -> None:
        open_analysis(browser)
        browser.click("#open-setup")
        for brush, column in [("x", 4), ("o", 4), ("x", 5), ("o", 3), ("o", 2), ("none", 2)]:
            browser.run("document.querySelector(arguments[0]).click()", f"#setup [value={brush}]")
            browser.click(f"#setup rect[data-column='{column}'][data-row='6']")
        assert browser.one("#setup-grid").get_attribute("value").splitlines()[-2:] == [
            "...o...",
            "..oxx..",
        ]
        browser.click("#setup-apply")
        browser.until(lambda: stones(browser) == 4, "the stones are not on the board")
        assert Position(moves_on_board(browser)) == Position("4453")

    def test_another_board(self, browser: Browser) -> None:
        open_analysis(browser, pos="1234", board="5x4")
        browser.until(lambda: len(columns(browser)) == 5, "not five columns")
        assert len(browser.all("#board [role=gridcell]")) == 20
        scores = Solver().analyze(Position("1234", width=5, height=4)).scores
        assert columns(browser) == dict(enumerate(scores, 1))


class TestLinks:
    def test_a_copy_of_the_address_shows_the_same(self, browser: Browser) -> None:
        open_analysis(browser, pos="44")
        browser.click("#flip")
        browser.click("#columns [data-column='1']")
        browser.until(lambda: stones(browser) == 3, "no move")
        before = browser.run("return document.querySelector('#board svg').outerHTML")
        browser.open(browser.driver.current_url)
        browser.until(lambda: stones(browser) == 3, "nothing is there")
        flipped = browser.one("#flip").get_attribute("aria-pressed")
        after = browser.run("return document.querySelector('#board svg').outerHTML")
        assert (flipped, after.count("stone-body")) == ("true", before.count("stone-body"))
