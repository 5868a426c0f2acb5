"""Run the page's own modules in the browser, to compare their answers with the library."""

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
"""The call is inserted into the script, because the page's policy forbids code made from text."""


def ask_module(browser: Browser, name: str, script: str, given: object) -> Any:  # noqa: ANN401
    """Return the value of a script's ``return``.

    The script can use ``module``, the exports of the module ``name``, and the JSON value ``given``.
    """
    found = browser.driver.execute_async_script(CALL % script, f"/static/js/{name}", given)
    assert "error" not in found, found["error"]
    return found.get("value")
