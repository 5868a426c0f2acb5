import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from cli.reference import HEAD, contexts, reference
from cli.shell.commands import Command, LazyGroup
from tests.support.boards.games import EASY

ROOT = Path(__file__).parents[3]
CONTEXTS = list(contexts())
HEAVY = {
    "alembic",
    "c4core.solver",
    "celery",
    "hypothesis",
    "kombu",
    "numpy",
    "prometheus_client",
    "psycopg",
    "redis",
    "rich",
    "safetensors",
    "sqlalchemy",
    "textual",
    "torch",
}


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.command_path)
class TestCommand:
    def test_has_examples_of_itself(self, context: click.Context) -> None:
        command = context.command
        assert isinstance(command, Command | LazyGroup)
        assert command.examples
        name = context.command_path.removeprefix("c4").strip()
        for example in command.examples:
            assert "c4 " in example
            assert name in example

    def test_help_fits_into_80_columns(self, context: click.Context) -> None:
        text = context.get_help()
        assert "Examples:" in text
        assert max(map(len, text.splitlines())) <= 80

    def test_no_summary_is_cut(self, context: click.Context) -> None:
        _before, _heading, after = context.get_help().partition("\nCommands:\n")
        assert not any(line.endswith("...") for line in after.splitlines())

    def test_every_option_is_explained(self, context: click.Context) -> None:
        for parameter in context.command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, parameter.name


def test_reference_is_current() -> None:
    document = ROOT / "docs" / "cli.md"
    assert document.read_text(encoding="utf-8") == reference(), (
        "python -m cli.reference > docs/cli.md"
    )


def test_commands_that_workers_do_are_listed() -> None:
    with_broker = {
        context.command_path.removeprefix("c4 ")
        for context in CONTEXTS
        if any(parameter.name == "broker" for parameter in context.command.params)
    }
    (listed,) = re.findall(r"the commands that search or play \(([^)]*)\)", HEAD)
    assert set(re.findall(r"`([^`]*)`", listed)) == with_broker - {"c4", "worker"}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["jobs", "--help"], ["match", "-h"], ["worker", "-h"]]
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    assert not HEAVY & imported_by(*arguments)


@pytest.mark.parametrize("arguments", [["solve", EASY], ["analyze", "--score-only", "-"]])
def test_nothing_of_celery_is_imported_without_a_broker(
    arguments: list[str], tmp_path: Path
) -> None:
    modules = imported_by("--db", str(tmp_path / "c4.db"), "--broker", "none", *arguments)
    assert "sqlalchemy" in modules
    assert not {"celery", "kombu", "redis", "amqp", "prometheus_client"} & modules


def test_the_book_answers_without_a_database(tmp_path: Path) -> None:
    """Opening one takes many times as long as the rest of the command."""
    database = tmp_path / "c4.db"
    modules = imported_by("--db", str(database), "solve", "")
    assert not {"sqlalchemy", "numpy", "workers.positions.evaluate"} & modules
    assert not database.exists()


def imported_by(*arguments: str) -> set[str]:
    """The modules that a command line needs."""
    program = (
        "import sys, json; from cli.boundary import run; "
        f"code = run({arguments!r}); "
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=f"{EASY}\n",
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    return set(modules)
