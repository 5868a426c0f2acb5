import click
import pytest

from cli.reference import contexts
from cli.shell.parameters import (
    FiniteFloat,
    Range,
    WholeNumber,
    read_label,
    read_range,
)

COMMAND = click.Command("test")
CONTEXT = click.Context(COMMAND)
PARAMETER = click.Option(["--test"])


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("20", 20, 20), ("8..12", 8, 12), ("8..", 8, None), ("..12", None, 12), ("-3..-1", -3, -1),
     ("-5", -5, -5)],
)  # fmt: skip
def test_range(text: str, first: int | None, last: int | None) -> None:
    assert read_range(text) == Range(first, last)


@pytest.mark.parametrize(
    ("text", "message"),
    [("x", "not a number"), ("1..x", "not a number"), ("..", "no number"), ("", "no number"),
     ("3..1", "empty"), ("40000", "is 32,767"), ("-9e5", "not a number"), ("..40000", "is 32,767"),
     ("-40000..", "is 32,767"), ("9" * 5000, "not a number")],
)  # fmt: skip
def test_a_bad_range_is_reported(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"{text!r}.*{message}"):
        read_range(text)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e300", "1000000001"])
def test_infinite_and_huge_numbers_of_seconds_are_refused(text: str) -> None:
    with pytest.raises(
        click.BadParameter, match=rf"'{text}' is not a number up to 1,000,000,000|not in the range"
    ):
        FiniteFloat(0).convert(text, PARAMETER, CONTEXT)
    assert FiniteFloat(0).convert("1e9", PARAMETER, CONTEXT) == 1e9


@pytest.mark.parametrize("text", ["0", "99999999999999999999999", "9" * 5000, "1e3"])
def test_huge_and_malformed_integers_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"range|more than|not a valid"):
        WholeNumber(1).convert(text, PARAMETER, CONTEXT)
    assert WholeNumber(1).convert("1000000000000000000", PARAMETER, CONTEXT) == 10**18


def test_every_numeric_option_has_a_limit() -> None:
    """Numbers of jobs and matches are arguments; if one does not exist, the command reports it."""
    for context in contexts():
        for parameter in context.command.params:
            kind = parameter.type
            name = f"{context.command_path} {parameter.name}"
            if isinstance(parameter, click.Option) and isinstance(kind, click.IntRange):
                assert isinstance(kind, WholeNumber) or kind.max is not None, name
            assert isinstance(kind, FiniteFloat) or not isinstance(kind, click.FloatRange), name
            assert "range" not in kind.name, name
            assert type(kind) is not click.IntRange, name


def test_labels_are_text() -> None:
    assert read_label("tonight, \u00e4") == "tonight, \u00e4"
    with pytest.raises(ValueError, match="'x\ufffd' is not UTF-8 text"):
        read_label("x\udcff")
