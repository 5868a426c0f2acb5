"""A position that is not solved in time becomes a job whose answer appears by itself."""

import json
from typing import Final

from tests.support.browser import Browser, PageServer
from tests.support.page import columns, state

HARD: Final = ("44444", "8x6")
"""Several times the limit of a question, with one thread and the small table below."""
SOLVED_SECONDS: Final = 600.0
"""Many times the duration of the job."""


def test_the_search_continues_in_the_background(browser: Browser) -> None:
    moves, board = HARD
    with PageServer("--no-book", "--table-mb=1", "--threads=1") as server:
        browser.server = server
        browser.open(f"/?pos={moves}&board={board}")
        browser.until(lambda: state(browser) == "incomplete", "nobody gives up")
        assert browser.text("#think-longer") == "Think longer (10 s)"
        browser.click("#go-on")
        browser.until(lambda: "continues the search" in browser.text("#source"), "there is no job")
        job = int(browser.text("#source a").split()[1])
        shown = server.ask(f"/api/v1/jobs/{job}").json
        assert (shown["kind"], shown["board"]) == ("analyze", board)
        assert not browser.one("#analysis").find_element("css selector", "#go-on").is_displayed()

        browser.until(lambda: state(browser) == "ready", "no answer comes", seconds=SOLVED_SECONDS)
        (line,) = server.ask(f"/api/v1/jobs/{job}/results").body.splitlines()
        assert columns(browser) == dict(enumerate(json.loads(line)["scores"], 1))
        assert "from the database" in browser.text("#source")


def test_a_cancelled_job_leaves_the_position_open(browser: Browser) -> None:
    with PageServer("--no-book") as server:
        browser.server = server
        browser.open("/?pos=44&board=8x7")
        browser.until(lambda: state(browser) == "incomplete", "nobody gives up")
        browser.click("#go-on")
        browser.until(lambda: "continues the search" in browser.text("#source"), "there is no job")
        job = int(browser.text("#source a").split()[1])
        server.post(f"/api/v1/jobs/{job}/cancel", {})
        browser.until(lambda: browser.one("#go-on").is_displayed(), "it cannot go on again")


def test_a_server_with_a_token_accepts_the_one_stored_in_the_tab(browser: Browser) -> None:
    token = "sesame-of-32-characters-0123456789"
    with PageServer("--no-book", "--token", token) as server:
        browser.server = server
        browser.open("/?pos=44&board=8x7")
        browser.until(lambda: state(browser) == "incomplete", "nobody gives up")
        browser.click("#go-on")
        browser.until(lambda: "token" in browser.text("#failure"), "nobody asks for the token")
        browser.await_refusal()
        browser.driver.execute_script(f"sessionStorage.setItem('c4-token', '{token}')")
        browser.driver.refresh()
        browser.until(lambda: state(browser) == "incomplete", "nobody gives up")
        browser.click("#go-on")
        browser.until(lambda: "continues the search" in browser.text("#source"), "there is no job")
        job = int(browser.text("#source a").split()[1])
        assert server.ask(f"/api/v1/jobs/{job}").json["board"] == "8x7"
