"""The deployment files name existing commands, options, settings and metrics."""

import configparser
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import kubernetes_validate
import pytest
import yaml
from sqlalchemy import text, update

from c4core.version import ENGINE_VERSION
from cli.app import c4
from db.database import Database
from db.models import Job, Unit
from tests.support.running.databases import make_job
from workers.celery.metrics import WorkerCollector
from workers.celery.unit_worker import UnitCounters, WorkerSettings
from workers.core.kinds import Lane

ROOT = Path(__file__).parents[3]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if service["image"] == "c4"}
WORKERS = {name: service for name, service in OWN.items() if "worker" in name}
SYSTEMD = ROOT / "deploy" / "systemd"
PROMETHEUS = ROOT / "deploy" / "prometheus"
KUBERNETES = ROOT / "deploy" / "kubernetes"
OLDEST_KUBERNETES = "1.31"
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


def expanded(command: list[str]) -> list[str]:
    """The text with the defaults of its variables."""
    return [re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", word) for word in command]


@pytest.mark.parametrize("name", OWN)
def test_compose_runs_commands_that_exist(name: str) -> None:
    check_command(expanded(OWN[name].get("command", [])))


def test_compose_has_the_parts_of_a_service() -> None:
    assert set(SERVICES) - set(OWN) == {"database", "broker"}
    assert "--appendonly yes" in SERVICES["broker"]["command"][-1]
    lanes = {word for service in WORKERS.values() for word in service["command"]}
    assert {f"--queues={lane}" for lane in Lane} <= lanes
    assert SERVICES["worker"]["deploy"]["replicas"] == "${C4_WORKERS:-2}"
    assert set(COMPOSE["volumes"]) == {"database", "broker"}


@pytest.mark.parametrize("name", SERVICES)
def test_compose_waits_only_for_services_with_a_health_check(name: str) -> None:
    for needed, how in SERVICES[name].get("depends_on", {}).items():
        if how["condition"] == "service_healthy":
            assert "healthcheck" in SERVICES[needed]
        else:
            assert SERVICES[needed]["restart"] == "no"


@pytest.mark.parametrize("name", sorted({*WORKERS, "web", "database", "broker"}))
def test_compose_restarts_services(name: str) -> None:
    assert SERVICES[name]["restart"] == "always"
    assert "healthcheck" in SERVICES[name]


@pytest.mark.parametrize("name", WORKERS)
def test_compose_health_check_uses_the_workers_port(name: str) -> None:
    (port,) = re.findall(r"--metrics-port=0\.0\.0\.0:(\d+)", " ".join(WORKERS[name]["command"]))
    assert f"127.0.0.1:{port}/metrics" in WORKERS[name]["healthcheck"]["test"][-1]


def test_compose_puts_no_secret_on_a_command_line() -> None:
    for service in SERVICES.values():
        assert not re.search("PASSWORD|TOKEN", shlex.join(service.get("command", [])))


def test_compose_publishes_only_the_server_and_only_locally() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    (port,) = re.findall(r"--port=(\d+)", " ".join(SERVICES["web"]["command"]))
    assert published == {"web": [f"127.0.0.1:{port}:{port}"]}
    assert f"127.0.0.1:{port}/healthz" in SERVICES["web"]["healthcheck"]["test"][-1]


def test_compose_keeps_the_servers_temporary_files_in_memory() -> None:
    """The file system for temporary files is larger than the server's limit."""
    (place,) = SERVICES["web"]["tmpfs"]
    (most,) = re.findall(r"--disk-mb=(\d+)", " ".join(SERVICES["web"]["command"]))
    assert place.startswith("/tmp:size=")  # noqa: S108 (in the container)
    assert int(place.removeprefix("/tmp:size=").removesuffix("m")) > int(most)  # noqa: S108


def test_compose_variables_are_explained() -> None:
    text = (ROOT / "compose.yaml").read_text()
    example = (ROOT / "deploy" / "compose.env.example").read_text()
    used = set(re.findall(r"\$\{(\w+):", text))
    assert used == set(re.findall(r"^(\w+)=", example, re.MULTILINE))
    defaults = dict(re.findall(r"\$\{(\w+):-([^}]*)\}", text))
    assert all(f"{name}={value}" in example for name, value in defaults.items())


def test_compose_sets_the_urls_of_the_service() -> None:
    for name, service in OWN.items():
        own = {"C4_WEB_TOKEN", "C4_WEB_HOSTS"} if name == "web" else set()
        assert set(service["environment"]) == SETTINGS | own
    assert "?" in SERVICES["web"]["environment"]["C4_WEB_TOKEN"]  # the web server needs one


def test_image_contains_all_installed_packages() -> None:
    allowed = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    (names,) = re.findall(r"^NAMES = \((.*)\)", (ROOT / "setup.py").read_text(), re.MULTILINE)
    packages = re.findall(r'"(\w+)"', names)
    assert "c4core" in packages
    assert set(packages) <= allowed
    assert {"setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"} <= allowed
    assert all((ROOT / name).exists() for name in allowed)


def unit(name: str) -> configparser.ConfigParser:
    """A systemd unit file; a repeated setting keeps its last value."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(SYSTEMD / name)
    return parser


def settings(name: str) -> dict[str, str]:
    text = (SYSTEMD / name).read_text()
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


def test_worker_unit_runs_a_command_that_exists() -> None:
    service = unit("c4-worker@.service")["Service"]
    words = shlex.split(service["ExecStart"])
    assert words[0] == "/opt/c4/bin/c4"
    assert words[-1] == "$C4_WORKER_OPTIONS"
    check_command(words[1:-1])
    example = settings("worker.env.example")
    check_command([*words[1:-1], *shlex.split(example["C4_WORKER_OPTIONS"])])
    assert set(example) == {*SETTINGS, "C4_WORKER_OPTIONS"}


def test_worker_unit_restarts_and_reads_its_secrets_from_a_file() -> None:
    text = (SYSTEMD / "c4-worker@.service").read_text()
    service = unit("c4-worker@.service")["Service"]
    assert service["Restart"] == "always"
    assert service["RestartPreventExitStatus"] == "2"
    assert "EnvironmentFile=/etc/c4/worker.env" in text
    assert "PASSWORD" not in text


def test_backup_timer_has_its_service() -> None:
    assert unit("c4-backup.timer")["Install"]["WantedBy"] == "timers.target"
    assert "pg_dump" in unit("c4-backup.service")["Service"]["ExecStart"]


def objects(*kinds: str) -> list[dict[str, Any]]:
    """The objects in the Kubernetes files, all or of some kinds."""
    found = [
        each
        for path in sorted(KUBERNETES.glob("*/*.yaml"))
        for each in yaml.safe_load_all(path.read_text())
    ]
    return [each for each in found if not kinds or each["kind"] in kinds]


def pods() -> dict[str, dict[str, Any]]:
    """The pods' specifications, by the names of the objects that create them."""
    return {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]
        for each in objects("Deployment", "Job")
    }


@pytest.mark.parametrize("version", [OLDEST_KUBERNETES, kubernetes_validate.latest_version()])
def test_kubernetes_files_are_valid(version: str) -> None:
    """.ci/keda.py checks KEDA's objects."""
    for each in objects("Deployment", "Job", "Service"):
        kubernetes_validate.validate(each, version, strict=True)


def test_kustomizations_name_all_files() -> None:
    for path in KUBERNETES.glob("*/kustomization.yaml"):
        named = yaml.safe_load(path.read_text())["resources"]
        assert {name for name in named if "/" not in name} == {
            each.name for each in path.parent.glob("*.yaml") if each != path
        }
        assert all((path.parent / name).exists() for name in named)
    checked = {"Deployment", "Job", "Service", "ScaledObject", "TriggerAuthentication"}
    assert {each["kind"] for each in objects()} == {*checked, "Kustomization"}


@pytest.mark.parametrize("name", pods())
def test_pods_have_few_rights_and_run_commands_that_exist(name: str) -> None:
    pod = pods()[name]
    (container,) = pod["containers"]
    check_command(container["args"])
    assert not pod["automountServiceAccountToken"]
    user = re.findall(r"--uid (\d+)", (ROOT / "Dockerfile").read_text())
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": int(user[0]),
        "runAsGroup": int(user[0]),
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"cpu", "memory"} == set(container["resources"]["requests"])
    assert "memory" in container["resources"]["limits"]
    for variable in container["env"]:
        if variable["name"] in {*SETTINGS, "C4_WEB_TOKEN"}:
            assert variable["valueFrom"]["secretKeyRef"]["name"] == "c4"


def test_long_running_pods_have_probes_and_time_to_end() -> None:
    for name, probe in (("c4-worker", "metrics"), ("c4-server", "http")):
        pod = pods()[name]
        (container,) = pod["containers"]
        (port,) = container["ports"]
        words = " ".join(container["args"])
        assert port["name"] == probe
        assert re.search(rf"-port=(0\.0\.0\.0:)?{port['containerPort']}\b", words)
        for kind in ("startupProbe", "livenessProbe"):
            assert container[kind]["httpGet"]["port"] == probe
        assert pod["terminationGracePeriodSeconds"] >= 30
    server = pods()["c4-server"]["containers"][0]
    assert server["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert server["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_keda_counts_claimable_units(database: Database) -> None:
    (scaled,) = objects("ScaledObject")
    (trigger,) = scaled["spec"]["triggers"]
    query = trigger["metadata"]["query"]

    def counted() -> int:
        with database.read() as session:
            return int(session.scalar(text(query)) or 0)

    assert counted() == 0
    job_id, other = make_job(database, 6), make_job(database, 5)
    with database.write() as session:
        ends = ["queued", "leased", "done", "failed", "cancelled", "queued"]
        for seq, state in enumerate(ends):
            chosen = (Unit.job_id == job_id, Unit.seq == seq)
            session.execute(update(Unit).where(*chosen).values(state=state))
        session.execute(
            update(Job).where(Job.id == other).values(engine_version=ENGINE_VERSION + 1)
        )
    assert counted() == 3
    with database.write() as session:
        session.execute(update(Job).where(Job.id == job_id).values(state="cancelled"))
    assert counted() == 0


def metric_names() -> set[str]:
    settings = WorkerSettings(name="worker")
    worker: Any = SimpleNamespace(counters=UnitCounters(), leases=0, settings=settings)
    doorbell: Any = SimpleNamespace(depth=lambda _lane: 1, trouble=None)
    collector = WorkerCollector(worker, doorbell)
    collector.look()
    return {sample.name for metric in collector.collect() for sample in metric.samples}


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
    assert (
        set(re.findall(r"`(c4_\w+?)(?:\{\w+\})?`", page)) - {"c4_restored", "c4_0007"}
        == metric_names()
    )


def code(page: Path) -> list[str]:
    """The command lines of a page; continued lines are joined."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return "\n".join(blocks).replace("\\\n", " ").splitlines()


def test_page_shows_commands_that_exist() -> None:
    lines = [line.split("  #")[0] for line in code(ROOT / "docs" / "deploy.md")]
    # At the start of a line, after settings or a directory, or run in a container.
    typed = [
        found[1]
        for line in lines
        if (found := re.match(r"(?:\w+=\S+ |\S*/|docker compose run .*)?\bc4 (.*)", line))
    ]
    assert len(typed) > 5
    for command in typed:
        check_command(shlex.split(re.split(r"[|<>]", command)[0]))


def test_page_names_files_that_exist() -> None:
    page = (ROOT / "docs" / "deploy.md").read_text()
    for name in re.findall(r"\bdeploy/[\w./@-]+\w", page):
        assert (ROOT / name).exists() or name == "deploy/prometheus", name
