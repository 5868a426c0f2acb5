import errno
import os
import subprocess
import sys

import pytest

from c4core.errors import BoardError
from cli.failures import explain
from cli.shell.process import Exit
from db import errors
from tests.support.running.command_line import ROOT
from workers.errors import BrokerUnreachableError, BrokerUrlError, NotSolvedError


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (BoardError("no board"), Exit.USAGE, "no board"),
        (errors.UnknownSchemeError("mysql?", url="mysql://"), Exit.USAGE, "mysql?"),
        (errors.JobNotFoundError(7), Exit.USAGE, "there is no job 7"),
        (errors.JobStateError("done", job_id=7, state="done"), Exit.PROBLEMS, "done"),
        (errors.CorruptError("damaged"), Exit.PROBLEMS, "damaged"),
        (errors.SchemaTooNewError("new", found="b", needed="a"), Exit.PROBLEMS, "new"),
        (errors.ReadOnlyError("read-only"), Exit.PROBLEMS, "read-only"),
        (errors.DiskFullError("full"), Exit.PROBLEMS, "full"),
        (errors.UnreachableError("away"), Exit.UNREACHABLE, "away"),
        (errors.MissingDatabaseError("not there"), Exit.UNREACHABLE, "not there"),
        (BrokerUrlError("bad"), Exit.USAGE, "bad"),
        (BrokerUnreachableError("away"), Exit.UNREACHABLE, "away"),
        (NotSolvedError("given up"), Exit.PROBLEMS, "given up"),
        (BrokenPipeError(errno.EPIPE, "pipe"), Exit.CLOSED_PIPE, ""),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
            Exit.PROBLEMS,
            "cannot write the output: No space left on device",
        ),
        (PermissionError(errno.EACCES, "denied", "a file"), Exit.PROBLEMS, "a file: denied"),
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


@pytest.mark.parametrize(("number", "code"), [("", Exit.INTERRUPTED), ("15", 143)])
def test_an_interrupt_is_reported_without_imports(number: str, code: int) -> None:
    program = [sys.executable, "-c", INTERRUPTED.format(number=number)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)  # noqa: PLW1510
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "Interrupted.\n")
