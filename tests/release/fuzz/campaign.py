"""A campaign against a target: its cases in a separate process, which is replaced if it dies."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.release.fuzz.child import case_file, current_case, keep

MAX_FAILURES = 10
"""A target is given up after this many failures."""


@dataclass
class Campaign:
    """The results of a target's cases."""

    name: str
    seed: int
    cases: int
    directory: Path
    failures: list[str] = field(default_factory=list)
    """Descriptions of the failures, with the commands that run them again."""
    seconds: float = 0.0
    slowest: float = 0.0
    largest: int = 0
    """Largest growth of the process during a case, in bytes."""

    def run(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        first = 0
        while first < self.cases and len(self.failures) < MAX_FAILURES:
            first = self._run_from(first)

    def __str__(self) -> str:
        line = (
            f"{self.name:<16} {self.cases:>7,} cases  {len(self.failures):>2} failed  "
            f"{self.seconds:6.1f} s  slowest {self.slowest:5.2f} s  most memory "
            f"{self.largest >> 20:>3} MB"
        )
        return "\n".join([line, *self.failures])

    def _run_from(self, first: int) -> int:
        """Run cases in a separate process; return the number of the next case."""
        current = current_case(self.directory, self.name)
        current.unlink(missing_ok=True)
        arguments = [self.name, str(self.seed), str(first), str(self.cases), str(self.directory)]
        command = [sys.executable, "-m", "tests.release.fuzz", "child", *arguments]
        with (
            (self.directory / f"{self.name}.stderr").open("w+") as errors,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
        ):
            self._listen(process)
            code = process.wait()
            errors.seek(0)
            said = errors.read()
        Path(errors.name).unlink()
        if code == 0 or len(self.failures) >= MAX_FAILURES:
            current.unlink(missing_ok=True)
            return self.cases
        if not current.exists() or not current.stat().st_size:
            raise RuntimeError(f"{self.name}: {said}")
        number = int.from_bytes(current.read_bytes()[:8], "little")
        keep(
            case_file(self.directory, self.name, self.seed, number), current.read_bytes()[8:], said
        )
        self._note(number, f"the process ended with {code}")
        return number + 1

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            told = json.loads(line)
            if "failure" in told:
                self._note(told["number"], told["failure"])
                if len(self.failures) >= MAX_FAILURES:
                    process.kill()
            else:
                self.seconds += told["seconds"]
                self.slowest = max(self.slowest, told["slowest"])
                self.largest = max(self.largest, told["largest"])

    def _note(self, number: int, message: str) -> None:
        path = case_file(self.directory, self.name, self.seed, number)
        self.failures.append(
            f"  {self.name}, seed {self.seed}, case {number}: {message}\n"
            f"  again: python -m tests.release.fuzz replay {path}"
        )
