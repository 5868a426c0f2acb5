"""A real browser on a real server, for tests of the page.

The server is a process of ``c4 serve`` with a database of its own. The browser is Debian's
Chromium, without a window, driven by selenium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from selenium.common.exceptions import (
    ElementClickInterceptedException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

from tests.support.running.server_process import free_port
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import ROOT, WebServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selenium.webdriver.remote.webelement import WebElement

CHROMIUM: Final = "/usr/bin/chromium"
DRIVER: Final = "/usr/bin/chromedriver"

DESKTOP: Final = (1280, 900)
PHONE: Final = (360, 740)

FLAGS: Final = (
    "--headless",
    "--no-sandbox",  # of Chromium as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


class PageServer(WebServer):
    """``c4 serve``, with other commands that work on the same database.

    It counts no requests: a test opens more pages in a second than anybody else does.
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
    """A page in a browser, with words for what people do there."""

    def __init__(self, driver: Chrome, downloads: Path) -> None:
        self.driver = driver
        self.downloads = downloads
        self.server: PageServer | None = None
        """The server of addresses that begin with a slash."""

    def open(self, address: str) -> None:
        """Go to an address, and wait until its scripts have begun."""
        is_path = address.startswith("/")
        self.driver.get(f"{self.server.url}{address}" if self.server and is_path else address)

    def all(self, selector: str) -> list[WebElement]:
        """The elements that match now."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """The first element that matches, as soon as there is one that is shown."""

        def shown() -> WebElement | None:
            return next((found for found in self.all(selector) if found.is_displayed()), None)

        found: WebElement = self.until(shown, f"nothing that is shown matches {selector}")
        return found

    def text(self, selector: str) -> str:
        """What people read in an element, which may be replaced meanwhile."""
        (text,) = self.until(lambda: (self.one(selector).text,), f"{selector} does not stay")
        return str(text)

    def texts(self, selector: str) -> list[str]:
        """What people read in the elements that match now, all at the same moment."""
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)"
        return [str(text).strip() for text in self.run(script, selector)]

    def click(self, selector: str) -> None:
        """Click on an element where it is."""
        self.until_done(lambda: self.one(selector).click())

    def type(self, selector: str, text: str) -> None:
        """Put a text into a field in place of what is there."""
        field = self.one(selector)
        field.clear()
        field.send_keys(text)

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def run(self, script: str, *arguments: object) -> Any:  # noqa: ANN401 (of JavaScript)
        """The value of a script's ``return``."""
        return self.driver.execute_script(script, *arguments)

    def until(self, holds: Callable[[], Any], why: str, seconds: float = HANG_SECONDS) -> Any:  # noqa: ANN401
        """The first value of a question that is true; of elements that go meanwhile it is not."""
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
        """Do something that cannot be done yet as long as another element is in its place."""

        def done() -> bool:
            try:
                act()
            except ElementClickInterceptedException:
                return False
            return True

        self.until(done, "it cannot be clicked")

    def announced(self) -> str:
        """What a screen reader was told last."""
        return str(self.run("return document.querySelector('#announcement').textContent"))

    def resize(self, width: int, height: int) -> None:
        """Make the page so large: windows have borders, and are never as narrow as a phone."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    def prefer(self, **features: str) -> None:
        """Set what a person prefers: ``color_scheme="dark"``, ``reduced_motion="reduce"``."""
        wanted = [
            {"name": f"prefers-{name.replace('_', '-')}", "value": value}
            for name, value in features.items()
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})

    def screenshot(self, path: Path) -> None:
        """Keep what is seen now."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))

    def faults(self) -> list[str]:
        """What the page's console has said of errors since the last question."""
        get_log: Callable[[str], list[dict[str, str]]] = self.driver.get_log
        return [entry["message"] for entry in get_log("browser") if entry["level"] == "SEVERE"]

    def await_refusal(self) -> None:
        """Wait for the log of a refused request: it may come after the page has told of it."""
        self.until(self.faults, "the browser logs no refusal")

    def download(self, pattern: str) -> Path:
        """A file that was downloaded, when all of it is there; it has to have something in it."""

        def whole() -> Path | None:
            # Browsers hold the name with an empty file as long as they write another one.
            if any(self.downloads.glob("*.crdownload")):
                return None
            found = self.downloads.glob(pattern)
            return next((path for path in found if path.stat().st_size > 0), None)

        found: Path = self.until(whole, f"no {pattern} was downloaded")
        return found

    def report(self) -> str:
        """What there is to see, for whoever reads that a test has failed."""
        body = self.all("body")
        return f"{self.driver.current_url}\n{body[0].text[:2000] if body else ''}\n{self.faults()}"


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser of its own, whose profile is thrown away."""
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
    try:
        yield Browser(driver, downloads)
    finally:
        driver.quit()
        shutil.rmtree(profile, ignore_errors=True)
        shutil.rmtree(downloads, ignore_errors=True)
