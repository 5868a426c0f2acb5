"""The explorer, in a real browser: the book, stored positions, games and matches."""

import re

import pytest

from tests.support.browser import Browser, PageServer
from tests.support.page import await_stones

GAMES = 20


def rows(browser: Browser) -> list[list[str]]:
    """The text of the table, row by row."""
    browser.one("[data-explore]:not([aria-busy]) table")
    found: list[list[str]] = browser.run(
        "return [...document.querySelector('[data-explore] table').tBodies[0].rows]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"
    )
    return found


def test_a_book_position_has_its_moves_with_scores_and_counts(browser: Browser) -> None:
    browser.open("/explore")
    shown = {row[0]: row[1] for row in rows(browser)}
    scores = {name: re.sub(r"[^−+0-9]", "", text) for name, text in shown.items()}  # noqa: RUF001
    expected = ["−2", "−1", "0", "+1", "0", "−1", "−2"]  # noqa: RUF001
    assert scores == {f"Column {n}": score for n, score in enumerate(expected, 1)}
    counts = [int(row[3].replace(",", "")) for row in rows(browser)]
    assert min(counts) > 1000


def test_a_row_of_the_book_leads_to_the_next_position_and_back(browser: Browser) -> None:
    browser.open("/explore")
    browser.click("[data-child='4']")
    browser.until(lambda: stones_of_book(browser) == 1, "no stone")
    assert "moves=4" in browser.driver.current_url
    browser.click("[data-explore] rect[data-column='4'][data-row='2']")
    browser.until(lambda: stones_of_book(browser) == 2, "the board cannot be played on")
    assert browser.texts(".crumbs li") == ["Start", "4", "4"]
    browser.click(".crumbs li a")
    browser.until(lambda: stones_of_book(browser) == 0, "crumbs lead nowhere")
    browser.driver.back()
    browser.until(lambda: stones_of_book(browser) == 2, "no way back")
    browser.click(".book-summary a")
    await_stones(browser, 2)  # in the analysis


def test_illegal_moves_are_refused_with_a_message(browser: Browser) -> None:
    browser.open("/explore?show=book&moves=49")
    assert "9" in browser.text("[data-explore] [role=alert]")
    browser.await_refusal()


@pytest.mark.usefixtures("stored")
class TestStored:
    def test_moves_of_stored_games_are_beside_their_scores(self, browser: Browser) -> None:
        browser.open("/explore?show=book&moves=44")
        browser.one(".played-by")
        script = """
            const [, played] = document.querySelectorAll(".book table");
            const texts = (row) => [...row.cells].map((cell) => cell.innerText);
            return [...played.tBodies[0].rows].map(texts);
        """
        shown = browser.run(script)
        assert shown
        for name, score, games, results, players in shown:
            assert re.fullmatch(r"Column [1-7]", name)
            assert re.fullmatch(r"[+−]?\d+", score)  # noqa: RUF001
            number = int(games.split()[0])
            assert sum(map(int, results.split(" / "))) == number
            assert (
                sum(int(counted) for counted in re.findall(r"(\d+)$", players, re.MULTILINE))
                == number
            )

    def test_positions_are_filtered_by_value(self, browser: Browser) -> None:
        browser.open("/explore?show=positions&value=win")
        assert all(row[3].startswith("+") for row in rows(browser))
        assert browser.texts("[data-explore] th")[4] == "Moves to the end"
        browser.open("/explore?show=positions&max_ply=20")
        assert {row[1] for row in rows(browser)} == {"20"}
        browser.click("[data-explore] tbody a")
        await_stones(browser, 20)  # in the analysis

    def test_pages_follow_each_other(self, browser: Browser) -> None:
        browser.open("/explore?show=positions")
        first = rows(browser)
        browser.click("a[rel=next]")
        browser.until(lambda: "cursor=" in browser.driver.current_url, "no next page")
        browser.until(lambda: rows(browser) != first, "the next page has the same rows")

    def test_the_tournament_has_a_cross_table(self, browser: Browser) -> None:
        browser.open("/explore?show=matches")
        assert len(rows(browser)) == 3
        cross = browser.all("[data-explore] table")[1]
        assert "against the column's" in cross.text
        assert len(cross.find_elements("css selector", "tbody tr")) == 3

    def test_the_report_of_a_match(self, browser: Browser) -> None:
        browser.open("/explore?show=matches")
        browser.click("[data-match='1']")
        browser.until(lambda: rows(browser)[0][0] == "Won – lost – drawn", "no report")  # noqa: RUF001
        won, lost, drawn = (int(n) for n in re.findall(r"\d+", rows(browser)[0][1]))
        assert won + lost + drawn == GAMES
        browser.until(lambda: len(browser.all("figure svg.plot")) == 3, "not all plots")
        assert not browser.all("figure [d*='NaN'], figure [x*='NaN']")

    def test_a_game_leads_to_its_review(self, browser: Browser, stored: PageServer) -> None:
        browser.open("/explore?show=games&match=1")
        moves = int(rows(browser)[0][5])
        browser.click("[data-game='1:0']")
        end = "[data-explore] .miniature .stone"
        browser.until(lambda: len(browser.all(end)) == moves, "not the last position")
        browser.click(".last-position")
        await_stones(browser, moves)
        browser.one("#review .side-share")
        review = stored.ask("/api/v1/game?match=1&number=0&budget=30").json
        marks = [move["mark"] for move in review["moves_judged"] if move["mark"]]
        assert browser.texts("#moves .mark") == marks

    def test_a_stored_game_is_reviewed_by_its_address(
        self, browser: Browser, stored: PageServer
    ) -> None:
        game = stored.ask("/api/v1/games/1/0").json
        browser.open("/?match=1&number=0")
        await_stones(browser, len(game["moves"]))
        review = browser.run("return new URLSearchParams(location.search).get('review')")
        assert review == game["moves"]
        assert browser.texts("#review .side-player") == ["Beginner", "Easy"]
        titles = [one.get_attribute("title") for one in browser.all("#review .side-player")]
        assert titles == [game["first"], game["second"]]
        browser.press("\ue011")  # Home
        await_stones(browser, 0)
        browser.open(f"/?match=1&number=0&pos={game['moves'][:3]}")
        browser.one("#review .side-share")
        await_stones(browser, 3)

    def test_a_missing_game_is_reported(self, browser: Browser) -> None:
        browser.open("/?match=99&number=0")
        browser.until(lambda: "no match 99" in browser.text("#review"), "nobody says so")
        browser.await_refusal()
        browser.open("/explore?show=match&match=99")
        assert browser.text("[data-explore] [role=alert]") == "There is no match 99."
        browser.await_refusal()


def stones_of_book(browser: Browser) -> int:
    """The number of stones on the explorer's board."""
    return len(browser.all("[data-explore] .board:not(.miniature) .stone"))
