"""Actions and observations of tests of the page; index.html promises the hooks used here."""

from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from tests.support.browser import Browser, PageServer

SAMPLES: Final = Path(__file__).parents[2] / "cli" / "data" / "sample-positions.txt"
PLAYERS: Final = ("random", "set", "minimax-windows:depth=1")


def late_positions(stones: int) -> list[str]:
    """Positions with at least ``stones`` stones, which are in no book and are solved at once."""
    return [line for line in SAMPLES.read_text().splitlines() if len(line) >= stones]


def store_games_and_positions(server: PageServer, *, games: int, positions: int) -> None:
    """Give a server data to explore: a tournament of three players, and positions."""
    server.run("tournament", *PLAYERS, "--games", str(games), "--seed", "7")
    server.run("analyze", "-", stdin="\n".join(late_positions(20)[:positions]))


def open_analysis(browser: Browser, **query: str) -> None:
    """Open the analysis of a position, and wait for its evaluation."""
    browser.open(f"/?{urlencode(query)}")
    await_answer(browser)


def await_answer(browser: Browser) -> None:
    """Wait until the answer about the position is complete."""
    browser.until(lambda: state(browser) == "ready", "the position is not evaluated")


def state(browser: Browser) -> str | None:
    """The state of the board's evaluation."""
    return browser.one("body").get_attribute("data-state")


def columns(browser: Browser) -> dict[int, int]:
    """The scores shown, by column."""
    found = browser.run(
        "return [...document.querySelectorAll('#columns [data-score]')]"
        ".map((one) => [one.dataset.column, one.dataset.score])"
    )
    return {int(column): int(score) for column, score in found}


def stones(browser: Browser) -> int:
    return len(browser.all("#board .stone"))


def await_stones(browser: Browser, number: int) -> None:
    """Wait until the board has this many stones."""
    browser.until(lambda: stones(browser) == number, f"not {number} stones on the board")


def numbers(browser: Browser, selector: str, name: str) -> list[int]:
    """The values of a ``data-`` attribute of all matching elements."""
    script = """
        const [selector, name] = arguments;
        return [...document.querySelectorAll(selector)].map((one) => one.dataset[name]);
    """
    return [int(value) for value in browser.run(script, selector, name)]


def moves_on_board(browser: Browser) -> str:
    """The moves up to the position shown, from the address."""
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
    browser.one("[data-drop]")
    browser.run(DROP, text, name)
    browser.until(lambda: name in browser.text("[data-chosen]"), "the file is not taken")


def job_number(browser: Browser) -> int:
    """The number of the job that the work view has started."""

    def named() -> str | None:
        words = browser.text("[data-outcome]").split()
        return next((word for word in words if word.isdigit()), None)

    return int(browser.until(named, "no job has begun"))


def job_state(browser: Browser, job: int) -> str | None:
    return browser.one(f"[data-job='{job}']").get_attribute("data-state")


def overflow(browser: Browser) -> list[str]:
    """The elements wider than the page, if the page scrolls sideways."""
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
    """Buttons, menu links and fields that are smaller than a fingertip."""
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
