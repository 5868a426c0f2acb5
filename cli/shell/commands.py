"""Classes of commands: imported when needed, with examples in the help and completion of values.

The metavar of an option or argument names the kind of value that completion offers: players, files,
boards.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

from cli.shell import settings
from cli.shell.process import echo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from c4core.notation import BoardSize

HELP = "help"
"""``c4 help [COMMAND]`` is ``c4 [COMMAND] --help``, in every group of commands."""

MOVES = "MOVES"
"""The name of an argument and the metavar of an option for moves."""

COMPLETION_VARIABLE: Final = "_C4_COMPLETE"
"""The environment variable that a shell sets to request completion."""

CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 80}


class Command(click.Command):
    """A command whose help ends with examples.

    Args:
        examples: command lines that work as typed.
        database: whether the command takes ``--db``.
        broker: whether the command takes ``--broker``.
        json: whether it takes ``--json`` here; commands with several formats define their own.
    """

    allow_extra_args = True
    """:meth:`parse_args` refuses them with a hint."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str],
        database: bool = True,
        broker: bool = False,
        json: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("context_settings", CONTEXT_SETTINGS)
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        if database:
            settings.database_option()(self)
        if broker:
            settings.broker_option()(self)
        if json:
            settings.json_option(self)
        settings.quiet_option(self)
        settings.verbose_option(self)
        _offer_values(self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; refuse extra arguments, which may be separate moves."""
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            noun = "argument" if len(extra) == 1 else "arguments"
            ctx.fail(f"Got unexpected extra {noun} ({' '.join(extra)}){self._hint_at_moves(ctx)}")
        return extra

    def _hint_at_moves(self, ctx: click.Context) -> str:
        """Say how to write MOVES as one argument, if extra arguments are moves too."""
        arguments = [given for given in self.params if isinstance(given, click.Argument)]
        for parameter in self.params:
            name = str(parameter.name)
            is_argument = parameter in arguments
            if (name.upper() if is_argument else parameter.metavar) != MOVES:
                continue
            if arguments and not is_argument and not ctx.params[name]:
                continue  # the command takes other arguments, so these may be of any kind
            one = join_moves(
                [ctx.params[name] or "", *ctx.args],
                ctx.params.get("board"),
                zero_based=ctx.params.get("zero_based", False),
            )
            if one is not None:
                words = [
                    one if given is parameter else given.human_readable_name for given in arguments
                ]
                words += [] if is_argument else [parameter.opts[-1], one]
                return f". For one position: {ctx.command_path} {' '.join(words)}"
        return ""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples without wrapping them."""
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def join_moves(
    moves: Sequence[str], board: BoardSize | None = None, *, zero_based: bool = False
) -> str | None:
    """Write several arguments as the moves of one position; None if they are not moves."""
    from c4core.errors import MoveError
    from c4core.notation import DEFAULT_BOARD, format_moves
    from c4core.reader import read_move_list

    words = [word for word in moves if word]
    try:
        columns = read_move_list(words, board or DEFAULT_BOARD, zero_based=zero_based)
    except MoveError:
        return None
    return format_moves(columns, zero_based=zero_based)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write a help text's section of examples."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


class LazyGroup(click.Group):
    """A group that imports the module of a command when the command is used.

    Args:
        lazy: ``"module:attribute"`` by command name.
        summaries: first sentences by command name, with which the help imports no command.
        examples: command lines that work as typed.
    """

    def __init__(
        self,
        *args: Any,
        lazy: Mapping[str, str] | None = None,
        summaries: Mapping[str, str] | None = None,
        examples: Sequence[str],
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("context_settings", CONTEXT_SETTINGS)
        super().__init__(*args, **kwargs)
        self.lazy = dict(lazy or {})
        self.summaries = summaries
        self.examples = tuple(examples)
        _offer_values(self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line up to the command; say where the command's own options belong."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.possibilities:
                raise
            place = f"{ctx.command_path} COMMAND {error.option_name}"
            message = f"{error.message} A command's own options follow it: {place}"
            raise click.NoSuchOption(error.option_name, message, ctx=ctx) from None

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """The names in the given order, which is the order of use."""
        return [*self.lazy, *(name for name in self.commands if name not in self.lazy)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        target = self.lazy.get(cmd_name)
        if target is not None and cmd_name not in self.commands:
            module, attribute = target.split(":")
            self.add_command(getattr(import_module(module), attribute), cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries."""
        if self.summaries is None:
            super().format_commands(ctx, formatter)
            return
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """The commands and options that begin with the incomplete text."""
        if self.summaries is None:
            return super().shell_complete(ctx, incomplete)
        found = [
            CompletionItem(name, help=summary)
            for name, summary in self.summaries.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; ``help`` shows its help text, and a wrong name gets suggestions."""
        if args[0] == HELP and not ctx.resilient_parsing:
            if len(args) == 1:
                for line in ctx.get_help().splitlines():
                    echo(line)
                ctx.exit()
            args = [*args[1:], "--help"]
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            similar = get_close_matches(args[0], [*names, HELP], n=1)
            question = "".join(f" Did you mean {name}?" for name in similar)
            ctx.fail(f"No such command {args[0]!r}.{question}")
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def refuse(*contradictions: tuple[bool, str]) -> None:
    """Raise a usage error for the first condition that holds."""
    for holds, message in contradictions:
        if holds:
            raise click.UsageError(message)


class Offered(click.types.StringParamType):
    """A text type with known values, which completion offers."""

    def __init__(
        self,
        words: Callable[[], Iterable[tuple[str, str]]] = lambda: (),
        *,
        kind: str | None = None,
    ) -> None:
        self._words = words
        self._kind = kind

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's signature)
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem[Any]]:
        """The known values that begin with the incomplete text."""
        found = [
            CompletionItem(word, help=about or None)
            for word, about in self._words()
            if word.startswith(incomplete)
        ]
        if self._kind is not None:
            found.append(CompletionItem(incomplete, type=self._kind))
        return found


def _players() -> Iterable[tuple[str, str]]:
    from c4core.players import player_kinds
    from c4core.players.registry import LEVELS

    for name, level in LEVELS.items():
        yield name, level.player
    for kind in player_kinds():
        yield kind.name if kind.stands_alone else f"{kind.name}:", kind.summary


def _seats() -> Iterable[tuple[str, str]]:
    yield "human", "you"
    yield from _players()


def _queues() -> Iterable[tuple[str, str]]:
    from workers.core.kinds import Lane

    return [(str(lane), "") for lane in Lane]


def _boards() -> Iterable[tuple[str, str]]:
    return [(name, "") for name in ("7x6", "4x4", "5x4", "5x5", "6x5", "6x6", "7x7", "8x7", "9x6")]


def _brokers() -> Iterable[tuple[str, str]]:
    yield "none", "threads of this process do the work"
    yield from ((f"{scheme}://", "") for scheme in ("redis", "rediss", "amqp", "amqps"))


_FILE: Final = Offered(kind="file")
_PLAYER: Final = Offered(_players)

_BY_METAVAR: Final = {
    "A": _PLAYER,
    "B": _PLAYER,
    "DIR": Offered(kind="dir"),
    "FILE": _FILE,
    "NAMES": Offered(_queues),
    "PLAYER": _PLAYER,
    "PLAYER...": _PLAYER,
    "WHO": Offered(_seats),
    "WxH": Offered(_boards),
}
"""Completion types for plain texts, by metavar."""

_BY_NAME: Final = {"db": _FILE, "broker": Offered(_brokers)}
"""Completion types for the options whose metavar is URL, by parameter name."""


def _offer_values(parameters: Iterable[click.Parameter]) -> None:
    """Add completion to plain text parameters. Heavy modules are imported when Tab is pressed."""
    for parameter in parameters:
        if parameter.type is click.STRING:
            by_name = _BY_NAME.get(str(parameter.name), click.STRING)
            parameter.type = _BY_METAVAR.get(str(parameter.metavar), by_name)
