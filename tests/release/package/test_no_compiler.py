"""The wheel names its supported systems, is complete, and works without a compiler.

The other tests in this folder have no compiler either.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.support.boards.games import random_games
from tests.support.running.command_line import ROOT
from tests.support.running.databases import PostgresDatabases
from tests.support.running.environments import Environment, named_wheel
from tests.support.running.waiting import HANG_SECONDS


def test_its_name_states_the_systems() -> None:
    """The name follows from auditwheel's findings."""
    wheel = named_wheel()
    if sys.platform.startswith("linux"):
        shown = subprocess.run(
            ["auditwheel", "show", wheel],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )
        assert "manylinux_2_" in wheel.name
        tag = wheel.stem.rpartition(".")[2]
        assert f'platform tag: "{tag}"' in " ".join(shown.stdout.split())


def test_it_contains_all_stubs_and_data_files() -> None:
    with zipfile.ZipFile(named_wheel()) as wheel:
        packed = set(wheel.namelist())
    kinds = [("c4core", f"*.{kind}") for kind in ("pyi", "pxd", "pxi", "pyx")]
    kinds += [(directory, "*") for directory in ("c4core/data", "cli/data", "web/pages")]
    for directory, pattern in kinds:
        files = filter(Path.is_file, (ROOT / directory).rglob(pattern))
        expected = {str(path.relative_to(ROOT)) for path in files}
        assert expected
        assert expected <= packed


def test_the_shipped_certificates_are_found(installed: Environment) -> None:
    assert installed.shell("c4 certificate verify 7x6").code == 0
    done = installed.shell("c4 match proof:5x4 random --board 5x4 --games 4 --judge none -q")
    assert done.code == 0, done.err


def test_a_worker_answers_a_batch(
    installed: Environment, broker_url: str, postgres_server: PostgresDatabases
) -> None:
    def analyze(**variables: str) -> list[list[object]]:
        done = installed.shell("c4 analyze -q positions.txt", **variables)
        assert done.code == 0, done.err
        fields = ("moves", "score", "scores", "best")
        return [[line[name] for name in fields] for line in done.objects]

    (installed.directory / "positions.txt").write_text("\n".join(random_games(100, empty=20)))
    with postgres_server.database(initialised=False) as url:
        service = {"C4_DB": url, "C4_BROKER": broker_url}
        assert installed.shell("c4 db init", **service).code == 0
        worker = installed.start("c4 worker --threads 1 --table-mb 8", **service)
        try:
            assert analyze(**service) == analyze(C4_DB="alone.db")
            worker.terminate()
            assert worker.wait(HANG_SECONDS) == 0
        finally:
            worker.kill()
            worker.wait()
