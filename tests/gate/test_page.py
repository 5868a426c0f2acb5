"""One path through the page in a real browser, from an empty database to stored results."""

import json
from collections.abc import Iterator

import pytest

from c4core import Position, Solver
from tests.support.browser import Browser, PageServer, open_browser
from tests.support.page import (
    await_answer,
    await_stones,
    columns,
    drop_file,
    job_number,
    job_state,
    late_positions,
    numbers,
)

ARROW_LEFT, ARROW_RIGHT = "\ue012", "\ue014"
LATE = late_positions(28)[:4]
SCORES = {
    "": [-2, -1, 0, 1, 0, -1, -2],
    "44": [-3, -3, -2, 1, -2, -3, -3],
    "4453": [-5, -5, -2, -3, -4, -2, -2],
}
"""The published exact scores of all columns."""


@pytest.fixture
def server() -> Iterator[PageServer]:
    with PageServer() as running:
        yield running
        assert "Traceback" not in running.said


@pytest.fixture
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened
        assert opened.faults() == []


def await_scores(browser: Browser, moves: str) -> None:
    """Wait until the exact scores of a position are shown."""
    expected = dict(enumerate(SCORES[moves], start=1))
    browser.until(lambda: columns(browser) == expected, f"the scores of {moves!r} are not shown")
    await_answer(browser)


def play_and_step(browser: Browser) -> None:
    """Play with mouse and keyboard; go back and forward with buttons, keys and the browser."""
    await_scores(browser, "")
    browser.click("#columns [data-column='4']")
    await_stones(browser, 1)
    browser.click("#board rect[data-column='4'][data-row='2']")
    await_stones(browser, 2)
    await_scores(browser, "44")
    browser.press("5", "3")
    await_stones(browser, 4)
    await_scores(browser, "4453")
    assert numbers(browser, "#columns [data-best]", "column") == [3, 6, 7]
    browser.driver.back()
    await_stones(browser, 3)
    browser.driver.forward()
    await_stones(browser, 4)
    browser.press(ARROW_LEFT)
    await_stones(browser, 3)
    browser.click("#previous")
    await_stones(browser, 2)
    await_scores(browser, "44")
    browser.press(ARROW_RIGHT)
    await_stones(browser, 3)
    browser.click("#next")
    await_stones(browser, 4)
    await_scores(browser, "4453")


def run_a_batch(browser: Browser) -> int:
    """Start a job from a file and download its results; return the job's number."""
    browser.click("#tabs a[data-view='work']")
    drop_file(browser, "".join(f"{moves}\n" for moves in LATE))
    browser.click("[data-start]")
    job = job_number(browser)
    browser.until(lambda: job_state(browser, job) == "done", "the job did not end")
    browser.click(f"[data-job='{job}'] [data-results='jsonl']")
    lines = browser.download(f"c4-job-{job}.jsonl").read_text().splitlines()
    solver = Solver(table_mb=1)
    expected = [(moves, list(solver.analyze(Position(moves)).scores)) for moves in LATE]
    answers = [json.loads(line) for line in lines]
    assert [(answer["moves"], answer["scores"]) for answer in answers] == expected
    return job


def test_a_journey_through_the_page(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    play_and_step(browser)
    job = run_a_batch(browser)

    # Stored now: no game, the positions of the job, and the job itself, also after a reload.
    browser.click("#tabs a[data-view='explore']")
    browser.click("#explore a[href*='show=games']")
    browser.one("[data-explore]:not([aria-busy]) .page-games")
    assert browser.all("[data-game]") == []
    browser.click("#explore a[href*='show=positions']")
    browser.one("[data-explore]:not([aria-busy]) .page-positions")
    stored = browser.all(".page-positions tbody a[href*='grid=']")
    assert len(stored) == len(LATE)
    browser.open(f"{server.url}/work")
    browser.until(lambda: job_state(browser, job) == "done", "the job is not shown after a reload")
