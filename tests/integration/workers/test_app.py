"""Errors of Celery's own command line in a bad environment."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.running.command_line import ROOT
from tests.support.running.waiting import HANG_SECONDS

Done = subprocess.CompletedProcess[str]

WELL = {"C4_BROKER": "redis://127.0.0.1:1", "C4_DB": "c4.db"}

COMPLAINTS = [
    ({"C4_DB": ""}, "the environment variable C4_DB is not set"),
    ({"C4_BROKER": ""}, "the environment variable C4_BROKER is not set"),
    *(
        (
            {"C4_TABLE_MB": megabytes},
            f"the environment variable C4_TABLE_MB is not a number of megabytes: {megabytes!r}",
        )
        for megabytes in ("x", "0", "-1", "1e3", "9" * 5000)
    ),
    (
        {"C4_ALLOW_PROGRAMS": "yes"},
        "the environment variable C4_ALLOW_PROGRAMS is 0 or 1, not 'yes'",
    ),
]

BEGIN = """
import importlib, json, os, sys
from celery import signals
from workers import app

for environment in json.load(sys.stdin):
    before = os.environ | {}
    os.environ.update(environment)
    app = importlib.reload(app)
    try:
        app._begin(type("Worker", (), {"app": app.app, "concurrency": 1, "pool_cls": "solo"}))
    except SystemExit as end:
        print(end.code)
    else:
        print(app.app.conf.broker_url, app._database, app._table_mb())
    os.environ.clear()
    os.environ.update(before)
"""
"""Run Celery's first step for each environment; print the error, or the settings found."""

CELERY = ["-m", "celery", "-A", "workers.app", "worker", "--pool=solo"]


def run(command: list[str], directory: Path, given: str = "", **environment: str) -> Done:
    return subprocess.run(
        [sys.executable, *command],
        input=given,
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | WELL | environment,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )


def test_an_unusable_environment_is_refused(tmp_path: Path) -> None:
    environment, complaint = COMPLAINTS[0]
    done = run(CELERY, tmp_path, **environment)
    assert done.stderr.splitlines()[-1] == f"Error: {complaint}"
    assert done.returncode == 1


def test_a_bad_configuration_file_ends_celery(tmp_path: Path) -> None:
    file = tmp_path / "c4.toml"
    file.write_text("table-mb = 'much'\n")
    done = run(CELERY, tmp_path, C4_BROKER="", C4_CONFIG=str(file))
    assert (done.returncode, done.stdout) == (1, "")
    message = "table-mb is a whole number from 1 to 1,073,741,824"
    assert done.stderr == f"Error: {file}, line 1: {message}\n"


def test_environments_and_a_configuration_file(tmp_path: Path) -> None:
    """Settings that are missing in the environment come from the file."""
    file = tmp_path / "c4.toml"
    file.write_text("broker = 'redis://queue:7'\ndb = 'file.db'\ntable-mb = 32\n")
    unset = {"C4_BROKER": "", "C4_DB": "", "C4_TABLE_MB": "", "CELERY_BROKER_URL": ""}
    filed = unset | {"C4_CONFIG": str(file)}
    environments = [*(environment for environment, _ in COMPLAINTS), filed]
    environments.append(filed | {"C4_DB": "c4.db", "C4_TABLE_MB": "5"})
    done = run(["-c", BEGIN], tmp_path, json.dumps(environments))
    assert done.stdout.splitlines() == [
        *(f"Error: {complaint}" for _, complaint in COMPLAINTS),
        "redis://queue:7 file.db 32",
        "redis://queue:7 c4.db 5",
    ], done.stderr
