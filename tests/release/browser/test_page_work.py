"""Jobs in a real browser: of the work view, and of a position that is not solved in time."""

import json

from c4core import Position, Solver
from tests.support.browser import Browser, PageServer
from tests.support.page import columns, drop_file, job_number, job_state, late_positions, state

LATE = late_positions(28)[:4]
TOKEN = "sesame-of-32-characters-0123456789"
HARD = ("44444", "8x6")
"""Several times the limit of a question, with one thread and the small table below."""
SOLVED_SECONDS = 600.0
"""Many times the duration of the job."""


def open_work(browser: Browser) -> None:
    """Open the work view, and wait for its jobs."""
    browser.open("/work")
    browser.one("[data-drop]")
    browser.until(lambda: "Loading" not in browser.text("#work"), "no jobs are shown")


def start_job(browser: Browser, text: str, name: str = "positions.txt") -> int:
    """Drop a file and start its job; return the job's number."""
    open_work(browser)
    drop_file(browser, text, name)
    browser.click("[data-start]")
    return job_number(browser)


def await_job(browser: Browser, job: int, wanted: str) -> None:
    browser.until(lambda: job_state(browser, job) == wanted, f"the job is not {wanted}")


class TestDropped:
    def test_results_are_a_file_and_a_table_with_links_to_the_board(self, browser: Browser) -> None:
        grid = str(Position(LATE[2])).replace("\n", "/")
        lines = [{"moves": LATE[0]}, {"moves": "9"}, {"grid": grid}]
        job = start_job(browser, "".join(json.dumps(line) + "\n" for line in lines), "some.jsonl")
        await_job(browser, job, "done")
        assert "2 of 2 positions" in browser.text(f"[data-job='{job}']")
        assert "some.jsonl" in browser.text(f"[data-job='{job}']")
        browser.click(f"[data-job='{job}'] [data-results='csv']")
        table = browser.download(f"c4-job-{job}.csv").read_text().splitlines()
        assert len(table) == 1 + len(lines)

        browser.click(f"[data-job='{job}'] .results summary")
        rows = f"[data-job='{job}'] .results tbody tr"
        browser.until(lambda: len(browser.all(rows)) == len(lines), "no table")
        scores = [Solver().solve(Position(moves)).score for moves in (LATE[0], LATE[2])]
        shown = browser.texts(f"{rows} .score")
        assert shown == [signed(score) for score in scores if score is not None]
        assert "column 9" in browser.texts(rows)[1]
        link = browser.one(f"{rows} a").get_attribute("href") or ""
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

    def test_empty_input_and_bad_boards_are_refused(self, browser: Browser) -> None:
        open_work(browser)
        browser.click("[data-start]")
        assert "nothing to analyse" in browser.text("[data-outcome] [role=alert]")
        drop_file(browser, "1\n")
        browser.type("[name=board]", "99x99")
        browser.click("[data-start]")
        refused = "[data-outcome] [role=alert]"
        browser.until(lambda: "99x99" in browser.text(refused), "the server's message is not shown")
        browser.await_refusal()


def test_a_job_is_cancelled_and_resumed_after_a_server_restart(browser: Browser) -> None:
    with PageServer("--no-book") as server:
        browser.server = server
        open_work(browser)
        browser.until(lambda: "This server" in browser.text("[data-workers]"), "nobody works")
        drop_file(browser, "1\n", "hard.txt")
        browser.type("[name=board]", "9x6")  # it takes days
        browser.click("[data-start]")
        job = job_number(browser)
        await_job(browser, job, "running")
        browser.click(f"[data-job='{job}'] [data-action='cancel']")
        await_job(browser, job, "cancelled")
        browser.click(f"[data-job='{job}'] [data-action='resume']")
        await_job(browser, job, "running")

        server.stop()
        banner = browser.one("#banner")
        assert browser.all(f"[data-job='{job}']"), "the page does not show its jobs"
        server.start()
        browser.until(lambda: not banner.is_displayed(), "the server is not found again")
        await_job(browser, job, "running")
        browser.click(f"[data-job='{job}'] [data-action='cancel']")
        await_job(browser, job, "cancelled")
        browser.faults()  # streams and requests that were cut off while the server was down


class TestDeep:
    def test_the_tree_of_an_ended_job_is_shown(
        self, browser: Browser, page_server: PageServer
    ) -> None:
        page_server.run("deep", "1212", "--board", "5x4")
        score = Solver().solve(Position("1212", board="5x4")).score
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
                lambda: "at least" in browser.text(f"[data-job='{number}'] .deep-score"),
                "no question is shown",
            )
            shown = browser.texts(f"[data-job='{number}'] .deep-columns li")
            assert [text.split()[0] for text in shown] == list("12345678")
            browser.click(f"[data-job='{number}'] [data-action='cancel']")
            await_job(browser, number, "cancelled")


def signed(score: int) -> str:
    """A score as the page writes it."""
    return f"{score:+d}".replace("-", "−") if score else "0"  # noqa: RUF001


def test_a_server_with_a_token_asks_for_it(browser: Browser) -> None:
    with PageServer("--token", TOKEN) as server:
        browser.server = server
        open_work(browser)
        drop_file(browser, f"{LATE[0]}\n")
        browser.click("[data-start]")
        browser.one("[name=token]")
        browser.await_refusal()
        browser.type("[name=token]", TOKEN)
        browser.click("[data-start]")
        await_job(browser, job_number(browser), "done")


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


def test_a_cancelled_job_leaves_the_position_open_and_the_token_is_remembered(
    browser: Browser,
) -> None:
    with PageServer("--no-book", "--token", TOKEN) as server:
        browser.server = server
        browser.open("/?pos=44&board=8x7")
        browser.until(lambda: state(browser) == "incomplete", "nobody gives up")
        browser.click("#go-on")
        words = 'enter it in the field "Token of this server"'
        browser.until(lambda: words in browser.text("#failure"), "nobody asks for the token")
        browser.await_refusal()
        browser.driver.execute_script(f"sessionStorage.setItem('c4-token', '{TOKEN}')")
        browser.driver.refresh()
        browser.until(lambda: state(browser) == "incomplete", "nobody gives up")
        browser.click("#go-on")
        browser.until(lambda: "continues the search" in browser.text("#source"), "there is no job")
        job = int(browser.text("#source a").split()[1])
        assert server.ask(f"/api/v1/jobs/{job}").json["board"] == "8x7"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        server.ask(f"/api/v1/jobs/{job}/cancel", method="POST", headers=headers)
        browser.until(lambda: browser.one("#go-on").is_displayed(), "it cannot go on again")
