"""The wheel names its supported systems and installs without a compiler.

The other tests in this folder have no compiler either: a worker over Redis, a batch, and the
README.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.support.running.command_line import ROOT
from tests.support.running.environments import Environment, named_wheel


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
    sources = {
        str(path.relative_to(ROOT))
        for kind in ("pyi", "pxd", "pxi", "pyx")
        for path in (ROOT / "c4core").rglob(f"*.{kind}")
    }
    data = {
        str(path.relative_to(ROOT))
        for directory in ("c4core/data", "cli/data", "web/pages")
        for path in (ROOT / directory).rglob("*")
        if path.is_file()
    }
    assert sources
    assert data
    assert (sources | data) - packed == set()


def test_the_shipped_certificates_are_found(installed: Environment) -> None:
    assert installed.shell("c4 certificate verify 7x6").code == 0
    done = installed.shell("c4 match proof:5x4 random --board 5x4 --games 4 --judge none -q")
    assert done.code == 0, done.err
