"""The version of the package and of the engine."""

import subprocess
from pathlib import Path

RELEASE = "0.1.0"
"""The version outside of a git checkout; setup.py writes it into what it packs."""

ENGINE_VERSION = 1
"""Stored with every evaluation. It increases if a fault of the engine may affect older results."""


def describe(root: Path) -> str:
    """The version of a source tree: of its tag ``v1.2.3``, or with the commit in a development one.

    After a tag it is ``1.2.3.post5+gCOMMIT``, before the first one ``0.1.0.dev0+gCOMMIT``.
    Without git it is :data:`RELEASE`.
    """
    if not (root / ".git").exists():
        return RELEASE
    options = ("--tags", "--match=v[0-9]*", "--long", "--always", "--abbrev=8")
    git = ["git", "-C", str(root), "describe", *options]
    try:
        found = subprocess.run(git, capture_output=True, check=True, text=True).stdout.strip()  # noqa: S603 (no input)
    except (OSError, subprocess.CalledProcessError):
        return RELEASE
    tag, _, rest = found.partition("-")
    commits, _, commit = rest.partition("-")
    if not commit:
        return f"{RELEASE}.dev0+g{found}"
    return tag[1:] if commits == "0" else f"{tag[1:]}.post{commits}+{commit}"


__version__ = describe(Path(__file__).parents[1])
