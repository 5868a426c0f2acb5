"""Every damaged input ends in a documented error, quickly and in little memory."""

import faulthandler
import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from tests.release.fuzz import archives, books
from tests.release.fuzz.target import Target

CASES = int(os.environ.get("C4_FUZZ_CASES", "400"))
SEED = os.environ.get("C4_FUZZ_SEED", "1")
SECONDS = 5.0
"""Limit for a case, in seconds of processor time: other programs may use the machine."""
STUCK_SECONDS = 120
"""Seconds after which a process that hangs in compiled code is ended with a stack trace."""
MEMORY = 400 << 20
"""Limit in bytes for the growth of the process during all cases of a target."""

TARGETS: dict[str, Callable[[Path], Target]] = {
    "books": books.prepare_books,
    "npz": archives.prepare_npz,
    "models": lambda path: import_module("tests.release.fuzz.models").prepare_models(path),
}


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_ends_in_a_documented_error(name: str, tmp_path: Path) -> None:
    """The file ``case`` in the test's directory keeps the input of a crash."""
    target, case = TARGETS[name](tmp_path), tmp_path / "case"
    before = 0
    for number in range(CASES):
        data = target.make(Random(f"{name} {SEED} {number}"))
        case.write_bytes(data)
        faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True, file=sys.__stderr__)
        began = time.process_time()
        try:
            with suppress(*target.errors):
                target.run(data)
        except Exception as error:
            error.add_note(f"{name}, seed {SEED}, case {number}: {case}")
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()
        assert time.process_time() - began < SECONDS, (number, case)
        before = before or peak()  # the first case has imported everything
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # the sanitizer takes much more
        assert peak() - before < MEMORY


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
