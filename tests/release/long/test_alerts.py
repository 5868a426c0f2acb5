"""The alerts of ``deploy/prometheus``: they fire within minutes, and not during a long unit."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.lacking import leave_out
from tests.support.running.command_line import ROOT

FOLDER = ROOT / "deploy" / "prometheus"
AT = 'instance="a:1"'
QUEUED, LEASED, FAILED = (
    f'c4_queue_units{{{AT},state="{state}"}}' for state in ("queued", "leased", "failed")
)
SERVER = f'up{{{AT},job="c4-server"}}'

CASES = {
    "a server is gone": ({SERVER: "1 0x200"}, "3m", "C4ServerGone"),
    "a server restarts": ({SERVER: "1 0x2 1x200"}, "3m", None),
    "the database is away": ({f"c4_database_up{{{AT}}}": "1 0x200"}, "2m", "C4DatabaseAway"),
    "nobody works": ({QUEUED: "0 5x200", LEASED: "0x200"}, "4m", "C4NobodyWorks"),
    "a unit takes an hour": ({QUEUED: "5x200", LEASED: "1x200"}, "65m", None),
    "work begins late": ({QUEUED: "5x200", LEASED: "0x3 1x200"}, "4m", None),
    "there is no work": ({QUEUED: "0x200", LEASED: "0x200"}, "65m", None),
    "a unit fails": ({FAILED: "0x4 1x200"}, "3m", "C4UnitsFail"),
    "a job fails": ({f'c4_jobs{{{AT},state="failed"}}': "0x4 1x200"}, "3m", "C4UnitsFail"),
    "units failed long ago": ({FAILED: "0 1x200"}, "65m", None),
}
"""Metrics every 30 s, the time since the beginning, and the only alert that fires then."""


@pytest.fixture(scope="module")
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        leave_out("promtool is not installed (Debian's package prometheus)")
    return found


def test_the_configuration_is_valid(promtool: str) -> None:
    subprocess.run([promtool, "check", "config", FOLDER / "c4.yml"], check=True)


@pytest.mark.parametrize("name", CASES)
def test_alerts_fire_in_time(promtool: str, tmp_path: Path, name: str) -> None:
    series, time, expected = CASES[name]
    rules = yaml.safe_load((FOLDER / "c4.rules.yml").read_text())["groups"][0]["rules"]
    labels = dict(
        part.split("=") for key in series for part in key.partition("{")[2].rstrip("}").split(",")
    )
    if expected == "C4NobodyWorks":  # the sample that is compared is the queued one
        labels["state"] = '"queued"'
    checks = [
        {
            "eval_time": time,
            "alertname": rule["alert"],
            "exp_alerts": []
            if rule["alert"] != expected
            else [
                {
                    "exp_labels": {key: value.strip('"') for key, value in labels.items()},
                    "exp_annotations": {
                        key: text.replace("{{ $labels.instance }}", "a:1")
                        for key, text in rule["annotations"].items()
                    },
                }
            ],
        }
        for rule in rules
    ]
    inputs = [{"series": key, "values": values} for key, values in series.items()]
    tested = {
        "rule_files": [str(FOLDER / "c4.rules.yml")],
        "evaluation_interval": "30s",
        "tests": [{"interval": "30s", "input_series": inputs, "alert_rule_test": checks}],
    }
    file = tmp_path / "test.yml"
    file.write_text(yaml.safe_dump(tested))
    done = subprocess.run(
        [promtool, "test", "rules", file], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr + done.stdout
