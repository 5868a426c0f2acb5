"""Virtual environments for tests, with nothing in them but what was installed there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.running.command_line import Result

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and a directory to work in that sees no checkout."""

    path: Path
    directory: Path

    @classmethod
    def make(cls, path: Path, directory: Path, *packages: str) -> Environment:
        """Make one with these packages."""
        subprocess.run([sys.executable, "-m", "venv", path], check=True)
        made = cls(path, directory)
        done = made.shell(f"pip install --quiet {' '.join(packages)}")
        assert done.code == 0, done.err
        return made

    def copy(self, path: Path, directory: Path) -> Environment:
        """Another one with the same packages: faster than to install them."""
        shutil.copytree(self.path, path, symlinks=True)
        old, new = os.fsencode(self.path), os.fsencode(path)
        for script in (path / "bin").iterdir():
            if not script.is_symlink():
                script.write_bytes(script.read_bytes().replace(old, new))
        return Environment(path, directory)

    def variables(self, **more: str) -> dict[str, str]:
        """The environment variables of its processes: none of the tests' own."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("C4_", "PYTHON", "VIRTUAL_ENV"))
        }
        own = {
            "PATH": f"{self.path / 'bin'}:{os.environ['PATH']}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "XDG_DATA_HOME": str(self.directory / "data"),
        }
        return kept | own | more

    def shell(self, line: str, **variables: str) -> Result:
        """Run lines in bash to their end."""
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
        """Start a program, whose output is in the file ``log`` of the directory."""
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
