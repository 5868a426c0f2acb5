"""``c4 completion``: Tab completes commands, options and values.

Tests for fish and zsh are in tests/release/extras/shells/test_completion_in_shells.py.
"""

import subprocess

import pytest
from click.shell_completion import ShellComplete

from cli.app import c4 as program
from cli.shell.commands import COMPLETION_VARIABLE
from tests.support.running.command_line import C4
from tests.support.running.shells import COMPLETION_SECONDS, with_c4_on_the_path

IN_BASH = """
eval "$(c4 completion bash)"
complete -p c4 >/dev/null || exit 1
COMP_WORDS=(c4 match set minimax-win)
COMP_CWORD=3
_c4_completion c4
echo "${COMPREPLY[*]}"
"""
"""The steps that bash takes when Tab is pressed."""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tourn", "tournament"),
        ("solve --table", "--table-mb"),
        ("solve --format ", "text json c4solver"),
        ("match set minimax-win", "minimax-windows"),
        ("play --first hum", "human"),
        ("worker --queues ", "interactive bulk"),
        ("show --board 7", "7x6 7x7"),
        ("--broker no", "none"),
        ("config --js", "--json"),
        ("jobs res", "results resume"),
        ("solve --no-such-", ""),
    ],
)
def test_possible_completions_of_a_line(line: str, words: str) -> None:
    *arguments, incomplete = line.split(" ")
    found = ShellComplete(program, {}, "c4", COMPLETION_VARIABLE).get_completions(
        arguments, incomplete
    )
    assert " ".join(item.value for item in found) == words


def test_bash_completes_a_line(c4: C4) -> None:
    done = subprocess.run(
        ["bash", "--norc", "-c", IN_BASH],
        capture_output=True,
        check=True,
        cwd=c4.directory,
        env=with_c4_on_the_path(c4),
        text=True,
        timeout=COMPLETION_SECONDS,
    )
    assert (done.stdout, done.stderr) == ("minimax-windows\n", "")
