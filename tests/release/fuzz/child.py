"""The process that runs the cases of a target one after another, each within limits.

It writes its report line by line to standard output, as JSON. The current case is in a file, so
that it is known even if it ends the process.
"""

import faulthandler
import gc
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import NoReturn

from tests.release.fuzz.target import Target, load

MEMORY = 200 << 20
"""Limit in bytes for the growth of the process during a case."""

SECONDS = 5
"""Limit for a case, in seconds of processor time: other programs may use the machine."""

_STUCK_SECONDS = 60
"""Seconds after which a process is ended that waits or does not handle the alarm."""

_ADDRESS_SPACE = 1 << 30
"""Limit in bytes; larger arrays cannot be allocated, even if they are never written."""

_IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
"""The sanitizer needs terabytes of address space, and more memory for everything."""


class TooSlowError(BaseException):
    """A case takes too long. No code should catch this error."""


def case(target: Target, name: str, seed: int, number: int) -> bytes:
    """The case with a number: first the hostile inputs, then randomly changed samples."""
    if 0 <= number < len(target.hostile):
        return target.hostile[number].make(target.sample)
    return target.make(random.Random(f"{name} {seed} {number}"))


def current_case(directory: Path, name: str) -> Path:
    """The file for the current case; its number comes first, in 8 bytes."""
    return directory / f"{name}.current"


def case_file(directory: Path, name: str, seed: int, number: int) -> Path:
    return directory / f"{name}-{seed}-{number}"


def keep(path: Path, data: bytes, told: str) -> None:
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(told)


def main(name: str, seed: int, first: int, last: int, kept: Path) -> None:
    """Run the cases of a target from ``first`` up to, not including, ``last``."""
    signal.signal(signal.SIGPROF, _ring)
    with tempfile.TemporaryDirectory(prefix="c4-fuzz-") as directory:
        target = load(name, Path(directory))
        for number in range(-20, 0):  # so that everything is imported
            _outcome(target, case(target, name, seed, number))
        if not _IS_SANITIZED:
            _limit_memory()
        began = time.monotonic()
        slowest, largest = 0.0, 0
        with current_case(kept, name).open("wb", buffering=0) as file:
            for number in range(first, -(-last // target.together)):
                data = case(target, name, seed, number)
                os.pwrite(file.fileno(), number.to_bytes(8, "little") + data, 0)
                os.ftruncate(file.fileno(), 8 + len(data))
                before, at = _peak(), time.process_time()
                told = _outcome(target, data)
                seconds = time.process_time() - at
                grown = 0 if _IS_SANITIZED else _peak() - before
                slowest, largest = max(slowest, seconds), max(largest, grown)
                if told is None and grown > MEMORY:
                    told = f"took {grown >> 20} MB"
                if told is not None:
                    keep(case_file(kept, name, seed, number), data, told)
                    _say(number=number, failure=told.strip().splitlines()[-1])
        _say(slowest=slowest, largest=largest, seconds=time.monotonic() - began)


def _outcome(target: Target, data: bytes) -> str | None:
    """The fault of a case, or None if it has passed."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    faulthandler.dump_traceback_later(_STUCK_SECONDS, exit=True)
    try:
        target.run(data)
    except target.errors as error:
        str(error)
    except TooSlowError:
        return "".join(traceback.format_exc().splitlines(keepends=True)[-7:])
    except Exception:  # noqa: BLE001 (the purpose of the search)
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
    return None


def _ring(*_: object) -> NoReturn:
    raise TooSlowError(f"more than {SECONDS} s")


def _limit_memory() -> None:
    gc.collect()
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + _ADDRESS_SPACE, resource.RLIM_INFINITY))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
