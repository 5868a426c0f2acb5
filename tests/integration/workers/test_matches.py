"""Complete matches: the games do not depend on processes, failures or kills."""

import errno
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from c4core.arena.file_formats import game_of_moves
from c4core.arena.game import TimeControl
from c4core.arena.statistics import Sprt
from c4core.notation import DEFAULT_BOARD
from c4core.players import ANY_PROGRAM
from c4core.position import Position
from c4core.solver import Solver
from db import games
from db.database import Database
from db.errors import JobStateError, MatchInUseError, MatchNotFoundError
from db.jobs import control, watching
from db.records.games import ON_THE_BOARD
from db.records.jobs import JobState
from db.records.matches import Seats
from tests.support.boards.matches import (
    SET,
    essence,
    games_of,
    info,
    note_choices,
    play,
    program,
    run_job,
    terms,
)
from tests.support.jobs import must_take, state_of, waits_for_lock
from tests.support.running.databases import ask, do
from tests.support.running.waiting import HANG_SECONDS, await_that, ends
from workers.core.follow import LocalRunner
from workers.core.kinds import unit_objects
from workers.core.run import UnitEnd, UnitReport, run_unit
from workers.match import job as planning
from workers.match.files import game_of, import_games
from workers.match.job import find_job, plan_matches
from workers.match.units import settle_match

UNEQUAL = terms(player_a="blog-v6:depth=2", games=120, seats=Seats.ALTERNATE, sprt=Sprt(0, 100))
"""A match that a sequential test decides at once."""


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set the number of units of a match, however quick its games are."""
    monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)
    return lambda number: monkeypatch.setattr(planning, "LEAST_UNITS", number)


@pytest.fixture
def one_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a unit of a match of ten games, however slow this machine is."""
    monkeypatch.setattr(planning, "probe", lambda _terms: 1e-6)


def run_claimed(database: Database, is_stopped: Callable[[], bool] = lambda: False) -> UnitReport:
    return run_unit(database, Solver(table_mb=1), must_take(database), is_stopped)


def results_of_units(database: Database, job_id: int) -> list[dict[str, Any]]:
    """The output of a job as it is now."""
    job = ask(database, watching.get_job, job_id)
    units = ask(database, watching.unit_results, job_id)
    return [each for unit in units for each in unit_objects(job, unit)]


def test_the_same_games_whatever_the_number_of_threads(
    database: Database, small_units: Callable[[int], None]
) -> None:
    start = Position("12", board="6x5")
    asked = terms(player_a="blog-v5:depth=2", games=30, seats=Seats.RANDOM, seed=11, start=start)
    found = []
    for threads, least in ((1, 32), (4, 7)):
        small_units(least)
        match = play(database, asked, threads=threads)
        assert (match.job_state, match.is_finished) == (JobState.DONE, True)
        found.append(games_of(database, match.id))
    assert essence(found[0]) == essence(found[1])
    assert [each.number for each in found[0]] == list(range(30))
    for each in found[0]:
        position = start
        for move in each.moves or "":
            assert not position.is_over
            position = position.play(int(move) - 1)
        assert position.is_over
        assert (position.winner, position.key) == (each.winner, each.final_key)
        assert each.length == len(each.moves or "")
        assert each.ending == ("full" if each.winner is None else "four")
        assert each.x_seconds > 0


def test_the_same_matches_find_their_job(database: Database) -> None:
    asked = [terms(), terms(player_a="stupid")]
    assert find_job(database, asked) is None
    planned = plan_matches(database, asked)
    do(database, control.cancel_job, planned.job_id)
    for state in (JobState.RUNNING, JobState.DONE):
        assert find_job(database, asked) == planned.job_id
        assert state_of(database, planned.job_id) is state
        run_job(database, planned.job_id)
    for other in ([asked[0]], asked[::-1], [terms(seed=1), asked[1]]):
        assert find_job(database, other) is None
    do(database, games.delete_match, planned.match_ids[1])
    assert find_job(database, asked) is None


@pytest.mark.parametrize(
    ("ending", "answer", "reason"),
    [("crash", "exit 3", "status 3"), ("time", "sleep 3600", "no answer within")],
)
def test_a_failing_player_loses_the_game_and_the_match_continues(
    database: Database, tmp_path: Path, ending: str, answer: str, reason: str
) -> None:
    player = program(tmp_path, answer)
    # The other player has the same time limit, and may have to wait for a processor.
    limits = TimeControl(move=3.0, grace=0.0) if ending == "time" else TimeControl()
    asked = terms(player_b=player, games=2, seats=Seats.ALTERNATE, time_control=limits)
    match = play(database, asked, threads=2, programs=ANY_PROGRAM)
    found = games_of(database, match.id)
    assert [(each.ending, each.length) for each in found] == [(ending, 1), (ending, 0)]
    assert all(reason in each.detail for each in found)
    assert (match.job_state, match.tally.a.wins, match.tally.b_forfeits) == (JobState.DONE, 2, 2)
    assert match.tally.a_forfeits == 0


def test_an_illegal_answer_may_be_replaced(database: Database, tmp_path: Path) -> None:
    player = program(tmp_path, "echo play 9")
    asked = terms(player_a=player, player_b="stupid", games=1, lenient=True)
    match = play(database, asked, programs=ANY_PROGRAM)
    (found,) = games_of(database, match.id)
    assert found.replaced == tuple(range(0, found.length, 2))
    assert len(found.replaced) >= 4
    assert found.ending in ON_THE_BOARD


def test_a_missing_player_fails_the_job_until_its_match_is_deleted(
    database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "player"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o700)
    planned = plan_matches(database, [terms(player_a=f"exec:{path}", games=2), terms(games=2)])
    path.unlink()
    shown = run_job(database, planned.job_id, programs=ANY_PROGRAM)
    failed = [str(each["error"]) for each in shown if "error" in each]
    assert failed
    assert all("no program is called" in error for error in failed)
    assert state_of(database, planned.job_id) is JobState.FAILED
    assert [info(database, each).tally.games for each in planned.match_ids] == [0, 2]
    do(database, games.delete_match, planned.match_ids[0])
    assert state_of(database, planned.job_id) is JobState.DONE


@pytest.mark.usefixtures("one_unit")
def test_games_of_a_stopped_unit_are_kept(database: Database) -> None:
    asked = terms(player_b=SET, games=10)
    planned = plan_matches(database, [asked])
    match_id = planned.match_ids[0]
    looks = count()
    assert run_claimed(database, lambda: next(looks) > 100).end is UnitEnd.HANDED_BACK
    kept = games_of(database, match_id)
    assert 0 < len(kept) < 10
    (shown,) = run_job(database, planned.job_id)
    found = games_of(database, match_id)
    assert found[: len(kept)] == kept
    assert shown["games"] == [0, 10]
    assert shown["a_wins"] == sum(each.a_result == 1 for each in found)
    assert essence(found) == essence(games_of(database, play(database, asked).id))


@pytest.mark.usefixtures("one_unit")
def test_a_worker_that_lost_its_unit_writes_no_games(database: Database) -> None:
    planned = plan_matches(database, [terms()])
    taken = must_take(database)
    do(database, control.cancel_job, planned.job_id)
    for stopped in (lambda: False, lambda: True):
        assert run_unit(database, Solver(table_mb=1), taken, stopped).end is UnitEnd.LOST
    assert games_of(database, planned.match_ids[0]) == []
    (shown,) = results_of_units(database, planned.job_id)
    assert (shown["match"], shown["games"]) == (planned.match_ids[0], [0, 10])
    assert shown["error"] == "not played: cancelled"


def test_a_sequential_test_ends_the_match_after_the_same_game(
    database: Database, small_units: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for threads, number in ((1, 40), (4, 40), (2, 3)):
        small_units(number)
        match = play(database, UNEQUAL, threads=threads)
        assert (match.verdict, match.job_state, match.is_finished) == ("H1", JobState.DONE, True)
        found.append(essence(games_of(database, match.id)))
    assert len(found[0]) < 100
    assert [number for number, *_ in found[0]] == list(range(len(found[0])))
    # Simulates the death of every worker between its unit and the check of the test.
    monkeypatch.setattr("workers.match.units.settle_if_possible", lambda *_: None)
    match = play(database, UNEQUAL)
    assert (match.verdict, match.tally.games) == (None, UNEQUAL.games)
    assert settle_match(database, match.id) == "H1"
    assert settle_match(database, match.id) == "H1"
    found.append(essence(games_of(database, match.id)))
    assert found == [found[0]] * 4


@pytest.mark.parametrize("backwards", [False, True])
def test_the_output_of_a_decided_match_does_not_depend_on_the_order(
    database: Database, small_units: Callable[[int], None], *, backwards: bool
) -> None:
    small_units(12)
    planned = plan_matches(database, [UNEQUAL])
    claims = [must_take(database) for _ in range(6)]
    solver = Solver(table_mb=1)
    for claim in claims[::-1] if backwards else claims:
        run_unit(database, solver, claim, lambda: False)
    match = info(database, planned.match_ids[0])
    assert match.verdict == "H1"
    shown = results_of_units(database, planned.job_id)
    size = ask(database, watching.unit_results, planned.job_id)[0].payload["count"]
    assert match.tally.games % size  # decided in the middle of a unit
    firsts = range(0, UNEQUAL.games, size)
    assert [each["games"] for each in shown] == [
        [first, max(first, min(first + size, match.tally.games, UNEQUAL.games))] for first in firsts
    ]
    sums = [sum(each[name] for each in shown) for name in ("a_wins", "b_wins", "draws")]
    tally = match.tally.a
    assert sums == [tally.wins, tally.losses, tally.draws]


def test_a_cancelled_unit_reports_the_games_that_count(
    database: Database, small_units: Callable[[int], None]
) -> None:
    small_units(1)
    planned = plan_matches(database, [replace(UNEQUAL, games=60)])
    (match_id,) = planned.match_ids
    whole = play(database, replace(UNEQUAL, games=60))
    with database.write() as session:
        games.add_games(session, match_id, games_of(database, whole.id))
        control.cancel_job(session, planned.job_id)
    assert settle_match(database, match_id) == "H1"
    do(database, control.resume_job, planned.job_id)
    shown = run_job(database, planned.job_id)
    assert sum(each["a_wins"] for each in shown) == whole.tally.a.wins


@pytest.mark.usefixtures("small_units")
def test_other_matches_of_a_tournament_continue(database: Database) -> None:
    planned = plan_matches(database, [UNEQUAL, terms(games=20)], label="both")
    shown = run_job(database, planned.job_id)
    decided, other = (info(database, match_id) for match_id in planned.match_ids)
    assert (decided.verdict, other.verdict, other.tally.games) == ("H1", None, 20)
    assert (decided.label, other.label) == ("both", "both")
    assert state_of(database, planned.job_id) is JobState.DONE
    assert not any("error" in each for each in shown)
    # Resuming the job does not resume decided matches.
    assert do(database, control.resume_job, planned.job_id) is JobState.DONE
    assert info(database, decided.id).tally == decided.tally


def test_a_match_without_a_decision_is_played_to_its_end(database: Database) -> None:
    match = play(database, terms(player_b=SET, games=60, sprt=Sprt(0, 5)))
    assert (match.verdict, match.tally.games, match.is_finished) == (None, 60, True)
    assert settle_match(database, match.id) is None


@pytest.mark.usefixtures("one_unit")
def test_a_job_continues_without_a_deleted_match(database: Database) -> None:
    planned = plan_matches(database, [terms(seed=1), terms(seed=2)])
    gone, kept = planned.match_ids
    do(database, control.cancel_job, planned.job_id)
    do(database, games.delete_match, gone)
    assert do(database, control.resume_job, planned.job_id) is JobState.RUNNING
    shown = run_job(database, planned.job_id)
    assert state_of(database, planned.job_id) is JobState.DONE
    assert len(games_of(database, kept)) == 10
    assert [each for each in shown if "error" in each] == []
    assert [each["games"] for each in shown if each["match"] == gone] == [[0, 0]]


@pytest.mark.postgres
def test_a_match_is_not_deleted_while_its_job_is_resumed(postgres_url: str) -> None:
    with Database.open(postgres_url) as database, ThreadPoolExecutor(1) as pool:
        planned = plan_matches(database, [terms()])
        do(database, control.cancel_job, planned.job_id)
        with database.write() as session:
            control.resume_job(session, planned.job_id)
            deleting = pool.submit(
                database.run, lambda other: games.delete_match(other, planned.match_ids[0])
            )
            await_that(lambda: waits_for_lock(database))
        with pytest.raises(JobStateError, match="is being played"):
            deleting.result(timeout=HANG_SECONDS)


HUGE = Position("11", board="12x4")


@pytest.mark.parametrize("player", ["minimax-windows:depth=20", "perfect"])
def test_a_cancelled_match_frees_its_thread(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, player: str
) -> None:
    """The player would think for hours; unit tests stop every player."""
    thinking = tmp_path / "thinking"
    note_choices(monkeypatch, player, thinking.touch)
    planned = plan_matches(database, [terms(player_a=player, games=2, start=HUGE)])
    thinking.unlink(missing_ok=True)  # planning has tried the player
    with LocalRunner(database, planned.job_id, table_mb=1, lease_seconds=0.5) as runner:
        await_that(thinking.exists)
        do(database, control.cancel_job, planned.job_id)
        runner.wait()
        await_that(lambda: all(each.name != "c4-unit-0" for each in threading.enumerate()))
    assert state_of(database, planned.job_id) is JobState.CANCELLED
    assert games_of(database, planned.match_ids[0]) == []


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), None),
        (OSError(errno.EMFILE, "Too many open files"), None),
        (RuntimeError("can't start new thread"), "RuntimeError: can't start new thread"),
        (ZeroDivisionError("a bug of ours"), "ZeroDivisionError: a bug of ours"),
    ],
)
def test_a_fault_of_the_machine_loses_no_game(
    database: Database, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str | None
) -> None:
    def fail(*_: object) -> int:
        raise error

    planned = plan_matches(database, [terms(games=2)])
    with monkeypatch.context() as patch:
        patch.setattr("c4core.players.roster.simple.Set.choose", fail)
        if told is None:  # the machine's fault: the driver leaves the unit to its lease
            with pytest.raises(type(error)):
                run_claimed(database)
        else:
            report = run_claimed(database)
            assert (report.end, report.error) == (UnitEnd.FAILED, told)
    assert games_of(database, planned.match_ids[0]) == []
    # The unit is claimed again, and the games are played.
    run_job(database, planned.job_id)
    assert state_of(database, planned.job_id) is JobState.DONE
    assert [each.ending for each in games_of(database, planned.match_ids[0])] == ["four", "four"]


def test_a_match_of_a_slow_player_is_planned_quickly(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pace is measured by one move, which may take hours."""
    monkeypatch.setattr(planning, "MAX_PROBE_SECONDS", 0.05)
    asked = terms(player_a="minimax-windows:depth=20", games=2, start=HUGE)
    assert ends(lambda: plan_matches(database, [asked])).match_ids


def test_the_corpus_of_a_new_match_is_not_deleted(database: Database) -> None:
    """Either the match is created and its corpus stays, or the match is not created."""
    imported = game_of(game_of_moves("1213141", DEFAULT_BOARD), player_a=None)
    together = threading.Barrier(2)

    def succeeds(action: Callable[..., object], *arguments: object) -> bool:
        together.wait(HANG_SECONDS)
        with suppress(MatchInUseError, MatchNotFoundError):
            do(database, action, *arguments)
            return True
        return False

    for _ in range(3):
        used = import_games(database, [imported]).match_id
        asked = terms(player_a="matcher", corpus=(used,))
        with ThreadPoolExecutor(2) as pool:
            deleted = pool.submit(succeeds, games.delete_match, used)
            made = pool.submit(succeeds, games.create_match, asked)
        assert deleted.result() is not made.result()
