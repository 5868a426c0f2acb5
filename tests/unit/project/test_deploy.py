"""The deployment files name existing commands, options, settings and metrics."""

import configparser
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
import yaml

from cli.app import c4
from web.bodies import LARGEST_FILE
from web.middleware import WorkCollector

ROOT = Path(__file__).parents[3]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if service["image"] == "c4"}
SYSTEMD = ROOT / "deploy" / "systemd"
PROMETHEUS = ROOT / "deploy" / "prometheus"
KUBERNETES = ROOT / "deploy" / "kubernetes"
SETTINGS = {"C4_DB", "C4_BROKER"}
HELP = {"-h", "--help"}


def check_command(arguments: list[str]) -> None:
    """Check that a ``c4`` command line has an existing command and options."""
    command: click.Command = c4
    context = click.Context(c4)
    words = iter(arguments)
    for word in words:
        if word.startswith("-"):
            check_option(command, word, words)
        elif isinstance(command, click.Group):
            found = command.get_command(context, word)
            assert found is not None, f"{word} in {shlex.join(arguments)}"
            command = found


def check_option(command: click.Command, word: str, words: Iterator[str]) -> None:
    name, equals, _value = word.partition("=")
    if name in HELP or name == "-":
        return
    options = {
        form: option
        for option in command.params
        if isinstance(option, click.Option)
        for form in (*option.opts, *option.secondary_opts)
    }
    assert name in options, f"{name} of c4 {command.name}"
    if not equals and not options[name].is_flag:
        next(words)


@pytest.mark.parametrize("name", OWN)
def test_services_run_commands_that_exist(name: str) -> None:
    service = OWN[name]
    words = service.get("command", [])
    assert not re.search("PASSWORD|TOKEN", shlex.join(words))
    # Variables stand for their defaults.
    check_command([re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", word) for word in words])
    own = {"C4_WEB_TOKEN", "C4_WEB_HOSTS"} if name == "web" else set()
    assert set(service["environment"]) == SETTINGS | own


def test_compose_publishes_only_the_server_and_only_locally() -> None:
    web, command = SERVICES["web"], " ".join(SERVICES["web"]["command"])
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    (port,) = re.findall(r"--port=(\d+)", command)
    assert published == {"web": [f"127.0.0.1:{port}:{port}"]}
    assert f"127.0.0.1:{port}/healthz" in web["healthcheck"]["test"][-1]
    assert "?" in web["environment"]["C4_WEB_TOKEN"]  # the web server needs one
    # Temporary files are in memory, in a file system for the largest file.
    (size,) = re.findall(r"^/tmp:size=(\d+)m$", "\n".join(web["tmpfs"]))
    assert int(size) << 20 >= LARGEST_FILE


def test_compose_variables_are_explained() -> None:
    text = (ROOT / "compose.yaml").read_text()
    example = (ROOT / "deploy" / "compose.env.example").read_text()
    used = set(re.findall(r"\$\{(\w+):", text))
    assert used == set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    defaults = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", text))
    assert all(f"{name}={value}" in example for name, value in defaults.items())


def test_image_is_built_from_every_file_of_the_commit() -> None:
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-from=.dockerignore"]
    left_out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    assert left_out == b""


def unit(name: str) -> configparser.ConfigParser:
    """A systemd unit file; a repeated setting keeps its last value."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(SYSTEMD / name)
    return parser


def test_worker_unit_runs_a_command_that_exists() -> None:
    text = (SYSTEMD / "c4-worker@.service").read_text()
    service = unit("c4-worker@.service")["Service"]
    words = shlex.split(service["ExecStart"])
    assert words[0] == "/opt/c4/bin/c4"
    assert words[-1] == "$C4_WORKER_OPTIONS"
    example = (SYSTEMD / "worker.env.example").read_text()
    settings = dict(re.findall(r"^(\w+)=(.*)$", example, re.MULTILINE))
    check_command([*words[1:-1], *shlex.split(settings["C4_WORKER_OPTIONS"])])
    assert set(settings) == {*SETTINGS, "C4_WORKER_OPTIONS"}
    assert service["Restart"] == "always"
    assert service["RestartPreventExitStatus"] == "2"
    assert "EnvironmentFile=/etc/c4/worker.env" in text
    assert "PASSWORD" not in text


def test_server_unit_runs_a_command_that_exists() -> None:
    text = (SYSTEMD / "c4-serve.service").read_text()
    words = shlex.split(unit("c4-serve.service")["Service"]["ExecStart"])
    assert (words[0], words[-1]) == ("/opt/c4/bin/c4", "$C4_SERVE_OPTIONS")
    check_command(words[1:-1])
    hardening = text.partition("\nCapabilityBoundingSet=")[2]
    assert (
        hardening
        == (SYSTEMD / "c4-worker@.service").read_text().partition("\nCapabilityBoundingSet=")[2]
    )


OBJECTS: list[dict[str, Any]] = [
    each
    for path in sorted(KUBERNETES.glob("*/*.yaml"))
    for each in yaml.safe_load_all(path.read_text())
]
PODS: dict[str, dict[str, Any]] = {
    each["metadata"]["name"]: each["spec"]["template"]["spec"]
    for each in OBJECTS
    if each["kind"] in {"Deployment", "Job"}
}
"""The pods' specifications, by the names of the objects that create them."""


@pytest.mark.parametrize("name", PODS)
def test_pods_run_commands_that_exist(name: str) -> None:
    (container,) = PODS[name]["containers"]
    check_command(container["args"])
    for variable in container["env"]:
        if variable["name"] in {*SETTINGS, "C4_WEB_TOKEN"}:
            assert variable["valueFrom"]["secretKeyRef"]["name"] == "c4"


def metric_names() -> set[str]:
    totals: Any = SimpleNamespace(
        jobs={"done": 1},
        queued_units=1,
        running_units=1,
        failed_units=0,
        oldest_queued_seconds=1.0,
        live_workers=(),
        eta_seconds=1.0,
    )
    return {sample.name for metric in WorkCollector(totals).collect() for sample in metric.samples}


def test_rules_use_metrics_that_exist() -> None:
    rules = yaml.safe_load((PROMETHEUS / "c4.rules.yml").read_text())
    expressions = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    used = set(re.findall(r"\bc4_\w+", " ".join(expressions)))
    assert used
    assert used <= metric_names()
    config = yaml.safe_load((PROMETHEUS / "c4.yml").read_text())
    assert config["rule_files"] == ["c4.rules.yml"]


def test_page_names_metrics_that_exist() -> None:
    page = (ROOT / "docs" / "deploy.md").read_text()
    named = set(re.findall(r"`(c4_\w+?)(?:\{\w+\})?`", page))
    of_web = {"c4_web_answers_total", "c4_web_answer_seconds", "c4_web_searches"}
    assert named - {"c4_restored"} == metric_names() | of_web


def test_the_runbook_has_every_alert() -> None:
    rules = yaml.safe_load((PROMETHEUS / "c4.rules.yml").read_text())
    alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"]}
    page = (ROOT / "docs" / "runbook.md").read_text()
    assert set(re.findall(r"^\| `(C4\w+)` \|", page, re.MULTILINE)) == alerts


@pytest.mark.parametrize("name", ["deploy.md", "runbook.md"])
def test_page_shows_commands_that_exist(name: str) -> None:
    page = (ROOT / "docs" / name).read_text()
    code = re.findall(r"^```\w*\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    # At the start of a line, after settings or a directory, or run in a container.
    typed = re.findall(
        r"^(?:\w+=\S+ |\S*/|docker compose run .*)?\bc4 (.*?)(?:  #.*)?$",
        "\n".join(code).replace("\\\n", " "),
        re.MULTILINE,
    )
    assert len(typed) > 3
    for command in typed:
        check_command(shlex.split(re.split(r"[|<>]", command)[0]))
