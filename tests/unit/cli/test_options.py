"""Parameters that are declared as the fields of a class."""

from dataclasses import dataclass

import click
from click.testing import CliRunner

from cli.shell.options import argument, choice, flag, group, number, option, takes


@dataclass(frozen=True, kw_only=True)
class Place:
    board_size: str = option("The board.", metavar="WxH", default="7x6")
    deep: bool = flag("Deep.")


@dataclass(frozen=True, kw_only=True)
class Given:
    moves: tuple[str, ...] = argument(nargs=-1)
    place: Place = group(Place)  # noqa: RUF009 (it declares options)
    limit: int | None = number(click.IntRange(1), "At most N.")
    names: tuple[str, ...] = choice(["a", "b"], "A name.", "--name", "-n", multiple=True)


@click.command
@takes(Given)
@click.pass_context
def command(context: click.Context, given: Given) -> None:
    click.echo((context.info_name, given))


def test_a_command_gets_one_object() -> None:
    done = CliRunner().invoke(command, "4 5 --board-size 4x4 --deep -n b --name a")
    place = Place(board_size="4x4", deep=True)
    given = Given(moves=("4", "5"), place=place, limit=None, names=("b", "a"))
    assert done.output == f"{('command', given)}\n"


def test_the_help_has_the_options_in_the_order_of_the_fields() -> None:
    _usage, _heading, options = CliRunner().invoke(command, "--help").output.partition("Options:")
    assert [line.split("  ")[1] for line in options.splitlines() if line.startswith("  -")] == [
        "--board-size WxH",
        "--deep",
        "--limit N",
        "-n, --name [a|b]",
        "--help",
    ]
    assert "[default: 7x6]" in options
    assert CliRunner().invoke(command, "--limit 0").exit_code == 2
