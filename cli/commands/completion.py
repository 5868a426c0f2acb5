"""``c4 completion``: the script that lets a shell complete command lines."""

from __future__ import annotations

import click

from cli.shell.commands import Command
from cli.shell.completing import VARIABLE

SHELLS = ("bash", "zsh", "fish")

EXAMPLES = ("c4 completion bash", "c4 completion fish > c4.fish")


@click.command(cls=Command, database=False, json=False, configured=False, examples=EXAMPLES)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, *, shell: str) -> None:
    """Write the script that lets a shell complete c4.

    With it, Tab completes commands, options, files, and values such as players and formats.

    \b
    bash, in ~/.bashrc:  eval "$(c4 completion bash)"
    zsh, in ~/.zshrc:    eval "$(c4 completion zsh)"
    fish, once:          c4 completion fish > ~/.config/fish/completions/c4.fish

    In zsh the line has to stand below the one with compinit. bash has to be 4.4 or newer.
    """  # noqa: D301 (click's mark for lines to be left as they are)
    from click.shell_completion import get_completion_class

    program = context.find_root()
    made = get_completion_class(shell)
    if made is None or program.info_name is None:
        raise click.UsageError(f"the installed click completes no {shell}", context)
    click.echo(made(program.command, {}, program.info_name, VARIABLE).source())
