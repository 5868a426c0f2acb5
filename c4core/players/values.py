"""Types of parameters: sets of values, and the text of each value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Value: TypeAlias = int | float | str | bool | None


class ValueType(Protocol):
    """A set of values, and how they are written."""

    @property
    def allowed(self) -> str:
        """The values, for people."""

    @property
    def is_shown(self) -> bool:
        """Whether a description shows the value even if it is the default."""

    def holds(self, value: object) -> bool:
        """Whether this is one of the values."""

    def parse(self, text: str) -> Value:
        """The value of a text; ValueError if the text is not a value."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Whole numbers of a range."""

    low: int
    high: int
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        """The range in words."""
        return f"a whole number from {self.low} to {self.high}"

    def holds(self, value: object) -> bool:
        """Whether it is a whole number of the range."""
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> Value:
        """Read decimal digits."""
        if not text.removeprefix("-").isdecimal():
            raise ValueError(text)
        return int(text)


@dataclass(frozen=True, slots=True)
class Real:
    """Numbers of a range, both ends included."""

    low: float
    high: float
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        """The range in words."""
        return f"a number from {self.low:g} to {self.high:g}"

    def holds(self, value: object) -> bool:
        """Whether it is a finite number of the range."""
        return (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and math.isfinite(value)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> Value:
        """Read a decimal number."""
        return float(text)


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    is_shown: bool = False

    @property
    def allowed(self) -> str:
        """Both words, for people."""
        return "on or off"

    def holds(self, value: object) -> bool:
        """Whether it is a truth value."""
        return isinstance(value, bool)

    def parse(self, text: str) -> Value:
        """Read ``on`` or ``off``."""
        if text not in ("on", "off"):
            raise ValueError(text)
        return text == "on"


class _Text:
    """The base of values that are their own text."""

    __slots__ = ()

    def parse(self, text: str) -> Value:
        """The text itself."""
        return text


@dataclass(frozen=True, slots=True)
class Word(_Text):
    """One of some words."""

    words: tuple[str, ...]
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        """The words, for people."""
        return f"{', '.join(self.words[:-1])} or {self.words[-1]}"

    def holds(self, value: object) -> bool:
        """Whether it is one of the words."""
        return value in self.words


@dataclass(frozen=True, slots=True)
class Digits(_Text):
    """Some of several digits, each at most once, in order: a selection of numbered items."""

    digits: str
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        """The digits, for people."""
        return f"one or more of the digits {self.digits}, in this order"

    def holds(self, value: object) -> bool:
        """Whether it is a selection of the digits."""
        return (
            isinstance(value, str)
            and value != ""
            and value == "".join(digit for digit in self.digits if digit in value)
        )


@dataclass(frozen=True, slots=True)
class FileName(_Text):
    """Names of files. There is no default, so a name is required."""

    is_shown: bool = True

    @property
    def allowed(self) -> str:
        """The names, in words."""
        return "a file's name, without commas"

    def holds(self, value: object) -> bool:
        """Whether it can be written as part of a description."""
        return isinstance(value, str) and value == value.strip() != "" and "," not in value


@dataclass(frozen=True, slots=True)
class Checksum:
    """Checksums of some hexadecimal digits."""

    digits: int
    is_shown: bool = False

    @property
    def allowed(self) -> str:
        """The number of digits, in words."""
        return f"{self.digits} hexadecimal digits"

    def holds(self, value: object) -> bool:
        """Whether it has this many digits."""
        return (
            isinstance(value, str)
            and len(value) == self.digits
            and all(digit in "0123456789abcdef" for digit in value)
        )

    def parse(self, text: str) -> Value:
        """Read digits."""
        return text.lower()
