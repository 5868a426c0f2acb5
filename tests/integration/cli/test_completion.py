"""``c4 completion``: Tab completes commands, options and values."""

import sys

import pytest
from click.shell_completion import ShellComplete

from cli.app import c4 as program
from cli.shell.commands import COMPLETION_VARIABLE
from tests.support.running.command_line import C4

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
    program = c4.directory / "c4"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cli "$@"\n')
    program.chmod(0o755)
    done = c4.shell(f'unset -f c4; PATH="{c4.directory}:$PATH"\n{IN_BASH}')
    assert (done.code, done.out, done.err) == (0, "minimax-windows\n", "")
