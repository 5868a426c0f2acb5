"""A real browser on a real server, for tests of the page.

The server is a ``c4 serve`` process with its own database. The browser is Debian's Chromium,
headless, driven by selenium.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.webelement import WebElement

from tests.support.running.server_process import free_port
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import ROOT, WebServer

CHROMIUM: Final = "/usr/bin/chromium"
DRIVER: Final = "/usr/bin/chromedriver"

DESKTOP: Final = (1280, 900)
PHONE: Final = (360, 740)

FLAGS: Final = (
    "--headless",
    "--no-sandbox",  # for Chromium as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

CALL: Final = """
const [name, given, done] = arguments;
import(document.querySelector("script[type=module]").src)
    .then(({$}) => $[name])
    .then((module) => {%s})
    .then((value) => done({value}), (error) => done({error: String(error.stack ?? error)}));
"""
"""The call is inserted into the script, because the page's policy forbids code made from text."""


class PageServer(WebServer):
    """A ``c4 serve`` process, and other commands on the same database.

    It does not limit requests: a test opens more pages in a second than any user.
    """

    def __init__(self, *options: str) -> None:
        super().__init__("--rate=0", *options)

    def run(self, *arguments: str, stdin: str = "") -> None:
        """Run another command to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "cli", *self._settings, *arguments],
            cwd=self.directory,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            input=stdin,
            capture_output=True,
            check=False,
            text=True,
            timeout=HANG_SECONDS,
        )
        assert done.returncode == 0, done.stderr


class Browser:
    """A page in a browser, with methods named after user actions."""

    def __init__(self, driver: Chrome, downloads: Path) -> None:
        self.driver = driver
        self.downloads = downloads
        self.server: PageServer | None = None
        """The server for addresses that begin with a slash."""

    def open(self, address: str) -> None:
        """Open an address and wait until its scripts have started."""
        is_path = address.startswith("/")
        self.driver.get(f"{self.server.url}{address}" if self.server and is_path else address)

    def all(self, selector: str) -> list[WebElement]:
        """The elements that match now."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """The first visible element that matches; waits for one."""

        def shown() -> WebElement | None:
            return next((found for found in self.all(selector) if found.is_displayed()), None)

        found: WebElement = self.until(shown, f"nothing that is shown matches {selector}")
        return found

    def text(self, selector: str) -> str:
        """The visible text of an element, which may be replaced meanwhile."""
        (text,) = self.until(lambda: (self.one(selector).text,), f"{selector} does not stay")
        return str(text)

    def texts(self, selector: str) -> list[str]:
        """The visible texts of all elements that match now, read at the same moment."""
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)"
        return [str(text).strip() for text in self.run(script, selector)]

    def click(self, selector: str) -> None:
        self.until_done(lambda: self.one(selector).click())

    def type(self, selector: str, text: str) -> None:
        """Replace the text of a field."""
        field = self.one(selector)
        field.clear()
        field.send_keys(text)

    def press(self, *keys: str) -> None:
        """Press keys, with the focus unchanged."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def run(self, script: str, *arguments: object) -> Any:  # noqa: ANN401 (of JavaScript)
        """Return the value of a script's ``return``."""
        return self.driver.execute_script(script, *arguments)

    def until(self, holds: Callable[[], Any], why: str, seconds: float = HANG_SECONDS) -> Any:  # noqa: ANN401
        """Return the first true value of a question; it is false if an element disappears."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if value := holds():
                    return value
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            assert time.monotonic() < deadline, f"{why}\n{self.report()}"
            time.sleep(0.03)

    def until_done(self, act: Callable[[], object]) -> None:
        """Retry an action while another element covers its target."""

        def done() -> bool:
            try:
                act()
            except ElementClickInterceptedException:
                return False
            return True

        self.until(done, "it cannot be clicked")

    def announced(self) -> str:
        """The last announcement to screen readers."""
        return str(self.run("return document.querySelector('#announcement').textContent"))

    def resize(self, width: int, height: int) -> None:
        """Set the size of the page itself: windows have borders and a minimum width."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    def prefer(self, **features: str) -> None:
        """Set a user preference: ``color_scheme="dark"``, ``reduced_motion="reduce"``."""
        wanted = [
            {"name": f"prefers-{name.replace('_', '-')}", "value": value}
            for name, value in features.items()
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})

    def faults(self) -> list[str]:
        """The errors in the page's console since the last call."""
        get_log: Callable[[str], list[dict[str, str]]] = self.driver.get_log
        return [entry["message"] for entry in get_log("browser") if entry["level"] == "SEVERE"]

    def await_refusal(self) -> None:
        """Wait for the log of a refused request; it may come after the page shows the refusal."""
        self.until(self.faults, "the browser logs no refusal")

    def download(self, pattern: str) -> Path:
        """A downloaded file, once it is complete; it must not be empty."""

        def whole() -> Path | None:
            # Browsers keep an empty file of this name while they write to another one.
            if any(self.downloads.glob("*.crdownload")):
                return None
            found = self.downloads.glob(pattern)
            return next((path for path in found if path.stat().st_size > 0), None)

        found: Path = self.until(whole, f"no {pattern} was downloaded")
        return found

    def report(self) -> str:
        """A description of the visible page, for the message of a failed test."""
        body = self.all("body")
        return f"{self.driver.current_url}\n{body[0].text[:2000] if body else ''}\n{self.faults()}"


def ask_module(browser: Browser, name: str, script: str, given: object) -> Any:  # noqa: ANN401
    """Return the value of a script's ``return``, to compare the page's modules with the library.

    The script can use ``module``, the exports of the module ``name`` of the open page, and the JSON
    value ``given``.
    """
    found = browser.driver.execute_async_script(CALL % script, name, given)
    assert "error" not in found, found["error"]
    return found.get("value")


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A separate browser with a temporary profile."""
    for package, program in {"chromium": CHROMIUM, "chromium-driver": DRIVER}.items():
        assert Path(program).exists(), f"{program} is missing: install Debian's package {package}"
    options = ChromeOptions()
    options.binary_location = CHROMIUM
    profile, downloads = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
    for flag in (*FLAGS, f"--user-data-dir={profile}", "--window-size={},{}".format(*DESKTOP)):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(DRIVER, port=free_port()))
    driver.set_script_timeout(HANG_SECONDS)
    try:
        yield Browser(driver, downloads)
    finally:
        driver.quit()
        shutil.rmtree(profile, ignore_errors=True)
        shutil.rmtree(downloads, ignore_errors=True)
