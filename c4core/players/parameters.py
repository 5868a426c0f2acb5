"""Typed parameters of players: their values, and how values are read and written.

A player declares a parameter as a field of its class::

    depth: Annotated[int, Whole(1, 12), "plies looked ahead"] = 4

The field's default is the parameter's default, and the text explains the parameter to users. A
``bool`` field is a switch, and a ``Literal`` field takes one of its words; neither needs a value
type. ``| None`` also allows ``none``. A parameter is required if its default is not an allowed
value.
"""

from __future__ import annotations

import inspect
import math
import types
from dataclasses import MISSING, dataclass, fields
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    Protocol,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


NONE: Final = "none"

Value: TypeAlias = int | float | str | bool | None


class ValueType(Protocol):
    """A set of values and their written form."""

    @property
    def allowed(self) -> str:
        """The values in words."""

    @property
    def is_shown(self) -> bool:
        """Whether a description shows the value even if it is the default."""

    def holds(self, value: object) -> bool:
        """Whether this is one of the values."""

    def parse(self, text: str) -> Value:
        """Read a value from a text. Raises ValueError if the text is not a value."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Whole numbers in a range."""

    low: int
    high: int
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def holds(self, value: object) -> bool:
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> Value:
        if not (text.isascii() and text.removeprefix("-").isdecimal()):
            raise ValueError(text)
        return int(text)


@dataclass(frozen=True, slots=True)
class Real:
    """Numbers in a range, both ends included."""

    low: float
    high: float
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"

    def holds(self, value: object) -> bool:
        return (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and math.isfinite(value)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> Value:
        return float(text)


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch: on or off."""

    is_shown: bool = False

    @property
    def allowed(self) -> str:
        return "on or off"

    def holds(self, value: object) -> bool:
        return isinstance(value, bool)

    def parse(self, text: str) -> Value:
        if text not in ("on", "off"):
            raise ValueError(text)
        return text == "on"


class _Text:
    """Base class of values that are texts."""

    __slots__ = ()

    def parse(self, text: str) -> Value:
        return text


@dataclass(frozen=True, slots=True)
class Word(_Text):
    """One word of a list."""

    words: tuple[str, ...]
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        return f"{', '.join(self.words[:-1])} or {self.words[-1]}"

    def holds(self, value: object) -> bool:
        return value in self.words


@dataclass(frozen=True, slots=True)
class Digits(_Text):
    """A selection of numbered items: one or more digits, each at most once, in order."""

    digits: str
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        return f"one or more of the digits {self.digits}, in this order"

    def holds(self, value: object) -> bool:
        return (
            isinstance(value, str)
            and value != ""
            and value == "".join(digit for digit in self.digits if digit in value)
        )


@dataclass(frozen=True, slots=True)
class FileName(_Text):
    """File names. There is no default, so a name is required."""

    is_shown: bool = True

    @property
    def allowed(self) -> str:
        return "a file's name, without commas"

    def holds(self, value: object) -> bool:
        """Whether the value can be written as part of a description."""
        return isinstance(value, str) and value == value.strip() != "" and "," not in value


@dataclass(frozen=True, slots=True)
class Checksum:
    """Checksums of a number of hexadecimal digits."""

    digits: int
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        return f"{self.digits} hexadecimal digits"

    def holds(self, value: object) -> bool:
        """Whether the value has this many hexadecimal digits."""
        return (
            isinstance(value, str)
            and len(value) == self.digits
            and all(digit in "0123456789abcdef" for digit in value)
        )

    def parse(self, text: str) -> Value:
        """Read digits; capital letters are allowed."""
        return text.lower()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a player."""

    name: str
    """The parameter's name in descriptions."""
    values: ValueType
    """The type of the allowed values."""
    default: Value
    """The value if a description does not give one."""
    is_optional: bool
    """Whether None is also allowed."""
    about: str
    """The parameter's meaning in words."""

    @property
    def is_required(self) -> bool:
        """Whether the parameter is required, because its default is not an allowed value."""
        return not self.holds(self.default)

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"{self.values.allowed}, or {NONE}" if self.is_optional else self.values.allowed

    def holds(self, value: object) -> bool:
        """Whether a value is allowed."""
        return (self.is_optional and value is None) or self.values.holds(value)

    def parse(self, text: str) -> Value:
        """Read a value."""
        if self.is_optional and text == NONE:
            return None
        value = self.values.parse(text)
        if not self.values.holds(value):
            raise ValueError(text)
        return value

    def format(self, value: Value) -> str:
        """Write a value so that :meth:`parse` can read it."""
        if value is None:
            return NONE
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, float):
            return repr(value).removesuffix(".0")
        return str(value)


@dataclass(frozen=True, slots=True)
class Resource:
    """Marks a field that is not a parameter: the caller provides its value."""


def parameters_of(cls: type) -> tuple[Parameter, ...]:
    """Return the parameters that a class declares, in order."""
    return tuple(_declared(cls))


def resources_of(cls: type) -> tuple[str, ...]:
    """Return the names of the fields that are marked as resources."""
    hints = _hints(cls)
    return tuple(
        field.name for field in fields(cls) if _metadata(hints[field.name], Resource) is not None
    )


def _declared(cls: type) -> Iterator[Parameter]:
    hints = _hints(cls)
    for field in fields(cls):
        hint = hints[field.name]
        if not field.init or _metadata(hint, Resource) is not None:
            continue
        about = _metadata(hint, str)
        if get_origin(hint) is not Annotated or about is None or field.default is MISSING:
            raise TypeError(
                f"{cls.__name__}.{field.name} is not a parameter: declare it as "
                "Annotated[type, values, 'what it means'] = default"
            )
        plain, is_optional = _without_none(get_args(hint)[0])
        values = next((item for item in get_args(hint)[1:] if not isinstance(item, str)), None)
        yield Parameter(
            field.name,
            values or _values_of(plain),
            field.default,
            is_optional,
            str(about),
        )


def _hints(cls: type) -> dict[str, Any]:
    """Return the annotations of a class and its bases. They must not be strings."""
    return {
        name: hint
        for base in reversed(cls.__mro__)
        for name, hint in inspect.get_annotations(base).items()
    }


def _metadata(hint: Any, kind: type) -> object | None:  # noqa: ANN401  (typing has no type of hints)
    if get_origin(hint) is not Annotated:
        return None
    return next((item for item in get_args(hint)[1:] if isinstance(item, kind)), None)


def _without_none(hint: Any) -> tuple[Any, bool]:  # noqa: ANN401
    """Return a type without ``| None``, and whether it had ``| None``."""
    if get_origin(hint) not in (Union, types.UnionType):
        return hint, False
    others = [part for part in get_args(hint) if part is not type(None)]
    return (others[0] if len(others) == 1 else hint), True


def _values_of(hint: Any) -> ValueType:  # noqa: ANN401
    """Return the value type of a field that is declared without one."""
    if hint is bool:
        return Switch()
    if get_origin(hint) is Literal:
        return Word(get_args(hint))
    raise TypeError(f"the allowed values of {hint} must be declared")
