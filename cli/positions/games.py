"""Games that are named on the command line: moves, stored games, and files of games."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

import click

from c4core.errors import MoveError
from c4core.lines import BadLine
from c4core.reader import read_moves
from cli.shell.process import input_name, reading
from db.records.games import GameCursor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.arena.files import GameEntry
    from c4core.notation import BoardSize
    from db.database import Database

STDIN: Final = "-"
_FILE_NAME: Final = re.compile(r"\.{0,2}[/\\].*|.*\.[A-Za-z]\w*", re.DOTALL)
"""Matches a path from here or from the root, and a name with an ending."""

_STORED: Final = re.compile(r"[0-9]+[:/][0-9]+")
_MATCH: Final = re.compile(r"[0-9]{1,7}")
"""Matches the number of a match; longer numbers are moves."""


@dataclass(frozen=True, slots=True)
class NamedGames:
    """The parsed arguments, in the order of the command line."""

    parts: tuple[str | int | GameCursor | BinaryIO, ...]
    """Moves, the number of a match, a stored game, or a file."""

    @property
    def has_stored(self) -> bool:
        """Whether a database is needed."""
        return any(not isinstance(part, str) and not hasattr(part, "read") for part in self.parts)

    @property
    def has_files(self) -> bool:
        """Whether there may be many games."""
        return any(hasattr(part, "read") for part in self.parts)


@dataclass(slots=True)
class GivenGames:
    """Games that were read, and bad lines."""

    entries: list[GameEntry | BadLine] = field(default_factory=list)

    @property
    def games(self) -> list[GameEntry]:
        """The games without bad lines."""
        return [entry for entry in self.entries if not isinstance(entry, BadLine)]


def read_names(
    context: click.Context, names: Sequence[str], board: BoardSize, *, has_matches: bool = False
) -> NamedGames:
    """Parse arguments: moves, ``MATCH:NUMBER``, ``-`` or files.

    A name that can be read as moves is moves; write ``./name`` for a file with such a name. With
    ``has_matches``, a number of at most seven digits is a match with all its games.
    """
    parts: list[str | int | GameCursor | BinaryIO] = []
    for name in names:
        if _STORED.fullmatch(name):
            try:
                parts.append(GameCursor.parse(name))
            except ValueError as error:
                raise click.BadParameter(str(error), context, param_hint="GAME") from None
        elif has_matches and _MATCH.fullmatch(name):
            parts.append(int(name))
        elif name != STDIN and not _is_file_name(name, board):
            parts.append(name)
        else:
            # Click's type annotations are for text files only.
            parts.append(cast("BinaryIO", click.File("rb").convert(name, None, context)))
    return NamedGames(tuple(parts))


def _is_file_name(name: str, board: BoardSize) -> bool:
    """Whether a name cannot be read as moves, and is or looks like the name of a file."""
    try:
        read_moves(name, board)
    except MoveError:
        return Path(name).exists() or ("://" not in name and _FILE_NAME.fullmatch(name) is not None)
    return False


def read_games(named: NamedGames, board: BoardSize, database: Database | None) -> GivenGames:
    """Read all games."""
    return GivenGames(list(stream_games(named, board, database)))


def stream_games(
    named: NamedGames, board: BoardSize, database: Database | None
) -> Iterator[GameEntry | BadLine]:
    """Read games one by one."""
    for part in named.parts:
        yield from _read_part(part, board, database)


def _read_part(
    part: str | int | GameCursor | BinaryIO, board: BoardSize, database: Database | None
) -> Iterator[GameEntry | BadLine]:
    from c4core.arena.file_formats import game_of_moves, read_any_games
    from workers.match.puzzles import match_games
    from workers.match.reviews import read_game

    if isinstance(part, str):
        try:
            yield game_of_moves(part, board)
        except MoveError as error:
            hint = "" if part.isdigit() else "; no file has this name"
            raise click.BadParameter(
                f"{part!r} was read as moves: {error}{hint}", param_hint="GAME"
            ) from None
    elif isinstance(part, int):
        if database is not None:
            yield from match_games(database, part)
    elif isinstance(part, GameCursor):
        if database is not None:
            yield read_game(database, part.match_id, part.number)
    else:
        name, is_empty = input_name(part), True
        with reading(name):
            for entry in read_any_games(part, board=board):
                is_empty = False
                yield entry
        if is_empty:
            raise click.BadParameter(f"{name} is empty", param_hint="GAME")
