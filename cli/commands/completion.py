"""``c4 completion``: write the script for shell completion."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from cli.shell.commands import COMPLETION_VARIABLE, Command

SHELLS = ("bash", "zsh", "fish")

EXAMPLES = ("c4 completion bash", "c4 completion fish > c4.fish")


@click.command(cls=Command, database=False, json=False, examples=EXAMPLES)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, *, shell: str) -> None:
    """Write the script with which a shell completes c4 commands.

    With it, Tab completes commands, options, files, and values such as players and formats.

    \b
    bash, in ~/.bashrc:  eval "$(c4 completion bash)"
    zsh, in ~/.zshrc:    eval "$(c4 completion zsh)"
    fish, once:          c4 completion fish > ~/.config/fish/completions/c4.fish

    In zsh, put the line below the compinit line. bash must be 4.4 or newer.
    """  # noqa: D301 (click's mark for lines that are not wrapped)
    program = context.find_root()
    made = get_completion_class(shell)
    if made is None or program.info_name is None:
        raise click.UsageError(f"the installed version of click does not support {shell}", context)
    click.echo(made(program.command, {}, program.info_name, COMPLETION_VARIABLE).source())
