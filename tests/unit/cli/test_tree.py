import json
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

import cli.commands
from cli.app import SUMMARIES, c4
from cli.reference import contexts, reference
from cli.shell.commands import Command, LazyGroup
from tests.support.boards.games import EASY
from tests.support.running.command_line import ROOT

CONTEXTS = list(contexts())


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.command_path)
def test_the_help_of_a_command(context: click.Context) -> None:
    command = context.command
    assert isinstance(command, Command | LazyGroup)
    name = context.command_path.removeprefix("c4").strip()
    assert command.examples
    assert all("c4 " in example and name in example for example in command.examples)
    text = context.get_help()
    assert "Examples:" in text
    assert max(map(len, text.splitlines())) <= 80
    _before, _heading, summaries = text.partition("\nCommands:\n")
    assert not any(line.endswith("...") for line in summaries.splitlines()), (
        "a summary is truncated"
    )
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name


def test_reference_is_current() -> None:
    document = ROOT / "docs" / "cli.md"
    assert document.read_text(encoding="utf-8") == reference(), (
        "python -m cli.reference > docs/cli.md"
    )


def test_modules_do_not_replace_commands() -> None:
    """An imported module replaces a group of the same name in its package."""
    for module in pkgutil.walk_packages(cli.commands.__path__, "cli.commands."):
        if not module.name.endswith(".picture"):
            import_module(module.name)
    for context in CONTEXTS:
        for target in getattr(context.command, "lazy", {}).values():
            name, _, attribute = target.partition(":")
            assert isinstance(getattr(import_module(name), attribute), click.Command), target


def test_the_list_of_commands_imports_no_command() -> None:
    imported = imported_by(["--help"])
    assert not {name for name in imported if name.startswith(("cli.commands", "c4core", "rich"))}


@pytest.mark.parametrize(("name", "summary"), SUMMARIES.items(), ids=list(SUMMARIES))
def test_a_summary_is_the_first_sentence_of_the_command(name: str, summary: str) -> None:
    command = c4.get_command(click.Context(c4), name)
    assert command is not None
    assert command.get_short_help_str(80) == summary


def test_packages_are_imported_only_when_needed(tmp_path: Path) -> None:
    """Opening a database takes many times as long as an answer from the book."""
    database = tmp_path / "c4.db"
    options = ["--db", str(database), "--broker", "none"]
    modules = imported_by([*options, "solve", ""])
    assert not {"sqlalchemy", "numpy", "workers.answers.find"} & modules
    assert not database.exists()
    solve, analyze = [*options, "solve", EASY], [*options, "analyze", "--score-only", "-"]
    modules = imported_by(solve, analyze, ["players", "list"])
    assert "sqlalchemy" in modules
    unneeded = {"celery", "kombu", "redis", "amqp", "prometheus_client", "torch"}
    assert not unneeded & modules


def imported_by(*lines: list[str]) -> set[str]:
    """The modules that some command lines import in total."""
    program = (
        "import sys, json; from cli.app import run; "
        f"codes = [run(line) for line in {lines!r}]; "
        "print(json.dumps([codes, sorted(sys.modules)]), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=f"{EASY}\n",
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    codes, modules = json.loads(done.stderr.splitlines()[-1])
    assert not any(codes)
    return set(modules)
