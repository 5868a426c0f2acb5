"""The file that keeps a game while it is played, so that it can be resumed at any time.

It is JSON with the fields needed to play on::

    {"format": "c4-play", "version": 1, "board": "7x6", "first": "human", "second": "hard",
     "seed": 4711, "moves": "4453"}

If a player has failed or resigned, it also has
``"failure": {"loser": "o", "reason": "..", "ending": "crash"}``.

Only one process at a time plays a saved game: two would overwrite each other's moves.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from c4core.arena.game import Ending
from c4core.errors import C4Error
from c4core.files import atomic_file
from c4core.lines import read_json
from c4core.notation import parse_board, parse_moves
from c4core.players.errors import Failing
from c4core.players.player import NO_PROGRAM, Consent
from cli.commands.play.game import Forfeit, Game, read_seat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT: Final = "c4-play"
VERSION: Final = 1
MAX_BYTES: Final = 64 * 1024
"""A saved game is much smaller; a larger file is something else."""
FAILURES: Final = frozenset({*map(str, Failing), str(Ending.RESIGNED)})
"""Endings of games that are lost off the board."""


class SavedGameError(C4Error, ValueError):
    """A file is not a saved game, or not one that this version can read.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: not a saved game: {reason}")
        self.path = path


def default_file() -> Path:
    """The default file for a saved game; its directory is created if necessary."""
    import platformdirs

    return platformdirs.user_data_path("c4", ensure_exists=True) / "play.json"


def write_game(path: Path, game: Game) -> None:
    """Keep a game in a file, which is replaced only when the new one is complete."""
    fields: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "board": str(game.board),
        "first": game.first.text,
        "second": game.second.text,
        "seed": game.seed,
        "moves": game.moves,
    }
    if game.failure is not None:
        fields["failure"] = game.failure._asdict()
    with atomic_file(path) as beside:
        beside.write_text(json.dumps(fields) + "\n", encoding="utf-8")


def read_game(path: Path, *, programs: Consent = NO_PROGRAM) -> Game | None:
    """The game in a file; None if the file does not exist.

    Other content raises SavedGameError.
    """
    fields = _read_fields(path)
    if fields is None:
        return None
    if fields.get("version") != VERSION:
        raise SavedGameError(path, f"version {fields.get('version')!r}; this c4 reads {VERSION}")
    try:
        return _game_of(fields, programs)
    except KeyError as error:
        raise SavedGameError(path, f"field {error} is missing") from None
    except (C4Error, TypeError) as error:
        raise SavedGameError(path, str(error)) from None


def check_replaceable(path: Path) -> None:
    """Check that a game may replace a file: it is missing, empty or a saved game.

    A game that cannot be resumed, such as one of another version, may be replaced.
    """
    if path.exists() and path.stat().st_size:
        _read_fields(path)


def _read_fields(path: Path) -> dict[str, Any] | None:
    """The fields of a saved game of any version; None if the file does not exist.

    Other content raises SavedGameError.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(data) > MAX_BYTES:
        raise SavedGameError(path, "it is too large")
    try:
        fields = read_json(data)
    except ValueError as error:  # not text, or not JSON
        raise SavedGameError(path, f"it is not JSON ({error})") from None
    except RecursionError:
        raise SavedGameError(path, "it is nested too deeply") from None
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise SavedGameError(path, f'it has no "format": "{FORMAT}"')
    return fields


def _game_of(fields: dict[str, Any], programs: Consent) -> Game:
    board = parse_board(_typed(fields, "board", str))
    first, second = (
        read_seat(_typed(fields, name, str), programs=programs) for name in ("first", "second")
    )
    for seat in (first, second):
        seat.check_board(board)
    return Game(
        first,
        second,
        _typed(fields, "seed", int),
        board,
        parse_moves(_typed(fields, "moves", str), width=board.width),
        _failure_of(fields),
    )


def _failure_of(fields: dict[str, Any]) -> Forfeit | None:
    if "failure" not in fields:
        return None
    failure = _typed(fields, "failure", dict)
    loser, reason = _typed(failure, "loser", str), _typed(failure, "reason", str)
    # Games of earlier versions do not have this field.
    ending = _typed(failure, "ending", str) if "ending" in failure else str(Ending.ERROR)
    if ending not in FAILURES:
        raise TypeError(f"field 'ending' cannot be {ending!r}")
    if loser not in ("x", "o"):
        raise TypeError(f"field 'loser' cannot be {loser!r}")
    return Forfeit("x" if loser == "x" else "o", reason, Ending(ending))


def _typed(fields: dict[str, Any], name: str, kind: type) -> Any:
    value = fields[name]
    if type(value) is not kind:
        raise TypeError(f"field {name!r} cannot be {value!r}")
    return value


class GameInUseError(C4Error):
    """Another process is playing the game of a file.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path}: another c4 play saves its game there; name another file with --file"
        )
        self.path = path


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Keep other processes from playing a file's game while the context lasts.

    The lock is on a file next to it, which is removed at the end. If the process is killed, the
    lock ends too. If the file cannot be created or locked, the game is played without a lock. If
    another process has the lock, GameInUseError is raised.
    """
    beside = path.with_name(f".{path.name}.lock")
    try:
        handle = _locked(beside)
    except BlockingIOError:
        raise GameInUseError(path) from None
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            beside.unlink()
        os.close(handle)


def _locked(path: Path) -> int:
    """Create and lock a file; return its handle. BlockingIOError: another process has the lock."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the process with the lock has removed the file


def _is(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
