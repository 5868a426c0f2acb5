"""The work view in a real browser: drop a file, follow its job, download its results."""

import json

from c4core import Position, Solver
from tests.support.browser import Browser, PageServer
from tests.support.page import drop_file, job_number, job_state, late_positions

LATE = late_positions(28)[:4]


def open_work(browser: Browser) -> None:
    """Open the work view, and wait for its jobs."""
    browser.open("/work")
    browser.one("[data-drop]")
    browser.until(lambda: "Loading" not in browser.text("#work"), "no jobs are shown")


class TestDropped:
    def test_a_file_becomes_a_job_whose_results_are_downloaded(self, browser: Browser) -> None:
        open_work(browser)
        drop_file(browser, "".join(f"{moves}\n" for moves in LATE))
        browser.click("[data-start]")
        job = job_number(browser)
        browser.until(lambda: job_state(browser, job) == "done", "it does not end")
        assert f"{len(LATE)} of {len(LATE)} positions" in browser.text(f"[data-job='{job}']")
        assert "positions.txt" in browser.text(f"[data-job='{job}']")

        browser.click(f"[data-job='{job}'] [data-results='jsonl']")
        lines = browser.download(f"c4-job-{job}.jsonl").read_text().splitlines()
        answers = [json.loads(line) for line in lines]
        assert [answer["moves"] for answer in answers] == LATE
        scores = [Solver().solve(Position(moves)).score for moves in LATE]
        assert [answer["score"] for answer in answers] == scores

        browser.click(f"[data-job='{job}'] [data-results='csv']")
        table = browser.download(f"c4-job-{job}.csv").read_text().splitlines()
        assert len(table) == 1 + len(LATE)

    def test_bad_lines_are_named(self, browser: Browser) -> None:
        open_work(browser)
        drop_file(browser, f"{LATE[0]}\n9\n{LATE[1]}\nhello\n")
        browser.click("[data-start]")
        words = browser.text("[data-bad='2']")
        assert "2 lines are not positions" in words
        assert "Line 2: " in words
        assert "Line 4: " in words
        browser.click("[data-at-once]")
        browser.until(lambda: browser.all("[data-answers]"), "no answers")
        assert browser.text("[data-bad='2']") == words

    def test_results_are_a_table_with_links_to_the_board(self, browser: Browser) -> None:
        open_work(browser)
        grid = str(Position(LATE[2])).replace("\n", "/")
        lines = [{"moves": LATE[0]}, {"moves": "9"}, {"grid": grid}]
        drop_file(browser, "".join(json.dumps(line) + "\n" for line in lines), "some.jsonl")
        browser.click("[data-start]")
        job = job_number(browser)
        browser.until(lambda: job_state(browser, job) == "done", "it does not end")
        browser.click(f"[data-job='{job}'] .results summary")
        rows = f"[data-job='{job}'] .results tbody tr"
        browser.until(lambda: len(browser.all(rows)) == len(lines), "no table")
        scores = [Solver().solve(Position(moves)).score for moves in (LATE[0], LATE[2])]
        shown = browser.texts(f"{rows} .score")
        assert shown == [signed(score) for score in scores if score is not None]
        assert "column 9" in browser.texts(rows)[1]
        link = browser.one(f"{rows} a").get_attribute("href")
        assert link is not None
        assert link.endswith(f"/?pos={LATE[0]}&board=7x6")
        browser.click(f"{rows} button")
        browser.until(lambda: len(browser.all("#board .stone")) == len(LATE[2]), "no board")

    def test_json_lines_are_answered_at_once(self, browser: Browser) -> None:
        open_work(browser)
        lines = [json.dumps({"id": n, "moves": moves}) for n, moves in enumerate(LATE)]
        drop_file(browser, "\n".join([*lines, '{"moves": "9"}']) + "\n", "late.jsonl")
        browser.click("[data-at-once]")
        browser.click("[data-answers]")
        found = browser.download("late.jsonl.answers.jsonl").read_text().splitlines()
        answers = [json.loads(line) for line in found]
        assert [answer.get("id") for answer in answers[:-1]] == list(range(len(LATE)))
        assert "error" in answers[-1]

    def test_empty_input_is_not_sent(self, browser: Browser) -> None:
        open_work(browser)
        browser.click("[data-start]")
        assert "nothing to analyse" in browser.text("[data-outcome] [role=alert]")

    def test_a_bad_board_is_refused_with_the_servers_message(self, browser: Browser) -> None:
        open_work(browser)
        drop_file(browser, "1\n")
        browser.type("[name=board]", "99x99")
        browser.click("[data-start]")
        assert "99x99" in browser.text("[data-outcome] [role=alert]")
        browser.await_refusal()


class TestLive:
    def test_a_job_is_cancelled_and_resumed_after_a_server_restart(self, browser: Browser) -> None:
        with PageServer("--no-book") as server:
            browser.server = server
            open_work(browser)
            drop_file(browser, "1\n", "hard.txt")
            browser.type("[name=board]", "9x6")  # it takes days
            browser.click("[data-start]")
            job = job_number(browser)
            browser.until(lambda: job_state(browser, job) == "running", "it does not run")

            browser.click(f"[data-job='{job}'] [data-action='cancel']")
            browser.until(lambda: job_state(browser, job) == "cancelled", "it is not cancelled")
            browser.click(f"[data-job='{job}'] [data-action='resume']")
            browser.until(lambda: job_state(browser, job) == "running", "it does not go on")

            server.stop()
            browser.one("#banner")
            assert browser.all(f"[data-job='{job}']"), "the page does not show its jobs"
            server.start()
            browser.until(
                lambda: (
                    not browser.one("body").find_element("css selector", "#banner").is_displayed()
                ),
                "the server is not found again",
            )
            browser.until(lambda: job_state(browser, job) == "running", "it does not go on")
            browser.click(f"[data-job='{job}'] [data-action='cancel']")
            browser.until(lambda: job_state(browser, job) == "cancelled", "it is not cancelled")
            browser.faults()  # streams and requests that were cut off while the server was down

    def test_workers_are_shown(self, browser: Browser) -> None:
        open_work(browser)
        browser.until(lambda: "This server" in browser.text("[data-workers]"), "nobody works")


class TestDeep:
    def test_the_tree_of_an_ended_job_is_shown(
        self, browser: Browser, page_server: PageServer
    ) -> None:
        page_server.run("deep", "1212", "--board", "5x4")
        score = Solver().solve(Position("1212", width=5, height=4)).score
        assert score is not None
        job = max(one["id"] for one in page_server.ask("/api/v1/jobs").json["jobs"])
        browser.open(f"/work?job={job}")
        tree = browser.text(f"[data-job='{job}'] [data-tree]")
        assert f"The score is {signed(score)} for the side to move." in tree
        best = browser.texts(f"[data-job='{job}'] [data-tree] .is-best")
        assert signed(score) in {text.split()[-1] for text in best}

    def test_the_tree_grows_while_a_job_runs(self, browser: Browser) -> None:
        with PageServer("--no-book") as server:
            job = server.post("/api/v1/jobs", {"kind": "deep", "moves": "", "board": "8x7"})
            number = job.json["id"]
            browser.server = server
            browser.open(f"/work?job={number}")
            browser.until(
                lambda: "at least" in browser.text(f"[data-job='{number}'] .deep-work"),
                "nothing is searched",
            )
            shown = browser.texts(f"[data-job='{number}'] .deep-columns li")
            assert [text.split()[0] for text in shown] == list("12345678")
            browser.click(f"[data-job='{number}'] [data-action='cancel']")
            browser.until(lambda: job_state(browser, number) == "cancelled", "it is not cancelled")


def signed(score: int) -> str:
    """A score as the page writes it."""
    return f"{score:+d}".replace("-", "−") if score else "0"  # noqa: RUF001


class TestToken:
    def test_a_server_with_a_token_asks_for_it(self, browser: Browser) -> None:
        with PageServer("--token", "sesame-of-32-characters-0123456789") as server:
            browser.server = server
            open_work(browser)
            drop_file(browser, f"{LATE[0]}\n")
            browser.click("[data-start]")
            browser.one("[name=token]")
            browser.await_refusal()
            browser.type("[name=token]", "sesame-of-32-characters-0123456789")
            browser.click("[data-start]")
            job = job_number(browser)
            browser.until(lambda: job_state(browser, job) == "done", "it does not end")
