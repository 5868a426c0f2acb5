"""Taking positions away and bringing them in: the dialog, frames, and pasted texts."""

import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest

from tests.support.browser import Browser, PageServer
from tests.support.forms import ACCEPTED, GRIDS
from tests.support.page import await_answer, await_stones, moves_on_board, open_analysis

PASTE = """
const data = new DataTransfer();
data.setData("text/plain", arguments[0]);
const options = {clipboardData: data, bubbles: true, cancelable: true};
document.body.dispatchEvent(new ClipboardEvent("paste", options));
"""
GAME = "1. d1 d2 {good} 2. e1 1-0"
GAMES = f"4453\n{GAME}\nd1 hello\n"
TWO = '[Event "a"]\n[Result "1-0"]\n\n1. d1 d2\n2. e1 1-0\n\n[Event "b"]\n\n1. a1 b1 *\n'
READ = {
    "4453": "4453",
    "https://connect4.gamesolver.org/?pos=4453": "4453",
    "http://c4.example/c4/?moves=44&board=8x7": "44",
    GAME: "445",
    "4,4,5,3 # mine": "4453",
    '[Event "a"]\n\n1. d1 d2\n2. e1 {x} c1 *': "4453",
}
REFUSED = {
    "d1 d2 hello": "Move 3: 'hello' is not a square of the board, a1 to g6.",
    "4453 hello": "Move 2: 'hello' is not a column.",
    "https://c4.example/?pos=4453&board=99x9": "99x9",
}
SHOWN = {
    "Column 4, row 1: red",
    "Column 4, row 2: yellow",
    "Column 5, row 1: red",
    "Column 3, row 1: yellow",
}


def stones_shown(browser: Browser) -> set[str]:
    """The names of the squares that are not empty."""
    cells = "return [...document.querySelectorAll('#board [role=gridcell]')]"
    script = f"{cells}.map((one) => one.ariaLabel)"
    return {name for name in browser.run(script) if name.endswith((": red", ": yellow"))}


@pytest.mark.parametrize("text", READ)
def test_a_pasted_text_is_read(browser: Browser, text: str) -> None:
    open_analysis(browser, pos="1")
    browser.run(PASTE, text)
    browser.until(lambda: moves_on_board(browser) == READ[text], "it is not pasted")
    assert not browser.all("#setup[open]")


def test_every_form_is_pasted(browser: Browser) -> None:
    open_analysis(browser)
    needs_board = {"squares in a list"}
    for text in (*ACCEPTED, *(grid for name, grid in GRIDS.items() if name not in needs_board)):
        browser.run(PASTE, "1")
        browser.until(lambda: len(stones_shown(browser)) == 1, "the board is not another one")
        browser.run(PASTE, text)
        browser.until(lambda: stones_shown(browser) == SHOWN, f"{text!r} is not pasted")


@pytest.mark.parametrize("text", REFUSED)
def test_a_refused_text_names_the_cause(browser: Browser, text: str) -> None:
    open_analysis(browser, pos="1")
    browser.run(PASTE, text)
    browser.until(lambda: REFUSED[text] in browser.text("#setup-error"), "no reason")
    assert moves_on_board(browser) == "1"
    browser.await_refusal()


@pytest.mark.parametrize(("text", "choices"), [(GAMES, ["4453", "445"]), (TWO, ["445", "12"])])
def test_one_of_several_games_is_chosen(browser: Browser, text: str, choices: list[str]) -> None:
    open_analysis(browser)
    browser.run(PASTE, text)
    browser.one("#setup-games button")
    assert browser.texts("#setup-games button") == choices
    browser.until_done(browser.all("#setup-games button")[1].click)
    browser.until(lambda: moves_on_board(browser) == choices[1], "it is not chosen")
    browser.await_refusal()


@pytest.mark.parametrize(
    ("address", "moves"), [("/?moves=4453", "4453"), (f"/?pos={quote(GAME)}", "445")]
)
def test_an_address_has_moves_in_any_form(browser: Browser, address: str, moves: str) -> None:
    browser.open(address)
    await_stones(browser, len(moves))
    await_answer(browser)


@pytest.mark.parametrize(
    ("address", "word"), [("/?posi=44", "“posi”"), ("/?pos=44&board=99x9", "“99x9”")]
)
def test_a_wrong_address_gives_a_message(browser: Browser, address: str, word: str) -> None:
    browser.open(address)
    browser.until(lambda: word in browser.text("#failure"), "no message")


def test_the_dialog_has_every_form(browser: Browser, page_server: PageServer) -> None:
    open_analysis(browser, pos="44556")
    browser.click("#open-share")
    kinds = {"png": b"\x89PNG", "svg": b"<svg", "gif": b"GIF8", "csv": b"ply,", "json": b"{"}
    for kind, begin in kinds.items():
        address = str(browser.one(f"#share-{kind}").get_attribute("href"))
        answer = page_server.ask(address.removeprefix(page_server.url))
        assert (answer.status, answer.body[: len(begin)]) == (200, begin)
        if kind == "json":
            assert json.loads(answer.body)["moves"] == "44556"
    browser.click("#share-svg")
    assert b"<svg" in browser.download("c4.svg").read_bytes()


@pytest.fixture
def other_origin(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    """A server of another origin, with the files of ``tmp_path``."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_other_pages_may_frame_the_embedded_board_only(
    browser: Browser, page_server: PageServer, other_origin: ThreadingHTTPServer, tmp_path: Path
) -> None:
    paths = ["/embed?pos=4453", "/?pos=4453", "/puzzles", "/explore", "/work", "/api/v1/players"]
    frames = "".join(
        f"<iframe width=400 height=600 src='{page_server.url}{path}'></iframe>" for path in paths
    )
    (tmp_path / "index.html").write_text(f"<!doctype html><title>other</title>{frames}")
    browser.open(f"http://localhost:{other_origin.server_port}/index.html")
    shown = []
    for index, frame in enumerate(browser.all("iframe")):
        browser.driver.switch_to.frame(frame)
        if index == 0:
            browser.until(lambda: len(browser.all("#board .stone")) == 4, "no board")
            browser.click("#columns [data-column='5']")
            await_stones(browser, 5)
            assert browser.run("return location.pathname") == "/embed"
            assert (
                browser.one("#embedded a").get_attribute("href").endswith("/?pos=44535&board=7x6")
            )
            assert not any(one.is_displayed() for one in browser.all(".top, .panel"))
        shown.append(bool(browser.run("return location.href").startswith(page_server.url)))
        browser.driver.switch_to.default_content()
    assert shown == [True] + [False] * 5
    assert len([fault for fault in browser.faults() if "frame-ancestors" in fault]) == 5
