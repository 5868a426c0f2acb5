"""How games are named on the command line of ``c4 review``, and read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from cli.shell.streams import input_name, reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.arena.files import GameEntry
    from c4core.lines import BadLine
    from c4core.notation import BoardSize
    from db.database import Database
    from db.records.games import GameCursor

STDIN: Final = "-"
_MOVES: Final = re.compile(r"[0-9A-Za-z]*")
_STORED: Final = re.compile(r"[0-9]+:[0-9]+")


@dataclass(frozen=True, slots=True)
class Named:
    """Games by the way in which they were named, in the order of the command line."""

    parts: tuple[str | GameCursor | BinaryIO, ...]
    """Moves, stored games, files."""

    @property
    def has_stored(self) -> bool:
        """Whether a database has to be there."""
        return any(not isinstance(part, str) and not hasattr(part, "read") for part in self.parts)

    @property
    def has_files(self) -> bool:
        """Whether there may be many games."""
        return any(hasattr(part, "read") for part in self.parts)


@dataclass(slots=True)
class Games:
    """Games that were read, and lines that are none."""

    entries: list[GameEntry | BadLine] = field(default_factory=list)
    """In the order in which they came."""

    @property
    def games(self) -> list[GameEntry]:
        """Without the bad lines."""
        from c4core.lines import BadLine

        return [entry for entry in self.entries if not isinstance(entry, BadLine)]


def read_names(context: click.Context, names: Sequence[str]) -> Named:
    """What some arguments name.

    Letters and digits are moves, ``MATCH:NUMBER`` a stored game, ``-`` standard input, and all else
    a file.

    Raises:
        click.BadParameter: a number is too large, or a file cannot be opened.
    """
    from db.records.games import GameCursor

    parts: list[str | GameCursor | BinaryIO] = []
    for name in names:
        if _MOVES.fullmatch(name):
            parts.append(name)
        elif _STORED.fullmatch(name):
            try:
                parts.append(GameCursor.parse(name))
            except ValueError as error:
                raise click.BadParameter(str(error), context, param_hint="GAME") from None
        else:
            opened = click.File("rb").convert(name, None, context)
            parts.append(opened)  # type: ignore[arg-type]  # click's types name text files only
    return Named(tuple(parts))


def read_games(named: Named, board: BoardSize, database: Database | None) -> Games:
    """Read all games.

    Args:
        named: from :func:`read_names`.
        board: of games that do not say theirs.
        database: has the stored ones; None where there is none.

    Raises:
        click.BadParameter: moves cannot be played, or a file has no games.
        MatchNotFoundError, GameNotFoundError: there is no such match or game.
    """
    games = Games()
    for part in named.parts:
        games.entries.extend(_read(part, board, database))
    return games


def _read(
    part: str | GameCursor | BinaryIO, board: BoardSize, database: Database | None
) -> Iterator[GameEntry | BadLine]:
    from c4core.arena.file_formats import game_of_moves, read_any_games
    from c4core.errors import MoveError
    from db.records.games import GameCursor
    from workers.matches.reviews.game import read_game

    if isinstance(part, str):
        try:
            yield game_of_moves(part, board)
        except MoveError as error:
            hint = "" if part.isdigit() else f"; a file of that name is ./{part}"
            raise click.BadParameter(f"{part!r}: {error}{hint}", param_hint="GAME") from None
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
