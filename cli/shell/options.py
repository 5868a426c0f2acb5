"""Parameters of commands, each declared once: as a field of a class.

A field's value says how click reads it; the field's name is the parameter's name::

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

from dataclasses import field, fields
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
