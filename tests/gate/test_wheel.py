"""The wheel, installed in an empty environment without a compiler, does what a user asks first.

``C4_TEST_WHEEL`` names it. More of the wheel is tested in ``tests/release/package``.
"""

import json
import subprocess
import urllib.request

import pytest

from tests.support.running.environments import Environment, named_wheel
from tests.support.running.waiting import HANG_SECONDS

EASY = "2252576253462244111563365343671351441"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The environment, and a directory that sees no checkout."""
    directory = tmp_path_factory.mktemp("wheel")
    return Environment.make_with_web(directory / "environment", directory, named_wheel())


def test_there_is_no_compiler(installed: Environment) -> None:
    names = "cc gcc g++ c++ clang ld as x86_64-linux-gnu-gcc $CC"
    done = installed.shell(f"for name in {names}; do $name --version && exit 1; done; true")
    assert done.code == 0


def test_positions_are_solved_stored_and_found(installed: Environment) -> None:
    done = installed.shell(
        f"""
        c4 solve --no-book --json {EASY}
        printf '4453\\n{EASY}\\n' | c4 analyze -q -
        c4 query --jsonl {EASY}
        """,
        C4_DB="c4.db",
    )
    assert done.code == 0, done.err
    solved, in_book, analyzed, found = done.objects
    assert (solved["score"], solved["source"]) == (-1, "search")
    assert (in_book["moves"], in_book["source"]) == ("4453", "book")
    assert (analyzed["score"], found["score"]) == (-1, -1)


def test_files_of_data_are_installed(installed: Environment) -> None:
    done = installed.shell("c4 certificate verify 5x4")
    assert done.code == 0, done.err


def test_server_is_healthy(installed: Environment) -> None:
    with subprocess.Popen(
        ["c4", "serve", "--port=0", "--json"],
        cwd=installed.directory,
        env=installed.variables(C4_DB="c4.db"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            with urllib.request.urlopen(f"{url}healthz", timeout=HANG_SECONDS) as answer:
                assert answer.status == 200
            with urllib.request.urlopen(url, timeout=HANG_SECONDS) as page:
                assert b"<html" in page.read()
        finally:
            server.terminate()
        assert server.wait(HANG_SECONDS) == 0
