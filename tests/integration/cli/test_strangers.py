"""Untrusted names are shown escaped, and commands end quietly if their output is not read."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from pathlib import Path

import click
import pytest

from cli.reference import contexts
from cli.shell.process import Exit
from tests.support.boards.small_books import small_book
from tests.support.running.command_line import C4
from tests.support.running.console import on_screen

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\r\nError: all is lost\x9b31m\u202ednuor\u2028\u200b\u2066\x7f\t"
    "[red]x[/red]"
)
"""A title, a cleared screen, a forged line, C1 controls, direction marks, and markup."""

FILE = f"a{HOSTILE.replace('/', '')}b"
"""The same as a file name."""

SPECIAL: dict[str, tuple[str, ...]] = {
    "solve": ("4453",),
    "analyze": ("lines", "--score-only"),
    "deep": ("", "--board", "4x4", "--label", HOSTILE),
    "book build": ("--plies", HOSTILE),
    "book probe": ("--book", FILE, "--board", "7x6", ""),
    "book verify": (FILE, "--sample", "1"),
    "review": ("games.jsonl",),
    "show": ("4453", "--output", f"nowhere/{FILE}.svg"),
    "prove": ("", "--output", f"nowhere/{FILE}"),
    "certificate show": (FILE, "1"),
    "count": ("--board", HOSTILE),
    "query": ("--limit", "3"),
    "jobs resume": ("1", "--output", "-"),
    "match": ("random", f"random:{HOSTILE}"),
    "tournament": ("random", f"exec:{HOSTILE}"),
    "dataset build": ("--output", f"nowhere/{FILE}", "--plies", "20", "--count", "3"),
    "play": ("--first", "random", "--second", "random", "--seed", "1", "--board", "4x4"),
    "games export": ("--format", "csv"),
    "games import": ("bad.jsonl",),
    "games delete": (HOSTILE,),
    "engine": ("--book", HOSTILE),
    "players show": (HOSTILE,),
    "learn train cnn": ("--csv", FILE, "--output", FILE),
    "learn evaluate": (FILE, "--data", "."),
    "worker": ("--queues", HOSTILE),
    "mcp": ("--threads", HOSTILE),
    "serve": ("--host", HOSTILE, "--token", "t"),
    "completion": (HOSTILE,),
    "bench": ("--threads", HOSTILE),
    **dict.fromkeys(("jobs list", "status", "games matches", "games list", "players list"), ()),
    **dict.fromkeys(("db init", "db upgrade", "db stats", "db check"), ()),
    **dict.fromkeys(("jobs show", "jobs watch", "jobs results", "jobs cancel"), ("1",)),
    **dict.fromkeys(("jobs resume", "games report"), ("1",)),
    "games show": ("1:0",),
    "learn train residual": ("--data", FILE, "--output", FILE),
}
"""Arguments that make a command display or refuse a hostile name."""


def _arguments(command: click.Command) -> tuple[str, ...]:
    """Hostile names for a command's arguments."""
    return tuple(
        FILE if isinstance(parameter.type, click.Path | click.File) else HOSTILE
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    )


COMMANDS = {
    path: SPECIAL[path] if path in SPECIAL else _arguments(context.command)
    for context in contexts()
    if not isinstance(context.command, click.Group)
    for path in [context.command_path.removeprefix("c4 ")]
}
"""Hostile arguments for every command; commands not listed above take names or files."""

_TEXTS = {
    "jobs": ("label",),
    "units": ("error", "owner"),
    "matches": ("label", "player_a", "player_b"),
    "games": ("detail",),
    "workers": ("name", "host", "version"),
}


def fill(c4: C4) -> None:
    """Store items of every kind under a hostile name, in a directory called :data:`FILE`."""
    (c4.directory / "lines").write_text("2252576253462244111563365343671351441\n44z\n")
    game = {"board": "4x4", "moves": "1213141", "winner": "x", "ending": "four", "detail": HOSTILE}
    game |= {"first": HOSTILE, "second": "b"}
    (c4.directory / "games.jsonl").write_text(json.dumps(game) + "\n")
    bad = {"first": HOSTILE, HOSTILE: HOSTILE, "board": HOSTILE, "moves": HOSTILE}
    (c4.directory / "bad.jsonl").write_text(json.dumps(bad) + "\n")
    assert c4("analyze", "lines", "--label", HOSTILE, "--score-only").code == 1
    done = c4("games", "import", "games.jsonl", "--label", HOSTILE)
    assert done.code == 0, done.err
    small_book(c4.directory / FILE, board="4x4")
    with sqlite3.connect(c4.environment["C4_DB"]) as database:
        database.execute("UPDATE units SET state = 'failed', error = 'e', owner = 'o'")
        database.execute("UPDATE jobs SET state = 'failed'")
        now = database.execute("SELECT unixepoch()").fetchone()[0]
        names = [row[1] for row in database.execute("PRAGMA table_info(workers)")]
        values = [
            "[]" if name == "queues" else now if name.endswith("_at") else 1 for name in names
        ]
        marks = ", ".join("?" * len(values))
        database.execute(f"INSERT INTO workers VALUES ({marks})", values)  # noqa: S608
        for table, texts in _TEXTS.items():
            for name in texts:
                statement = f"UPDATE {table} SET {name} = ?"  # noqa: S608 (from above)
                database.execute(statement, [HOSTILE])
    database.close()


NAMELESS = {"book export", "db upgrade", "players list"}
"""Commands whose output contains no name."""


def is_safe(text: str) -> bool:
    """Whether a text consists of printable characters and line ends."""
    return all(letter.isprintable() or letter == "\n" for letter in text)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("names") / FILE
    directory.mkdir()
    fill(C4(directory))
    return directory


@pytest.fixture
def c4(filled: Path, tmp_path: Path) -> C4:
    return C4(Path(shutil.copytree(filled, tmp_path / FILE)))


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_escapes_names_and_survives_a_closed_pipe(c4: C4, path: str) -> None:
    """A command escapes hostile names, and ends silently if its output is not read.

    If it writes something, the exit code is then 141.
    """
    arguments = (*path.split(), *COMMANDS[path])
    done = c4(*arguments, "-v")
    shown = done.out + done.err
    assert is_safe(shown)
    names_something = path in SPECIAL or FILE in COMMANDS[path]
    if names_something and ": pip install " not in done.err:  # otherwise the command ended earlier
        assert (r"\x1b]0;owned" in shown or r"\u001b]0;owned" in shown) == (path not in NAMELESS)
    assert "\nError: all is lost" not in shown
    assert "a fault in c4" not in shown

    reader, writer = os.pipe()
    os.close(reader)
    unread = c4.into(writer, *arguments, "-q")
    for words in ("Exception ignored", "Traceback", "Broken pipe"):
        assert words not in unread.err
    if done.out:
        assert unread.code in {done.code or Exit.CLOSED_PIPE, Exit.CLOSED_PIPE}
        assert unread.err == ""


@pytest.mark.parametrize(
    "path", ["jobs list", "jobs show", "games show", "games report", "book info", "status"]
)
def test_names_are_escaped_on_a_terminal(c4: C4, path: str) -> None:
    written = on_screen(c4, (*path.split(), *COMMANDS[path]), coloured=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written)
    assert plain != written
    assert r"\x1b]0;owned\x07\x1b[2J" in plain
    assert is_safe(plain)
