"""Run ``c4`` for tests: in this process, as a process of its own, or from a shell."""

import contextlib
import functools
import gc
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from sqlalchemy import Connection

from cli.app import run
from cli.shell.process import flush_streams
from db import schema
from db.database import Database

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Result:
    """The outcome of a run of ``c4``."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The lines of the output as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class C4:
    """Run ``c4`` in a directory with its own database."""

    directory: Path

    @property
    def environment(self) -> dict[str, str]:
        """Additional environment variables. Warnings are errors, as in the tests themselves."""
        return {
            "C4_DB": str(self.directory / "test.db"),
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            "XDG_DATA_HOME": str(self.directory / "data"),
        }

    def __call__(self, *arguments: str, stdin: str | bytes | int = b"") -> Result:
        """Run a command in this process, without the program's start-up and exit code.

        ``stdin`` is text, or an open descriptor.
        """
        out, err = io.BytesIO(), io.BytesIO()
        with (
            self._surroundings(stdin),
            _kept(1),  # which the command closes when it cannot write
            mock.patch("sys.stdout", io.TextIOWrapper(out, "utf-8", write_through=True)),
            mock.patch("sys.stderr", io.TextIOWrapper(err, "utf-8", write_through=True)),
        ):
            code = run(arguments)
            sys.stdout.flush()
            return Result(
                int(code),  # an enum has another repr in snapshots
                out.getvalue().decode(errors="backslashreplace"),
                err.getvalue().decode(errors="backslashreplace"),
            )

    @contextlib.contextmanager
    def _surroundings(self, stdin: str | bytes | int) -> Iterator[None]:
        """Set the directory, environment and input of a command; databases are made quickly."""
        with (
            contextlib.chdir(self.directory),
            mock.patch.dict(os.environ, self.environment),
            mock.patch("db.schema.migrate", _migrate),
            _input(stdin),
        ):
            yield

    def into(self, descriptor: int, *arguments: str) -> Result:
        """Run a command and its exit code as ``c4`` does, with its output going to a descriptor.

        The descriptor is closed. Python's reports of objects that fail during destruction are part
        of ``err``.
        """
        err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        with _kept(1):
            os.dup2(descriptor, 1)
            os.close(descriptor)
            with (
                self._surroundings(b""),
                open(1, "w", encoding="utf-8", closefd=False) as out,
                mock.patch("sys.stdout", out),
                mock.patch("sys.stderr", err),
                mock.patch(
                    "sys.unraisablehook", lambda hook: err.write(f"Exception ignored: {hook}")
                ),
            ):
                code = flush_streams(run(arguments))
                gc.collect()  # destroys the command's leftovers
        assert isinstance(err.buffer, io.BytesIO)
        return Result(code, "", err.buffer.getvalue().decode(errors="backslashreplace"))

    def start(
        self,
        *arguments: str,
        warnings: str = "error",
        **streams: Any,  # noqa: ANN401 (Popen's own)
    ) -> subprocess.Popen[str]:
        """Start a process; streams that are not given are pipes."""
        piped = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(
            [sys.executable, "-m", "cli", *arguments],
            cwd=self.directory,
            env=os.environ | self.environment | {"PYTHONWARNINGS": warnings},
            text=True,
            **{**piped, **streams},
        )

    def shell(self, line: str) -> Result:
        """Run a line in bash, where ``c4`` is a command."""
        program = f'c4() {{ "{sys.executable}" -m cli "$@"; }}\n{line}'
        done = subprocess.run(
            ["bash", "-c", program],
            cwd=self.directory,
            env=os.environ | self.environment,
            capture_output=True,
            check=False,
            text=True,
            timeout=600,
        )
        return Result(done.returncode, done.stdout, done.stderr)


_MIGRATE = schema.migrate


@functools.cache
def _tables() -> list[str]:
    """The SQL statements that create C4's tables."""
    with tempfile.TemporaryDirectory() as directory, mock.patch("db.schema.migrate", _MIGRATE):
        path = Path(directory) / "c4.db"
        Database.open(str(path)).close()
        with contextlib.closing(sqlite3.connect(path)) as file:
            _, *statements, _ = file.iterdump()  # between BEGIN and COMMIT
            return statements


def _migrate(connection: Connection) -> None:
    """Migrate as the program does, but create a new SQLite database's tables without Alembic."""
    if connection.dialect.name == "postgresql" or schema.read_state(connection).tables:
        _MIGRATE(connection)
        return
    for statement in _tables():
        connection.exec_driver_sql(statement)


@contextlib.contextmanager
def _input(given: str | bytes | int) -> Iterator[None]:
    """Standard input with this content, for Python and as descriptor 0."""
    with tempfile.TemporaryFile() as file, _kept(0):
        if not isinstance(given, int):
            file.write(given.encode() if isinstance(given, str) else given)
            file.seek(0)
        os.dup2(given if isinstance(given, int) else file.fileno(), 0)
        with (
            open(0, encoding="utf-8", closefd=False) as stream,
            mock.patch("sys.stdin", stream),
        ):
            yield


@contextlib.contextmanager
def _kept(descriptor: int) -> Iterator[None]:
    """Restore a descriptor at the end."""
    copy = os.dup(descriptor)
    try:
        yield
    finally:
        os.dup2(copy, descriptor)
        os.close(copy)
