"""The fuzzers themselves: they report failures, which can be run again."""

import json
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from types import ModuleType
from typing import NoReturn

import pytest

from c4core.arena.file_formats import parse_json_game
from tests.release.fuzz import child
from tests.release.fuzz.campaign import MAX_FAILURES, Campaign
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.target import TARGETS, Target, names
from tests.release.fuzz.targets import games

FAULTY = "tests.release.fuzz.targets.faulty"


def case_of(chance: Random) -> bytes:
    return mutated_text(chance, {"a": [1, 2], "b": "x"}) + mutated(chance, b"abc")


def test_cases_depend_on_the_seed_only() -> None:
    target = Target(case_of, print)
    cases = [child.case(target, "x", 1, number) for number in range(200)]
    assert cases == [child.case(target, "x", 1, number) for number in range(200)]
    assert len(set(cases)) > 150
    assert child.case(target, "x", 2, 0) != cases[0] != child.case(target, "y", 1, 0)


def test_every_target_accepts_some_cases(tmp_path: Path) -> None:
    """Quick targets here; ``make fuzz`` runs all of them."""
    for name in ("keys", "games", "lines_csv"):
        campaign = Campaign(name, seed=3, cases=30, directory=tmp_path)
        campaign.run()
        assert campaign.failures == []
        assert list(tmp_path.iterdir()) == []
    assert {"books", "players", "database", "models", "npz"} <= set(names())


def test_samples_of_games_are_valid() -> None:
    """Cases are changes of these samples: invalid samples would be refused at once."""
    endings = [parse_json_game(json.dumps(sample)).ending for sample in games.SAMPLES]
    assert endings == ["four", "four", "illegal", "time", "resigned", "unfinished"]


def fail(data: bytes) -> NoReturn:
    raise ValueError(data.hex())


def fail_as_documented(data: bytes) -> NoReturn:
    raise KeyError(data)


def hang(_data: bytes) -> NoReturn:
    while True:
        pass


KEPT = "ValueError: " + Random("faulty 1 0").randbytes(3).hex()
REPORTS = [
    pytest.param(fail, 0, KEPT, id="an undocumented exception"),
    pytest.param(fail_as_documented, 0, None, id="a documented exception"),
    pytest.param(hang, 0, "TooSlowError: more than 0.02 s", id="a slow case"),
    pytest.param(len, 201 << 20, "took 201 MB", id="a case that takes much memory"),
]


@pytest.mark.parametrize(("run", "growth", "report"), REPORTS)
def test_faults_are_reported_and_kept(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    run: Callable[[bytes], object],
    growth: int,
    report: str | None,
) -> None:
    """Three cases of a target in this process."""
    module = ModuleType(FAULTY)
    target = Target(lambda chance: chance.randbytes(3), run, (KeyError,))
    vars(module)["prepare_faulty"] = lambda _: target
    monkeypatch.setitem(sys.modules, FAULTY, module)
    monkeypatch.setitem(TARGETS, "faulty", ("faulty",))
    monkeypatch.setattr(child, "SECONDS", 0.02)
    monkeypatch.setattr(child, "_limit_memory", lambda: None)
    peaks = count(0, growth)
    monkeypatch.setattr(child, "_peak", lambda: next(peaks))
    said: list[str] = []
    monkeypatch.setattr(
        child, "_say", lambda **facts: said.append(str(facts.get("failure", "end")))
    )
    child.main("faulty", 1, 0, 3, tmp_path)
    assert len(said) == (1 if report is None else 4)
    assert said.pop() == "end"
    for number, shown in enumerate(said):
        assert (tmp_path / f"faulty-1-{number}").read_bytes() == child.case(
            target, "faulty", 1, number
        )
        assert shown in (tmp_path / f"faulty-1-{number}.txt").read_text()
    assert report is None or said[0].endswith(report)


DYING = """
import os, sys
from types import ModuleType

sys.path.insert(0, {root!r})
from tests.release.fuzz import __main__, child
from tests.release.fuzz.target import TARGETS, Target

is_ready = False

def begin():
    global is_ready
    is_ready = True

def run(data):
    if is_ready and data[0] < 60:
        os.kill(os.getpid(), 11)

child._limit_memory = begin
sys.modules[{name!r}] = module = ModuleType({name!r})
TARGETS["faulty"] = ("faulty",)
module.prepare_faulty = lambda _: Target(lambda chance: chance.randbytes(3), run)
__main__.main()
"""


def test_after_a_crash_the_next_case_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in = tmp_path / "python"
    stand_in.write_text(f'#!/bin/sh\nshift 2\nexec {sys.executable} {tmp_path}/dying.py "$@"\n')
    stand_in.chmod(0o755)
    (tmp_path / "dying.py").write_text(DYING.format(root=str(Path.cwd()), name=FAULTY))
    monkeypatch.setattr(sys, "executable", str(stand_in))
    campaign = Campaign("faulty", seed=1, cases=30, directory=tmp_path / "kept")
    campaign.run()
    expected = [number for number in range(30) if Random(f"faulty 1 {number}").randbytes(3)[0] < 60]
    assert len(campaign.failures) == min(len(expected), MAX_FAILURES) > 2
    assert all("the process ended with -11" in failure for failure in campaign.failures)
    for number in expected[:MAX_FAILURES]:
        kept = (tmp_path / "kept" / f"faulty-1-{number}").read_bytes()
        assert kept == Random(f"faulty 1 {number}").randbytes(3)
