"""Parameters of commands: how to declare them, and parameters that several commands share.

Each is declared once, as a field of a class. A field's value says how click reads it; the field's
name is the parameter's name::

    @dataclass(frozen=True, kw_only=True)
    class Given:
        moves: tuple[str, ...] = argument(nargs=-1)
        board: BoardSize = parameters.board()
        pv: bool = flag("Show best play.")
        engine: Engine = group(Engine)

    @click.command(cls=Command, examples=EXAMPLES)
    @takes(Given)
    @click.pass_obj
    def solve(settings: Settings, given: Given) -> None: ...
"""

from __future__ import annotations

import errno
import os
import tempfile
from dataclasses import dataclass, field, fields
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from c4core.notation import parse_board
from workers.configuration import DEFAULT_TABLE_MB, MAX_TABLE_MB, MAX_THREADS, usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from c4core.players.player import Consent

    Decorator = Callable[[Any], Any]

T = TypeVar("T")

_HOW = "how"
"""The key of a field's metadata: a function from the field's name to decorators, or a group."""


def declared(decorators: Callable[[str], Sequence[Decorator]]) -> Any:
    """A field that some options set; ``decorators`` makes them from the parameter's name."""
    return field(metadata={_HOW: decorators})


def option(text: str, *flags: str, read: Callable[[str], object] | None = None, **how: Any) -> Any:
    """A field for an option, ``--field-name`` unless there are other ``flags``.

    ``text`` is its help, ``read`` parses its value. A default other than None is shown.
    """
    if read is not None:
        how["callback"] = partial(_read, read)
    how = {"help": text, "show_default": how.get("default") not in (None, ""), **how}

    def decorators(name: str) -> list[Decorator]:
        return [click.option(*(flags or ["--" + name.replace("_", "-")]), name, **how)]

    return declared(decorators)


def _read(
    read: Callable[[str], object],
    _context: click.Context,
    _parameter: click.Parameter,
    text: str | None,
) -> object:
    if text is None:
        return None
    try:
        return read(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


flag = partial(option, is_flag=True)
"""A field for an option without a value."""


def number(
    kind: click.IntRange | click.FloatRange, text: str, *flags: str, metavar: str = "N", **how: Any
) -> Any:
    """A field for an option with a number."""
    return option(text, *flags, type=kind, metavar=metavar, **how)


def choice(words: Sequence[str], text: str, *flags: str, **how: Any) -> Any:
    """A field for an option with one of some words."""
    return option(text, *flags, type=click.Choice(words), **how)


def argument(metavar: str | None = None, **how: Any) -> Any:
    """A field for an argument."""
    return declared(lambda name: [click.argument(name, metavar=metavar, **how)])


def group(kind: type[T]) -> T:
    """A field for an object of a class that several commands share."""
    made: T = field(metadata={_HOW: kind})
    return made


def takes(kind: type[Any]) -> Decorator:
    """Add a class's parameters to a command, which gets them as one object of the class."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def collected(*args: Any, **values: Any) -> Any:
            given = _collect(kind, values)
            return function(*args, given, **values)

        for decorate in reversed(list(_decorators(kind))):
            decorate(collected)
        return collected

    return add


def _decorators(kind: type[Any]) -> Iterator[Decorator]:
    for each in fields(kind):
        how = each.metadata[_HOW]
        yield from _decorators(how) if isinstance(how, type) else how(each.name)


def _collect(kind: type[Any], values: dict[str, Any]) -> Any:
    """Pop the fields of a class from click's values."""

    def value_of(name: str, how: Any) -> Any:
        return _collect(how, values) if isinstance(how, type) else values.pop(name)

    return kind(**{each.name: value_of(each.name, each.metadata[_HOW]) for each in fields(kind)})


LARGEST_WHOLE: Final = 10**18
"""Larger than any count, and small enough for a database."""
LARGEST_FLOAT: Final = 1e9
"""31 years in seconds; Python can wait for 292 years."""
LARGEST_IN_RANGE: Final = (1 << 15) - 1
"""The limit of plies, moves and scores, which databases store in 16 bits."""
LARGEST_KEY: Final = (1 << 128) - 1
"""The largest key that databases store; each board has a limit of its own."""
LARGEST_SEED: Final = (1 << 64) - 1
LARGEST_TABLE_MB: Final = MAX_TABLE_MB
LARGEST_PRIORITY: Final = 99
"""Higher priorities are reserved for "c4 solve": see INTERACTIVE_PRIORITY."""


class IntRange(click.IntRange):
    """An integer within bounds, called "whole number" in messages."""

    name = "whole number"


class WholeNumber(IntRange):
    """An integer whose upper bound is not shown in help texts."""

    def __init__(self, least: int, most: int = LARGEST_WHOLE) -> None:
        super().__init__(least)
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse an integer."""
        number: int = super().convert(value, param, ctx)
        if number > self._most:
            self.fail(f"{value} is more than {self._most:,}", param, ctx)
        return number


class FiniteFloat(click.FloatRange):
    """A finite number within bounds: neither NaN nor infinity."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Parse a number."""
        number: float = super().convert(value, param, ctx)
        if not abs(number) <= LARGEST_FLOAT:  # also true for NaN
            self.fail(f"{value!r} is not a number up to {LARGEST_FLOAT:,.0f}", param, ctx)
        return number


class Range(NamedTuple):
    """Integers from ``first`` to ``last``; None leaves an end open."""

    first: int | None
    last: int | None


def read_range(text: str) -> Range:
    """Parse a range: ``20``, ``8..12``, or with an open end ``8..``, ``..12``."""
    first_text, dots, last_text = text.partition("..")
    try:
        first = int(first_text) if first_text else None
        last = (int(last_text) if last_text else None) if dots else first
    except ValueError:
        raise ValueError(f"{text!r} is not a number or a range such as 8..12") from None
    if first is None and last is None:
        raise ValueError(f"{text!r} has no number")
    if first is not None and last is not None and first > last:
        raise ValueError(f"{text!r} is empty: {first} is more than {last}")
    if any(end is not None and abs(end) > LARGEST_IN_RANGE for end in (first, last)):
        raise ValueError(f"{text!r}: the largest possible number is {LARGEST_IN_RANGE:,}")
    return Range(first, last)


def check_exists(name: str, *, option: str) -> None:
    """Refuse a file name that does not exist."""
    if not os.path.exists(name):  # noqa: PTH110 (as typed)
        raise click.BadParameter(f"File {name!r} does not exist.", param_hint=f"'{option}'")


def readable(text: str) -> str:
    """A command-line text in which U+FFFD replaces bytes that are not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def read_label(text: str) -> str:
    """Check that a label is UTF-8, so that databases can store it."""
    try:
        return text.encode(errors="surrogateescape").decode()
    except UnicodeDecodeError:
        raise ValueError(f"{readable(text)!r} is not UTF-8 text") from None


def label(what: str) -> Any:
    """The option ``--label``."""
    return option(f"A name for {what}", metavar="TEXT", read=read_label)


def _read_consent(_context: click.Context, _parameter: click.Parameter, given: object) -> Consent:
    from c4core.players.player import ANY_PROGRAM, NO_PROGRAM

    return ANY_PROGRAM if given else NO_PROGRAM


def programs(when: str) -> Any:
    """The option ``--allow-programs``: a :class:`~c4core.players.player.Consent`."""
    text = f"Start players that are programs (exec, kaggle, python) {when}"
    return flag(text, "--allow-programs", callback=_read_consent)


def detach(text: str = "Only create the job and write its number.") -> Any:
    """The option ``--detach``."""
    return flag(text)


def no_store() -> Any:
    """The option ``--no-store``."""
    return flag("Use no database: look nothing up, store nothing.")


def board() -> Any:
    """The option ``--board`` with the usual board as its default."""
    text = "Board size: columns x rows."
    return option(text, metavar="WxH", default="7x6", read=parse_board)


def zero_based() -> Any:
    """The option ``--zero-based``."""
    return flag("Count columns from 0, in moves and in answers.")


def seed(text: str, *, default: int | None = 0, metavar: str = "S") -> Any:
    """The option ``--seed``."""
    return number(IntRange(0, LARGEST_SEED), text, metavar=metavar, default=default)


def priority() -> Any:
    """The option ``--priority``: None leaves the job's priority unchanged."""
    text = "Workers do jobs of higher priority first; equal ones share the workers.  [default: 0]"
    return number(IntRange(-LARGEST_PRIORITY, LARGEST_PRIORITY), text)


def _read_threads(_context: click.Context, _parameter: click.Parameter, given: int | None) -> int:
    return usable_cores() if given is None else given


def threads() -> Any:
    """The option ``--threads``."""
    return number(
        IntRange(1, MAX_THREADS),
        "Threads that search; they share one table.  [default: one per core]",
        callback=_read_threads,
        envvar="C4_THREADS",
        show_envvar=True,
    )


def table_mb(
    text: str = "Size of the transposition table.",
    *,
    default: int = DEFAULT_TABLE_MB,
    most: int = LARGEST_TABLE_MB,
    envvar: str | None = None,
) -> Any:
    """The option ``--table-mb``; the environment sets only the default of searches."""
    how = {"envvar": envvar, "show_envvar": envvar is not None}
    return number(WholeNumber(1, most), text, metavar="MB", default=default, **how)


@dataclass(frozen=True, kw_only=True)
class Engine:
    """The threads of a search in this process, and their table."""

    threads: int = threads()
    table_mb: int = table_mb(envvar="C4_TABLE_MB")


def writable_path(name: str, *, option: str) -> Path:
    """Check that a file can be written; return its path."""
    path = Path(os.path.realpath(name))  # a link stays a link
    if path.exists() and not path.is_file():  # a device cannot be replaced
        raise click.BadParameter(f"{name!r}: not a regular file", param_hint=f"'{option}'")
    if not path.parent.is_dir():
        folder = os.path.dirname(name) or str(path.parent)  # noqa: PTH120 (as typed)
        raise click.BadParameter(
            f"{name!r}: {os.strerror(errno.ENOENT)}: {folder!r}", param_hint=f"'{option}'"
        )
    try:
        if path.exists():
            with path.open("ab"):  # a file that may not be written may not be replaced either
                pass
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise click.BadParameter(f"{name!r}: {error.strerror}", param_hint=f"'{option}'") from None
    os.close(handle)
    Path(beside).unlink()
    return path
