import click
import pytest

from cli.shell.parameters import Range, read_board, read_cursor, read_range

COMMAND = click.Command("test")
CONTEXT = click.Context(COMMAND)
PARAMETER = click.Option(["--test"])


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("20", Range(20, 20)),
        ("8..12", Range(8, 12)),
        ("8..", Range(8, None)),
        ("..12", Range(None, 12)),
        ("-3..-1", Range(-3, -1)),
        ("-5", Range(-5, -5)),
    ],
)
def test_range(text: str, meaning: Range) -> None:
    assert read_range(CONTEXT, PARAMETER, text) == meaning


@pytest.mark.parametrize(
    ("text", "message"),
    [("x", "no number"), ("1..x", "no number"), ("..", "no number"), ("", "no number"),
     ("3..1", "empty")],
)  # fmt: skip
def test_bad_range_is_named(text: str, message: str) -> None:
    with pytest.raises(click.BadParameter, match=f"{text!r}.*{message}"):
        read_range(CONTEXT, PARAMETER, text)


def test_what_is_not_given_stays_so() -> None:
    assert read_range(CONTEXT, PARAMETER, None) is None
    assert read_cursor(CONTEXT, PARAMETER, None) is None


@pytest.mark.parametrize("text", ["7", "7x", "x6", "0x6", "9x9", "40x1", "seven by six"])
def test_bad_board_is_a_usage_error(text: str) -> None:
    with pytest.raises(click.BadParameter, match="board"):
        read_board(CONTEXT, PARAMETER, text)


def test_bad_cursor_is_named() -> None:
    with pytest.raises(click.BadParameter, match="zz"):
        read_cursor(CONTEXT, PARAMETER, "zz")
