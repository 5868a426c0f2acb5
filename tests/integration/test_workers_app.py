"""What Celery's own command line says when the environment is not as it has to be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import ROOT

WELL = {"C4_BROKER": "redis://127.0.0.1:1", "C4_DB": "c4.db"}


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [
        ({"C4_DB": ""}, "the environment variable C4_DB is not set"),
        ({"C4_BROKER": ""}, "the environment variable C4_BROKER is not set"),
        *(
            (
                {"C4_TABLE_MB": megabytes},
                f"the environment variable C4_TABLE_MB is no number of megabytes: {megabytes!r}",
            )
            for megabytes in ("x", "0", "-1", "1e3", "9" * 5000)
        ),
        (
            {"C4_ALLOW_PROGRAMS": "yes"},
            "the environment variable C4_ALLOW_PROGRAMS is 0 or 1, not 'yes'",
        ),
    ],
)
def test_an_environment_that_no_worker_can_use(
    environment: dict[str, str], complaint: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "workers.app", "worker", "--pool=solo"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | WELL | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr.splitlines()[-1] == f"Error: {complaint}"
    assert done.returncode == 1
