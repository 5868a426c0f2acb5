"""Run the project's checks, one after the other, and print a table of the results.

``python3 .ci/steps.py gate`` runs the checks that every change has to pass; ``.ci/run`` calls it.
``python3 .ci/steps.py release`` runs all checks; ``make release`` calls it. Each step is a target
of the Makefile. A failing step does not stop the others; the exit code is 1 if any step failed.

``--from STEP`` continues at a step: the results of earlier steps are taken from the last run on the
same commit. ``list`` prints the steps with their usual times on two cores.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "build" / "steps.json"
SANITIZED = ROOT / ".ci" / "sanitized"
"""The digest of the engine's sources that last passed the step ``sanitize``."""


@dataclass(frozen=True)
class Step:
    """A target of the Makefile."""

    name: str
    minutes: float
    """The usual time on two cores."""
    about: str
    beside: bool = False
    """Whether the step runs in parallel with the one before it; each uses one core."""


GATE = [
    Step("demo", 1, "install, compile, solve, store and query a batch of positions"),
    Step("test", 4, "the tests without servers and optional packages"),
    Step("tools", 0.2, "install the tools for the next steps"),
    Step("lint", 0.7, "ruff, wording, mypy, stubs, imports, the page's JavaScript"),
    Step("docs", 0.5, "the site of the documents; every warning is an error", beside=True),
    Step("wheel", 2, "a wheel, installed and used without a compiler"),
    Step("page", 0.5, "a journey through the page in a real browser", beside=True),
    Step("postgres", 1, "the database tests on PostgreSQL"),
    Step("workers", 1, "two workers over Redis and over RabbitMQ, one of them killed"),
]
SANITIZE = Step("sanitize", 2.5, "the engine's tests with bounds checks and sanitizers")
RELEASE = [
    *GATE,
    SANITIZE,
    Step("lowest", 2, "tests of other packages' features, with the oldest allowed versions"),
    Step("extras", 6, "learning, Parquet, pictures, adapters and other optional packages"),
    Step("browser", 4, "every test of the page in a real browser, and of the screen of c4 play"),
    Step("servers", 8, "the tests on Redis and RabbitMQ"),
    Step("package", 5, "wheels in empty environments: every extra, the README, brokers"),
    Step("arm", 9, "the wheel for Linux on ARM, emulated: the files and nodes of x86-64, tests"),
    Step("long", 10, "the tests that take minutes: every position of whole boards"),
    Step("faults", 30, "workers and servers killed in the middle of a job"),
]


@dataclass(frozen=True)
class Result:
    """The result of a step."""

    code: int
    seconds: float


def run(step: Step, *, show: bool) -> Result:
    """Run a step. Its output appears immediately if ``show``, otherwise when the step has ended."""
    began = time.monotonic()
    done = subprocess.run(
        [os.environ.get("MAKE", "make"), "--no-print-directory", step.name],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=None if show else subprocess.PIPE,
        stderr=None if show else subprocess.STDOUT,
        check=False,
    )
    seconds = time.monotonic() - began
    if not show:
        say(f"\n== {step.name}: {step.about}")
        sys.stdout.buffer.write(done.stdout)
    result = Result(done.returncode, seconds)
    say(f"-- {step.name}: {outcome(result)} in {clock(seconds)}")
    return result


def run_all(steps: list[Step], results: dict[str, Result]) -> None:
    """Run the steps in order; a step that is ``beside`` another runs in parallel with it."""
    while steps:
        size = 1
        while size < len(steps) and steps[size].beside:
            size += 1
        group, steps = steps[:size], steps[size:]
        if size == 1:
            say(f"\n== {group[0].name}: {group[0].about}")
        else:
            say(f"\n== at the same time: {', '.join(step.name for step in group)}")
        with ThreadPoolExecutor(size) as pool:
            done = pool.map(partial(run, show=size == 1), group)
            results.update(zip((step.name for step in group), done, strict=True))
        save(results)


def engine_digest() -> str:
    """A digest of all sources that the C compiler sees."""
    found = [
        path for kind in ("pyx", "pxd", "pxi", "h") for path in ROOT.glob(f"c4core/**/*.{kind}")
    ]
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def gate() -> list[Step]:
    """The steps of the gate, with the sanitizers if the engine's sources have changed."""
    unchanged = SANITIZED.exists() and SANITIZED.read_text().strip() == engine_digest()
    return GATE if unchanged else [*GATE, SANITIZE]


def commit() -> str:
    """The commit that is checked out."""
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()


def save(results: dict[str, Result]) -> None:
    """Save the results for ``--from``."""
    rows = {name: [result.code, result.seconds] for name, result in results.items()}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"commit": commit(), "results": rows}))


def saved() -> dict[str, Result]:
    """The results of the last run, if it was on this commit."""
    if not RESULTS.exists():
        return {}
    kept = json.loads(RESULTS.read_text())
    rows = kept["results"] if kept["commit"] == commit() else {}
    return {name: Result(code, seconds) for name, (code, seconds) in rows.items()}


def outcome(result: Result | None) -> str:
    """A result in one or two words."""
    if result is None:
        return "not run"
    return "passed" if result.code == 0 else f"FAILED ({result.code})"


def clock(seconds: float) -> str:
    """A duration as minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def table(steps: list[Step], results: dict[str, Result]) -> str:
    """The results as a table with one row per step."""
    rows = ["| step | result | time |", "|---|---|---:|"]
    for step in steps:
        result = results.get(step.name)
        rows.append(
            f"| {step.name} | {outcome(result)} | {clock(result.seconds) if result else ''} |"
        )
    return "\n".join(rows)


def say(text: str) -> None:
    """Print a line and flush it, so that it appears between the outputs of the steps."""
    print(text, flush=True)


def main() -> int:
    """Read the command line and run the steps."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("gate", "release", "list", "sanitized"))
    parser.add_argument("--from", dest="first", default="", metavar="STEP")
    options = parser.parse_args()
    if options.what == "sanitized":  # called when the step `sanitize` has passed
        SANITIZED.write_text(engine_digest() + "\n")
        return 0
    if options.what == "list":
        for step in RELEASE:
            kind = "gate   " if step in GATE else "release"
            say(f"{step.name:9} {kind} {step.minutes:4.1f} min  {step.about}")
        return 0
    steps = gate() if options.what == "gate" else RELEASE
    names = [step.name for step in steps]
    if options.first and options.first not in names:
        parser.error(f"there is no step {options.first}; the steps are {', '.join(names)}")
    first = names.index(options.first) if options.first else 0
    earlier = saved() if first else {}
    results = {name: earlier[name] for name in names[:first] if name in earlier}
    began = time.monotonic()
    run_all(steps[first:], results)
    say(f"\n{table(steps, results)}\n\n{clock(time.monotonic() - began)} in this run")
    return int(any(result.code for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
