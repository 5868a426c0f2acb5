"""Workers that are killed, stopped, frozen, or have a wrong clock: nothing is lost."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.release.faults.ledger import Change, first_claim, free_again, taken_again
from tests.release.faults.run import Answers, Run, Scenarios
from workers.core.leases import LEASE_SECONDS
from workers.core.worker import LOOK_SECONDS

pytestmark = [pytest.mark.servers, pytest.mark.faults]

KILLS = 20
AFTER_KILL = LEASE_SECONDS + 1.2 * LOOK_SECONDS + 2
"""A worker looks for expired leases every second."""
AFTER_TERM = 1.0
HOUR = 3600


def test_no_fault(undisturbed: Answers) -> None:
    assert all(lower == upper for lower, upper in undisturbed.evaluations.values())


def test_a_worker_is_killed_again_and_again(scenarios: Scenarios, undisturbed: Answers) -> None:
    chance = random.Random(7)
    with scenarios.begin("a worker is killed (-9)", undisturbed) as run:
        for number in range(KILLS - 1):
            # Between the kills, units are done: one that is lost ten times would fail.
            run.system.wait_until(
                lambda done=number: run.system.ledger.units().get("done", 0) >= done, "units done"
            )
            victim = chance.choice(run.system.wait_for_busy())
            run.system.wait(chance.uniform(0, 0.5))
            run.strike(victim)
            victim.kill()
            run.say(f"kill {number + 1}; {run.system.state()}")
        # The last kill comes at the end of the job: an idle worker has to take over as soon as
        # possible.
        victim = run.system.freeze_at_work()
        last = run.strike(victim)
        victim.kill()
        run.say(f"kill {KILLS}; {run.system.state()}")
        changes = note_recovery(run, AFTER_KILL)
        taken = [taken_again(changes, unit, last.at) for unit in last.held]
        run.figures.recovered("its units taken by the idle", taken, AFTER_KILL)


def test_all_workers_are_killed_at_once(scenarios: Scenarios, undisturbed: Answers) -> None:
    with scenarios.begin("all workers are killed (-9)", undisturbed) as run:
        run.system.wait_for_work()
        run.strike(*run.system.workers)
        for worker in run.system.workers:
            worker.kill()
        note_recovery(run, AFTER_KILL)


def test_workers_are_asked_to_stop(scenarios: Scenarios, undisturbed: Answers) -> None:
    with scenarios.begin("a worker is stopped (SIGTERM)", undisturbed) as run:
        for worker in run.system.workers:
            run.system.wait_for_work(worker)
            begin = time.monotonic()
            run.strike(worker)
            code = worker.end()
            run.say(f"ended with {code} after {time.monotonic() - begin:.2f} s")
            assert code == 0
        # The other workers are busy: they start new work when they have finished a unit.
        note_recovery(run, AFTER_TERM, new_work=AFTER_KILL)


def test_a_worker_is_frozen_past_its_leases(scenarios: Scenarios, undisturbed: Answers) -> None:
    with scenarios.begin("a worker is frozen (SIGSTOP) past its lease", undisturbed) as run:
        sleeper = run.system.workers[0]
        run.system.freeze_at_work(sleeper)
        strike = run.strike(sleeper, passes=True)
        is_working = run.system.ledger.is_working
        run.system.wait_until(lambda: not is_working(sleeper.name), "its unit is taken from it")
        thawed = run.system.ledger.now()
        sleeper.thaw()
        changes = note_recovery(run, AFTER_KILL)
        # Its units belonged to other claims by then, and it continued with other work.
        theirs = [each for each in changes if each.unit in strike.held]
        assert not [each for each in theirs if each.after == "done" and each.fence == 1], theirs
        run.figures.recovered("at work again", [first_claim(changes, thawed, sleeper.name)], 5)


def test_the_clocks_of_workers_are_wrong(scenarios: Scenarios, undisturbed: Answers) -> None:
    clocks = {shift: _clock(shift) for shift in (HOUR, -HOUR)}
    print_time = [sys.executable, "-c", "import time; print(time.time())"]
    for shift, clock in clocks.items():
        shown = subprocess.check_output(print_time, env=os.environ | clock)
        assert abs(float(shown) - time.time() - shift) < 60
    wrong = {"worker_environments": [*clocks.values()]}
    with scenarios.begin("clocks of two workers an hour off", undisturbed, **wrong) as run:
        run.strike()
        changes = run.finish()
        for worker in run.system.workers:
            assert any(change.taken_by == worker.name for change in changes)


def note_recovery(run: Run, limit: float, *, new_work: float | None = None) -> list[Change]:
    """Wait for the end, and measure when others continued, also with the affected units."""
    changes = run.finish()
    hit = [(unit, strike.at) for strike in run.strikes for unit in strike.held]
    work = (first_claim(changes, strike.at) for strike in run.strikes)
    run.figures.recovered("new work", work, new_work or limit)
    free = (free_again(changes, unit, at) for unit, at in hit)
    run.figures.recovered("its units free", free, limit)
    assert hit, "no worker held a unit"
    taken = max(taken_again(changes, unit, at) for unit, at in hit)
    run.say(f"units that were in flight were taken again after {taken:.1f} s at most")
    return changes


def _clock(shift: int) -> dict[str, str]:
    """The environment of a process whose clock is fast by some seconds."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        pytest.fail("the library libfaketime is not installed (Debian's package libfaketime)")
    return {
        "LD_PRELOAD": str(found[0]),
        "FAKETIME": f"{shift:+d}s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # a wrong clock does not change it either
        # The fix for some old C libraries would end short waits between Python's threads at once.
        # They would take the processor from the search, and the process would take 15 s to start.
        "FAKETIME_FORCE_MONOTONIC_FIX": "0",
    }
