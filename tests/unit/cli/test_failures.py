import errno
import os
import subprocess
import sys

import pytest

from c4core.errors import BoardError
from cli.failures import explain
from cli.shell import exits
from db import errors
from tests.support.running.command_line import ROOT
from workers.errors import BrokerUnreachableError, BrokerUrlError, MetricsError, NotSolvedError


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (BoardError("no board"), exits.USAGE, "no board"),
        (errors.UnknownSchemeError("mysql?", url="mysql://"), exits.USAGE, "mysql?"),
        (errors.JobNotFoundError(7), exits.USAGE, "there is no job 7"),
        (errors.JobStateError("done", job_id=7, state="done"), exits.PROBLEMS, "done"),
        (errors.CorruptError("damaged"), exits.PROBLEMS, "damaged"),
        (errors.SchemaTooNewError("new", found="b", needed="a"), exits.PROBLEMS, "new"),
        (errors.ReadOnlyError("read-only"), exits.PROBLEMS, "read-only"),
        (errors.DiskFullError("full"), exits.PROBLEMS, "full"),
        (errors.UnreachableError("away"), exits.UNREACHABLE, "away"),
        (errors.MissingDatabaseError("not there"), exits.UNREACHABLE, "not there"),
        (BrokerUrlError("bad"), exits.USAGE, "bad"),
        (BrokerUnreachableError("away"), exits.UNREACHABLE, "away"),
        (NotSolvedError("given up"), exits.PROBLEMS, "given up"),
        (MetricsError("taken"), exits.USAGE, "taken"),
        (BrokenPipeError(errno.EPIPE, "pipe"), exits.CLOSED_PIPE, ""),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
            exits.PROBLEMS,
            "cannot write the output: No space left on device",
        ),
        (PermissionError(errno.EACCES, "denied", "a file"), exits.PROBLEMS, "a file: denied"),
    ],
)
def test_every_failure_has_a_message_and_a_code(
    error: BaseException, code: int, message: str
) -> None:
    assert explain(error) == (code, message)


def test_a_bug_has_no_explanation() -> None:
    assert explain(TypeError("oops")) is None


INTERRUPTED = """
import sys
from cli import app

def interrupt(*_arguments, **_options):
    raise KeyboardInterrupt({number})

app.c4.make_context = interrupt
sys.modules["cli.failures"] = None  # as where the interrupt has left a module half imported
sys.exit(app.run([]))
"""


@pytest.mark.parametrize(("number", "code"), [("", exits.INTERRUPTED), ("15", 143)])
def test_an_interrupt_is_reported_without_imports(number: str, code: int) -> None:
    program = [sys.executable, "-c", INTERRUPTED.format(number=number)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)  # noqa: PLW1510
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "Interrupted.\n")
