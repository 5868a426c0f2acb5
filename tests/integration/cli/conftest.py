"""Dialogues with ``c4`` as snapshots, and jobs that are interrupted."""

import codecs
import re
import shlex
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.version import __version__
from db.records.jobs import UnitState
from tests.support.refused import own_words
from tests.support.running.command_line import C4
from tests.support.running.console import without_measures
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.watching import await_units


def say(c4: C4, line: str, stdin: str | bytes = b"") -> str:
    """Carry out a line of a dialogue; return what it prints.

    Lines on standard error begin with an exclamation mark. ``dialogues.txt`` explains the lines.
    """
    name, _, rest = line.partition(" ")
    if name == "write":
        file, _, text = rest.partition(" ")
        (c4.directory / file).write_text(codecs.decode(text, "unicode_escape"))
        return ""
    if name == "sql":
        with closing(sqlite3.connect(c4.directory / "test.db", isolation_level=None)) as database:
            database.execute(rest)
        return ""
    if name == "cat":
        return (c4.directory / rest).read_text()
    if name == "ls":
        return "".join(f"{path.name}\n" for path in sorted((c4.directory / rest).iterdir()))
    command, _, file = line.partition(" < ")
    done = c4(*shlex.split(command), stdin=(c4.directory / file).read_bytes() if file else stdin)
    errors = "".join(f"! {each}\n" for each in done.err.splitlines())
    return f"{done.out}{errors}exit code {done.code}\n"


@pytest.fixture
def dialogue(snapshot: SnapshotAssertion) -> Callable[..., None]:
    """Carry out lines one after the other, and compare what they print with a snapshot.

    ``stdin`` is the input of each command.
    """

    def compare(c4: C4, *lines: str, stdin: str | bytes = b"") -> None:
        said = "".join(f"$ {line}\n{say(c4, line, stdin)}" for line in lines)
        said = said.replace(str(c4.directory), "DIRECTORY").replace(f"c4 {__version__}", "c4 N")
        said = re.sub(r"([\d,.]+|-)(/s| KiB)\b", r"N\2", said)
        said = re.sub(r'("positions_per_second"): [^,]+', r"\1: N", said)
        assert own_words(without_measures(said)) == snapshot

    return compare


@pytest.fixture
def interrupt() -> Callable[..., str]:
    """Interrupt a command that works on job 1; return what it prints on standard error.

    The signal is sent when ``done`` units are done, or, without it, when a unit is leased.
    """

    def run(c4: C4, *command: str, done: int = 0) -> str:
        state, number = (UnitState.DONE, done) if done else (UnitState.LEASED, 1)
        with c4.start(*command) as process:
            await_units(c4.environment["C4_DB"], process, state, number)
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=HANG_SECONDS)
        assert (process.returncode, out) == (130, ""), errors
        return errors

    return run
