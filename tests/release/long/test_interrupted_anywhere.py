"""A process that is interrupted at any moment of its start shows no stack trace."""

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS, needs_proc


def catches_termination(process: subprocess.Popen[str]) -> bool:
    """Whether it handles SIGTERM: Python alone does not, so ``c4`` has started."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = re.search(r"SigCgt:\s*([0-9a-f]+)", status)
    assert caught is not None
    return bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)


@needs_proc
@pytest.mark.parametrize("delay", [0.02 * number for number in range(20)])
def test_an_interrupt_at_any_moment_shows_no_stack_trace(c4: C4, delay: float) -> None:
    # An interrupted import leaves its file to the garbage collector, which warns.
    warnings = "error,ignore::ResourceWarning"
    process = c4.start("solve", "", "--board", "10x7", warnings=warnings)
    while not catches_termination(process):
        time.sleep(0.001)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in err
