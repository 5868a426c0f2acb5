"""The wheel, installed in an empty environment without a compiler, passes basic checks.

``C4_TEST_WHEEL`` names the wheel. ``tests/release/package`` tests more of it.
"""

import json
import re
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.running.command_line import ROOT
from tests.support.running.environments import Environment, named_wheel
from tests.support.running.processes import obey_permissions
from tests.support.running.waiting import HANG_SECONDS

SERVER = ROOT / "deploy" / "kubernetes" / "base" / "server.yaml"

EASY = "2252576253462244111563365343671351441"


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


def test_data_files_are_installed(installed: Environment) -> None:
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
        made[name] = Environment.empty(directory / name, directory)
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
    with subprocess.Popen(
        ["c4", *arguments, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **frozen
    ) as server:
        try:
            assert server.stdout is not None
            port = json.loads(server.stdout.readline())["url"].split(":")[2]

            def status(path: str, host: str) -> int:
                request = urllib.request.Request(f"http://127.0.0.1:{port.strip('/')}{path}")
                request.add_header("Host", host)
                try:
                    with urllib.request.urlopen(request, timeout=HANG_SECONDS) as answer:
                        return int(answer.status)
                except urllib.error.HTTPError as error:
                    return error.code

            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                asked = container[probe]["httpGet"]
                (header,) = asked["httpHeaders"]
                assert header["name"] == "Host"
                assert status(asked["path"], header["value"]) == 200
                assert (
                    status(asked["path"], f"10.0.0.1:{port}") != 200
                )  # so the Host header is needed
            for name in hosts.split():
                assert status("/", name) == 200
        finally:
            server.terminate()
        assert server.wait(HANG_SECONDS) == 0
