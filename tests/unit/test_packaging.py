"""What is installed: every package of the four, and nothing else."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_setup_names_every_package() -> None:
    named = re.findall(r'^    "([a-z.0-9_]+)",$', (ROOT / "setup.py").read_text(), re.MULTILINE)
    present = {
        ".".join(init.parent.relative_to(ROOT).parts)
        for top in ("c4core", "db", "workers", "cli")
        for init in (ROOT / top).rglob("__init__.py")
    }
    assert set(named) == present
