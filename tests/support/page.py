"""What tests of the page do and see there; the hooks are those that index.html promises."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

if TYPE_CHECKING:
    from tests.support.browser import Browser, PageServer


SAMPLES: Final = Path(__file__).parents[2] / "cli" / "data" / "sample-positions.txt"
PLAYERS: Final = ("random", "set", "minimax-windows:depth=1")


def late_positions(stones: int) -> list[str]:
    """Positions with so many stones or more, which are in no book and are solved at once."""
    return [line for line in SAMPLES.read_text().splitlines() if len(line) >= stones]


def store_games_and_positions(server: PageServer, *, games: int, positions: int) -> None:
    """Give a server something to explore: a tournament of three players, and positions."""
    server.run("tournament", *PLAYERS, "--games", str(games), "--seed", "7")
    server.run("analyze", "-", stdin="\n".join(late_positions(20)[:positions]))


def open_analysis(browser: Browser, **query: str) -> None:
    """Open the analysis of a position, and wait until its evaluation is there."""
    browser.open(f"/?{urlencode(query)}")
    await_answer(browser)


def await_answer(browser: Browser) -> None:
    """Wait until all is said about the position that is shown."""
    browser.until(lambda: state(browser) == "ready", "the position is not evaluated")


def state(browser: Browser) -> str | None:
    """Where the evaluation of the board stands."""
    return browser.one("body").get_attribute("data-state")


def columns(browser: Browser) -> dict[int, int]:
    """The scores that are shown, by column."""
    found = browser.run(
        "return [...document.querySelectorAll('#columns [data-score]')]"
        ".map((one) => [one.dataset.column, one.dataset.score])"
    )
    return {int(column): int(score) for column, score in found}


def stones(browser: Browser) -> int:
    """How many stones are on the board."""
    return len(browser.all("#board .stone"))


def await_stones(browser: Browser, number: int) -> None:
    """Wait until so many stones are on the board."""
    browser.until(lambda: stones(browser) == number, f"not {number} stones on the board")


def numbers(browser: Browser, selector: str, name: str) -> list[int]:
    """The values of a ``data-`` attribute of all elements that match."""
    script = """
        const [selector, name] = arguments;
        return [...document.querySelectorAll(selector)].map((one) => one.dataset[name]);
    """
    return [int(value) for value in browser.run(script, selector, name)]


def moves_on_board(browser: Browser) -> str:
    """The moves up to the position that is shown, as the address has them."""
    found: str = browser.run("return new URLSearchParams(location.search).get('pos') ?? ''")
    return found


DROP: Final = """
const [text, name] = arguments;
const data = new DataTransfer();
data.items.add(new File([text], name, {type: "text/plain"}));
const place = document.querySelector("[data-drop]");
for (const kind of ["dragenter", "dragover", "drop"]) {
    place.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
}
"""


def drop_file(browser: Browser, text: str, name: str = "positions.txt") -> None:
    """Drop a file of this text on the work view."""
    browser.one("[data-drop]")
    browser.run(DROP, text, name)
    browser.until(lambda: name in browser.text("[data-chosen]"), "the file is not taken")


def job_number(browser: Browser) -> int:
    """The job that the work view says has begun."""

    def named() -> str | None:
        words = browser.text("[data-outcome]").split()
        return next((word for word in words if word.isdigit()), None)

    return int(browser.until(named, "no job has begun"))


def job_state(browser: Browser, job: int) -> str | None:
    """The state of a job, as its card shows it."""
    return browser.one(f"[data-job='{job}']").get_attribute("data-state")


def overflow(browser: Browser) -> list[str]:
    """What is wider than the page, where the page scrolls to the side for it."""
    found: list[str] = browser.run(
        """
        const width = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= width) return [];
        return [...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > width + 1)
            .map((one) => `${one.tagName}.${one.getAttribute("class")}`);
        """
    )
    return found


def small_targets(browser: Browser, width: int, height: int) -> list[str]:
    """Buttons, links of menus and fields that are smaller than a fingertip."""
    found: list[str] = browser.run(
        """
        const [width, height] = arguments;
        const kinds = "button, nav a, select, input:not([type=file]), summary";
        return [...document.querySelectorAll(kinds)]
            .map((one) => [one.closest("label") ?? one, one])
            .filter(([box, one]) => one.checkVisibility({visibilityProperty: true}))
            .map(([box, one]) => [box.getBoundingClientRect(), one])
            .filter(([box]) => box.width > 0 && (box.width < width || box.height < height))
            .map(([box, one]) => `${one.outerHTML.slice(0, 80)} ${box.width}x${box.height}`);
        """,
        width,
        height,
    )
    return found
