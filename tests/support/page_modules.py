"""The page's own modules, run by the browser: what they answer is compared with the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tests.support.browser import Browser

CALL: Final = """
const [name, given, done] = arguments;
import(name)
    .then((module) => {%s})
    .then((value) => done({value}), (error) => done({error: String(error.stack ?? error)}));
"""
"""The script is put into its place: the page's rules forbid it to make one of text."""


def ask_module(browser: Browser, name: str, script: str, given: object) -> Any:  # noqa: ANN401
    """The value of a script's ``return``.

    Args:
        browser: shows an address of the server whose modules are asked.
        name: of the module, such as ``game/position.js``.
        script: has ``module``, what the module exports, and ``given``.
        given: what JSON can write.
    """
    found = browser.driver.execute_async_script(CALL % script, f"/static/js/{name}", given)
    assert "error" not in found, found["error"]
    return found.get("value")
