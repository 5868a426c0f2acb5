"""Virtual environments for tests that contain only the packages installed there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.running.command_line import ROOT, Result

COMPILERS = re.compile(
    r"(.*-)?(as|c89|c99|cc|c\+\+|clang|clang\+\+|cpp|g\+\+|gcc|ld|tcc)(-[\d.]+)?"
)
"""The names of the programs of a C compiler."""

UV = str(Path(sys.executable).parent / "uv")
"""Installs packages many times faster than pip."""


def named_wheel() -> Path:
    name = os.environ.get("C4_TEST_WHEEL")
    if not name:
        pytest.fail("C4_TEST_WHEEL names no wheel; `uv build --wheel` makes one", pytrace=False)
    return Path(name).resolve()


@dataclass(frozen=True)
class Environment:
    """A virtual environment without a C compiler, and a directory outside the checkout."""

    path: Path
    directory: Path

    @classmethod
    def empty(cls, path: Path, directory: Path, *options: str) -> Environment:
        """Make an environment without packages; ``--seed`` installs pip."""
        new = ("--quiet", "--python", sys.executable, *options)
        subprocess.run([UV, "venv", *new, path], check=True)
        made = cls(path, directory)
        made.tools.mkdir()
        for place in map(Path, os.environ["PATH"].split(os.pathsep)):
            for program in place.iterdir() if place.is_dir() else ():
                link = made.tools / program.name
                if not COMPILERS.fullmatch(program.name) and not os.path.lexists(link):
                    link.symlink_to(program)
        return made

    @classmethod
    def make(cls, path: Path, directory: Path, wheel: Path) -> Environment:
        """Make an environment with the wheel and its dependencies; pip checks the wheel."""
        made = cls.empty(path, directory, "--seed")
        needed = ("--quiet", "--python", path, "--requirements", ROOT / "pyproject.toml")
        subprocess.run([UV, "pip", "install", *needed], check=True)
        done = made.shell(f"pip install --quiet {shlex.quote(str(wheel))} && pip check")
        assert done.code == 0, done.err
        return made

    @classmethod
    def make_with_web(cls, path: Path, directory: Path, wheel: Path) -> Environment:
        """Make an environment with the wheel and its extra ``web`` quickly, with uv alone."""
        made = cls.empty(path, directory)
        for command in (f"install --only-binary :all: '{wheel}[web]'", "check"):
            done = made.shell(f"{UV} pip {command} --quiet --python {path}")
            assert done.code == 0, done.err
        return made

    @property
    def tools(self) -> Path:
        """All programs on the tests' path except compilers, as links; they replace the path."""
        return self.path / "tools"

    def copy(self, path: Path, directory: Path) -> Environment:
        """Copy the environment with its packages: faster than installing them."""
        shutil.copytree(self.path, path, symlinks=True)
        old, new = os.fsencode(self.path), os.fsencode(path)
        for script in (path / "bin").iterdir():
            if not script.is_symlink():
                script.write_bytes(script.read_bytes().replace(old, new))
        return Environment(path, directory)

    def variables(self, **more: str) -> dict[str, str]:
        """The environment variables of its processes, without any of the tests' own."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("C4_", "PYTHON", "VIRTUAL_ENV"))
        }
        own = {
            "CC": "false",
            "PATH": f"{self.path / 'bin'}:{self.tools}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "XDG_DATA_HOME": str(self.directory / "data"),
        }
        return kept | own | more

    def shell(self, line: str, **variables: str) -> Result:
        """Run lines in bash until they end."""
        done = subprocess.run(
            ["bash", "-ec", line],
            cwd=self.directory,
            env=self.variables(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=600,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def start(self, line: str, **variables: str) -> subprocess.Popen[str]:
        """Start a program that writes its output to the file ``log`` in the directory."""
        with (self.directory / "log").open("a") as log:
            return subprocess.Popen(
                ["bash", "-c", f"exec {line}"],
                cwd=self.directory,
                env=self.variables(**variables),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                text=True,
            )
