"""Read positions from arguments, keys and files of text grids."""

from __future__ import annotations

from dataclasses import replace
from typing import IO, TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from c4core.errors import C4Error
from c4core.grids import NEEDS_SIZE, SINGLE_ROW, read_grid, split_grids
from c4core.lines import BadLine, Request, parse_fields, parse_position
from c4core.notation import FROM_ONE
from cli.shell.commands import join_moves
from cli.shell.process import echo, input_name, reading
from cli.shell.settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize


def from_arguments(
    moves: Sequence[str], *, board: BoardSize, zero_based: bool = False
) -> list[Request]:
    """Read the positions of MOVES; empty text is the empty board."""
    requests = []
    for number, text in enumerate(moves, start=1):
        try:
            request = parse_position(text, board, zero_based=zero_based)
        except C4Error as error:
            where = "" if len(moves) == 1 else f"position {number}, {text!r}: "
            hint = _option_for(str(error))
            raise click.BadParameter(f"{where}{error}{hint}", param_hint="MOVES") from None
        requests.append(replace(request, line=number))
    return requests


_OPTIONS = {
    "zero_based": (FROM_ONE, "; with --zero-based from 0"),
    "grid": (SINGLE_ROW, "; --grid reads a file of grids"),
    "board": (NEEDS_SIZE, " with --board WxH"),
}
"""The end of an error message and the hint to add, by the name of an option's parameter."""


def _option_for(error: str) -> str:
    """The hint at an option that avoids an error; empty if the current command has none."""
    context = click.get_current_context(silent=True)
    for parameter in () if context is None else context.command.params:
        end, hint = _OPTIONS.get(str(parameter.name), ("", ""))
        if end and error.endswith(end):
            return hint
    return ""


def hint_at_one(
    moves: Sequence[str],
    *,
    board: BoardSize,
    zero_based: bool = False,
    kind: str = "position",
) -> None:
    """If several MOVES have one move each, say at the end how to write them as one position."""
    one = join_moves(moves, board, zero_based=zero_based)
    if one is not None and 1 < len(moves) == len(one):
        context = click.get_current_context()
        text = (
            f"These are {len(moves)} {kind}s of one move each. "
            f"For one {kind}: {context.command_path} {one}"
        )
        context.call_on_close(lambda: settings_of(context).say(text))


def from_keys(keys: Sequence[int], *, board: BoardSize) -> list[Request]:
    """Return the positions with the given keys."""
    requests = []
    for number, key in enumerate(keys, start=1):
        request = parse_fields({"key": key}, board=board, line=number)
        if isinstance(request, BadLine):
            raise click.BadParameter(request.error, param_hint="'--key'")
        requests.append(request)
    return requests


def along(request: Request, *, board: BoardSize, zero_based: bool = False) -> list[Request]:
    """Return all positions of the moves that lead to a position, the empty board first."""
    moves = request.moves or ""
    prefixes = (moves[:length] for length in range(len(moves) + 1))
    return from_arguments(list(prefixes), board=board, zero_based=zero_based)


MOST_TEXT: Final = 1 << 24
"""Maximum length of a file of grids, in characters."""


def from_grids(stream: IO[str]) -> list[Request]:
    """Read a file of grids, which all have the size of ``--board``, if this is given."""
    context = click.get_current_context()
    is_sized = context.get_parameter_source("board") is ParameterSource.COMMANDLINE
    board = context.params["board"] if is_sized else None
    try:
        with reading(input_name(stream)):
            text = stream.read(MOST_TEXT + 1)
    except UnicodeDecodeError as error:
        raise _bad_grid(stream, f"not text: {error.reason}") from None
    if len(text) > MOST_TEXT:
        raise _bad_grid(stream, f"longer than {MOST_TEXT:,} characters")
    requests = []
    for number, grid in enumerate(split_grids(text), start=1):
        try:
            requests.append(Request(number, read_grid(grid, board)))
        except C4Error as error:
            hint = _option_for(str(error))
            raise _bad_grid(stream, f"grid {number}: {error}{hint}") from None
    if not requests:
        raise _bad_grid(stream, "the file has no grid")
    return requests


def _bad_grid(stream: IO[str], message: str) -> click.BadParameter:
    return click.BadParameter(f"{input_name(stream)}: {message}", param_hint="--grid")


def report_bad_line(bad: BadLine) -> None:
    """Report a bad line of a file to people."""
    echo(f"Line {bad.line}: {bad.error}", err=True)
