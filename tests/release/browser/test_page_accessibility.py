"""Every view of the page on a desktop and a phone screen, dark and light, under axe-core.

axe-core is downloaded once from the npm registry, into ``build/``. It is not shipped or served: the
driver runs its source in the page.
"""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.browser import DESKTOP, PHONE, Browser
from tests.support.lacking import leave_out
from tests.support.page import open_analysis, overflow, small_targets, state
from tests.support.running.waiting import HANG_SECONDS

BUILD: Final = Path(__file__).parents[3] / "build" / "axe"
PACKAGE: Final = "axe-core@4"

GAME = "4444446552"
VIEWS: Final = {
    "analysis": "/?pos=4453",
    "won": "/?pos=1212121",
    "embedded": "/embed?pos=4453",
    "play": "/?view=play",
    "review": f"/?pos={GAME}&review={GAME}",
    "lesson": "/?pos=767755&board=7x6&line=76775521&review=7677552134453472445343",
    "book": "/explore?show=book&moves=44",
    "positions": "/explore?show=positions",
    "games": "/explore?show=games",
    "game": "/explore?show=game&match=1&number=0",
    "matches": "/explore?show=matches",
    "match": "/explore?show=match&match=1",
    "puzzles": "/puzzles?board=5x5&seed=5",
    "work": "/work",
    "api": "/api/v1/",
}
READY: Final = {
    "analysis": "#line .chip",
    "won": ".mark-four",
    "embedded": "#embedded a",
    "play": "#play-start",
    "review": "#review .side-share",
    "lesson": "#lesson .lesson-line",
    "book": ".book-tree table",
    "game": ".last-position",
    "match": "figure svg.plot",
    "puzzles": "#puzzle-solution",
    "work": "[data-job]",
    "api": ".api dl",
}
"""An element that a view has when it is ready; the other views have a table."""
TAB, ENTER = "\ue004", "\ue007"
NARROW: Final = (320, 568)
FINGER: Final = (44, 44)
"""Pixels that a fingertip needs, horizontally and vertically."""
CUT_OFF: Final = """
const right = (one) => one.getBoundingClientRect().right;
return [...document.querySelectorAll("#tabs, #tabs a, .controls button, .subtabs, .subtabs a")]
    .filter((one) => one.checkVisibility())
    .filter((one) => right(one) > innerWidth || one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.outerHTML.slice(0, 80));
"""
"""The tabs and controls that the window cuts off."""
STOPS: Final = """
const stops = "a[href], button, input, select, textarea, summary, [tabindex]";
const isStop = (one) => one.tabIndex >= 0 && !one.disabled && (one.type !== "radio" || one.checked);
const shown = [...document.querySelectorAll(stops)]
    .filter((one) => isStop(one) && one.checkVisibility({visibilityProperty: true}));
window.missed = new Set(shown);
window.invisible = [];
const isOutlined = (one) => {
    const {outlineStyle, boxShadow, stroke} = getComputedStyle(one);
    return [outlineStyle, boxShadow, stroke].some((value) => value !== "none");
};
document.addEventListener("focusin", ({target}) => {
    missed.delete(target);
    const drawn = [target, target.closest("label"), target.nextElementSibling];
    if (!drawn.some((one) => one !== null && isOutlined(one))) invisible.push(target.outerHTML);
});
return shown.length;
"""
"""Counts what Tab must reach, and watches the focus from now on."""
STANDING: Final = """
const one = document.activeElement;
return !was.checkVisibility() && one !== document.body && one.checkVisibility();
"""
"""Whether the element that had the focus is gone, and another one has it."""
RUN: Final = """
const done = arguments[arguments.length - 1];
const told = (one) => ({
    id: one.id,
    help: one.help,
    nodes: one.nodes.slice(0, 4).map((node) => node.html.slice(0, 150)),
    why: one.nodes.slice(0, 2).map((node) => node.failureSummary),
});
axe.run(document, {resultTypes: ["violations"]})
    .then((found) => done(found.violations.map(told)), (error) => done([{id: String(error)}]));
"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    source = BUILD / "axe.min.js"
    if not source.exists():
        if shutil.which("npm") is None:
            leave_out("npm is not installed, which gets axe-core")
        # Processes that run tests at the same time may all get it.
        own = BUILD / str(os.getpid())
        own.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "pack", PACKAGE, "--silent"],
            cwd=own,
            capture_output=True,
            check=False,
            text=True,
            timeout=HANG_SECONDS,
        )
        if done.returncode:
            leave_out(f"axe-core cannot be had from the npm registry: {done.stderr.strip()[:200]}")
        with tarfile.open(own / done.stdout.split()[-1]) as archive:
            packed = archive.extractfile("package/axe.min.js")
            assert packed is not None
            unfinished = own / "axe.min.js"
            unfinished.write_bytes(packed.read())
            unfinished.replace(source)
    return source.read_text()


def violations(browser: Browser, axe: str) -> list[dict[str, Any]]:
    """The problems that axe-core finds on the visible page."""
    browser.run(axe)
    found: list[dict[str, Any]] = browser.driver.execute_async_script(RUN)
    return found


def open_view(browser: Browser, view: str) -> None:
    browser.open(VIEWS[view])
    browser.one(READY.get(view, "[data-explore] tbody a"))
    if VIEWS[view].startswith("/?"):
        browser.until(lambda: state(browser) != "asking", "no answer")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.usefixtures("stored")
def test_a_view_has_no_violations(browser: Browser, axe: str, view: str, scheme: str) -> None:
    browser.prefer(color_scheme=scheme, reduced_motion="reduce")
    for size in (DESKTOP, PHONE, NARROW):
        browser.resize(*size)
        open_view(browser, view)
        assert browser.run("return document.documentElement.dataset.theme ?? 'light'") == scheme
        assert not violations(browser, axe)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.usefixtures("stored")
def test_a_view_fits_a_phone_and_a_finger(browser: Browser, view: str) -> None:
    for width, height in (NARROW, PHONE):
        browser.resize(width, height)
        open_view(browser, view)
        assert browser.run("return innerWidth") == width
        assert not overflow(browser)
        assert not browser.run(CUT_OFF)
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    assert not small_targets(browser, *FINGER)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.usefixtures("stored")
def test_tab_reaches_everything_with_a_visible_focus(browser: Browser, view: str) -> None:
    open_view(browser, view)
    for _ in range(browser.run(STOPS) + 5):
        browser.press(TAB)
    assert not browser.run("return [...missed].map((one) => one.outerHTML)")
    assert not browser.run("return invisible")


@pytest.mark.parametrize(
    ("view", "selector"),
    [
        ("analysis", "#line button"),
        ("lesson", "#back-to-game"),
        ("puzzles", "#puzzle-solution"),
        ("games", "[data-game]"),
    ],
)
@pytest.mark.usefixtures("stored")
def test_the_focus_is_not_lost_with_its_element(browser: Browser, view: str, selector: str) -> None:
    open_view(browser, view)
    browser.one(selector)
    browser.run("window.was = document.querySelector(arguments[0]); was.focus()", selector)
    browser.press(ENTER)
    browser.until(lambda: browser.run(STANDING), "the focus is lost")


DIALOGS: Final = ("setup", "help", "share")


@pytest.mark.parametrize("dialog", DIALOGS)
def test_a_dialog_has_no_violations(browser: Browser, axe: str, dialog: str) -> None:
    open_analysis(browser, pos="4453")
    browser.run("document.querySelector(arguments[0]).click()", f"#open-{dialog}")
    browser.one(f"#{dialog}[open]")
    assert not violations(browser, axe)


@pytest.mark.parametrize("dialog", DIALOGS)
def test_a_dialog_fits_a_phone_and_starts_at_the_top(browser: Browser, dialog: str) -> None:
    browser.resize(*PHONE)
    open_analysis(browser, pos="4453")
    browser.run("document.querySelector(arguments[0]).click()", f"#open-{dialog}")
    browser.one(f"#{dialog}[open]")
    script = "const it = document.querySelector(arguments[0]); return [it.scrollTop, {}];"
    wider = script.format("it.scrollWidth - it.clientWidth")
    assert browser.run(wider, f"#{dialog}") == [0, 0]
    assert not small_targets(browser, *FINGER)
