"""The wheel, installed in an empty environment without a compiler, passes basic checks.

``C4_TEST_WHEEL`` names the wheel. ``tests/release/package`` tests more of it.
"""

import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.boards.games import EASY
from tests.support.running.command_line import ROOT
from tests.support.running.environments import Environment, named_wheel
from tests.support.running.processes import obey_permissions
from tests.support.running.waiting import HANG_SECONDS

SERVER = ROOT / "deploy" / "kubernetes" / "base" / "server.yaml"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel, whose directory is outside the checkout."""
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


def test_programs_of_the_documents_run(installed: Environment) -> None:
    done = installed.shell(f"python -m doctest {ROOT}/docs/python.md {ROOT}/README.md")
    assert done.code == 0, done.out


def test_data_files_are_installed(installed: Environment) -> None:
    done = installed.shell("c4 certificate verify 5x4")
    assert done.code == 0, done.err


@contextmanager
def serving(*arguments: str, **process: Any) -> Iterator[str]:  # noqa: ANN401 (Popen's own)
    """The URL of a server, which ends without an error when it is asked to."""
    command = ["c4", *arguments, "--json"]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **(process | pipes)) as server:
        try:
            assert server.stdout is not None
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()
        assert server.wait(HANG_SECONDS) == 0


def test_server_is_healthy(installed: Environment) -> None:
    variables = installed.variables(C4_DB="c4.db")
    with serving("serve", "--port=0", cwd=installed.directory, env=variables) as url:
        with urllib.request.urlopen(f"{url}healthz", timeout=HANG_SECONDS) as answer:
            assert answer.status == 200
        with urllib.request.urlopen(url, timeout=HANG_SECONDS) as page:
            assert b"<html" in page.read()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The two installing stages of the Dockerfile, each in its own environment.

    They install the wheel instead of compiling the sources again.
    """
    directory = tmp_path_factory.mktemp("image")
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    (build,) = re.findall(r"RUN (pip wheel .*)", text)
    (install,) = re.findall(r"(pip install .*)", text)
    made = {}
    for name, line in (("build", build), ("run", install)):
        made[name] = Environment.empty(directory / name, directory, "--seed")
        here = line.replace('".[', f'"{named_wheel()}[').replace("/wheels", f"{directory}/wheels")
        done = made[name].shell(here)
        assert done.code == 0, done.err
    return made["run"]


@pytest.fixture
def frozen(image: Environment, tmp_path: Path) -> dict[str, Any]:
    """The settings of a container: the home is read-only, and a temporary directory is writable."""
    (tmp_path / "tmp").mkdir()
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    variables = image.variables(
        HOME=str(home),
        TMPDIR=str(tmp_path / "tmp"),
        XDG_CONFIG_HOME=str(home / ".config"),
        XDG_DATA_HOME=str(home / ".local" / "share"),
    )
    return {"cwd": home, "env": variables, "preexec_fn": obey_permissions, "text": True}


def test_image_runs_commands(frozen: dict[str, Any]) -> None:
    text = (ROOT / "Dockerfile").read_text()
    (entry,), (default,) = (re.findall(rf"{key} (\[.*\])", text) for key in ("ENTRYPOINT", "CMD"))
    for arguments in (json.loads(default), ["solve", "4453"], ["certificate", "verify", "5x4"]):
        done = subprocess.run(
            [*json.loads(entry), *arguments], capture_output=True, check=False, **frozen
        )
        assert done.returncode == 0, done.stderr


def test_image_answers_kubernetes_probes(frozen: dict[str, Any], tmp_path: Path) -> None:
    deployment, _service = yaml.safe_load_all(SERVER.read_text())
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    (hosts,) = (each["value"] for each in container["env"] if each["name"] == "C4_WEB_HOSTS")
    arguments = ["--port=0" if "--port" in word else word for word in container["args"]]
    frozen["env"] |= {
        "C4_DB": str(tmp_path / "tmp" / "c4.db"),
        "C4_WEB_HOSTS": hosts,
        "C4_WEB_TOKEN": "token",
    }
    with serving(*arguments, **frozen) as url:
        port = url.strip("/").rpartition(":")[2]

        def status(path: str, host: str) -> int:
            with closing(HTTPConnection("127.0.0.1", int(port), timeout=HANG_SECONDS)) as client:
                client.request("GET", path, headers={"Host": host})
                return client.getresponse().status

        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert status(container[probe]["httpGet"]["path"], f"10.0.0.1:{port}") == 200
        assert status("/", f"10.0.0.1:{port}") != 200  # so only probes may use the pod's address
        for name in hosts.split():
            assert status("/", name) == 200
