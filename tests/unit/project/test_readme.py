"""The README's Python session is run, line by line as written."""

import doctest
from pathlib import Path

README = Path(__file__).parents[3] / "README.md"


def test_python_session() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0
