"""The version of a checkout, of its packed sources, and of an unpacked archive."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from c4core.version import RELEASE, describe
from tests.support.running.command_line import ROOT

IDENTITY = ("-c", "user.name=c4", "-c", "user.email=c4@example.org")


def git(directory: Path, *arguments: str) -> str:
    command = ["git", "-C", directory, *IDENTITY, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of a small part of the sources, without a tag."""
    copy = tmp_path_factory.mktemp("version") / "checkout"
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "c4core/version.py"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    for package in ("c4core", "cli", "db", "web", "workers"):
        (copy / package).mkdir(exist_ok=True)
        (copy / package / "__init__.py").touch()
    git(copy, "init")
    git(copy, "add", ".")
    git(copy, "commit", "-m", "one")
    return copy


def packed(checkout: Path) -> tuple[str, str]:
    """The file version.py of an sdist and of the sources of a wheel."""
    words = ("-q", "sdist", "build_py", "--build-lib", "copied")
    subprocess.run([sys.executable, "setup.py", *words], cwd=checkout, check=True)
    (file,) = (checkout / "dist").glob("*.tar.gz")
    with tarfile.open(file) as archive:
        (member,) = (each for each in archive.getnames() if each.endswith("/c4core/version.py"))
        source = archive.extractfile(member)
        assert source is not None
        in_sdist = source.read().decode()
    in_wheel = (checkout / "copied" / "c4core" / "version.py").read_text()
    shutil.rmtree(checkout / "dist")
    shutil.rmtree(checkout / "copied")
    return in_sdist, in_wheel


def test_the_version_says_which_build_it_is(checkout: Path, tmp_path: Path) -> None:
    commit = git(checkout, "rev-parse", "--short=8", "HEAD")
    version = f"{RELEASE}.dev0+g{commit}"
    assert describe(checkout) == version
    assert f'RELEASE = "{version}"\n' in packed(checkout)[0]

    git(checkout, "tag", "v1.0.0")
    assert describe(checkout) == "1.0.0"
    for text in packed(checkout):
        assert 'RELEASE = "1.0.0"\n' in text
        (tmp_path / "c4core").mkdir(exist_ok=True)
        (tmp_path / "c4core" / "version.py").write_text(text)
        shutil.copy(checkout / "setup.py", tmp_path)
        asked = "import runpy; print(runpy.run_path('c4core/version.py')['__version__'])"
        done = subprocess.run(
            [sys.executable, "-c", asked], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        assert done.stdout == "1.0.0\n"

    git(checkout, "commit", "--allow-empty", "-m", "two")
    commit = git(checkout, "rev-parse", "--short=8", "HEAD")
    assert describe(checkout) == f"1.0.0.post1+g{commit}"
    assert f'RELEASE = "{RELEASE}"\n' in (checkout / "c4core" / "version.py").read_text()

    shutil.move(checkout / ".git", tmp_path / "git")  # an archive without git still builds
    assert describe(checkout) == RELEASE
    assert f'RELEASE = "{RELEASE}"\n' in packed(checkout)[0]
