"""Complete matches: the games do not depend on processes, failures or kills."""

import errno
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from c4core.arena.game import TimeControl
from c4core.arena.statistics import Sprt
from c4core.players import ANY_PROGRAM
from c4core.position import Position
from c4core.solver import Solver
from db import evaluations, games, jobs
from db.database import Database
from db.errors import JobStateError
from db.records.evaluations import EvaluationFilter
from db.records.games import ON_THE_BOARD, StoredGame
from db.records.jobs import JobState, UnitState
from db.records.matches import MatchInfo, Seats
from tests.support.boards.matches import (
    RANDOM,
    SET,
    THINKERS,
    THINKING_PROGRAMS,
    essence,
    games_of,
    info,
    note_choices,
    play,
    program,
    run_job,
    terms,
    thinking_program,
)
from tests.support.jobs import must_take, state_of, waits_for_lock
from tests.support.running.databases import BOARD
from tests.support.running.waiting import HANG_SECONDS, await_that, ends
from tests.support.running.watching import await_units, end_leases, held_back, kill_at_work, working
from workers.core.kinds import unit_objects
from workers.core.run import UnitEnd, run_unit
from workers.match import job as planning
from workers.match.job import find_job, plan_matches
from workers.match.table import replay_game
from workers.match.units import settle_match
from workers.runners.local import LocalRunner

LATE = Position("44444422222266666655533")

UNEQUAL = terms(
    player_a="blog-v6:depth=2",
    player_b=RANDOM,
    games=120,
    seats=Seats.ALTERNATE,
    sprt=Sprt(0, 100),
)
"""A match that a sequential test decides at once."""


def test_the_same_games_whatever_the_number_of_threads(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = terms(player_a="blog-v5:depth=2", player_b="set", games=30, seats=Seats.RANDOM, seed=11)
    found = []
    for threads, least in ((1, 32), (4, 7)):
        monkeypatch.setattr(planning, "LEAST_UNITS", least)
        monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)
        match = play(database, asked, threads=threads)
        assert (match.job_state, match.is_finished) == (JobState.DONE, True)
        found.append(essence(games_of(database, match.id)))
    assert found[0] == found[1]
    assert [each[0] for each in found[0]] == list(range(30))


def test_every_game_follows_the_rules(database: Database) -> None:
    start = Position("12", width=6, height=5)
    match = play(database, terms(player_b=SET, games=40, start=start, seats=Seats.ALTERNATE))
    for each in games_of(database, match.id):
        position = start
        for move in each.moves or "":
            assert not position.is_over
            position = position.play(int(move) - 1)
        assert position.is_over
        assert (position.winner, position.key) == (each.winner, each.final_key)
        assert each.length == len(each.moves or "")
        assert each.ending == ("full" if each.winner is None else "four")
        assert each.x_seconds > 0
    assert match.tally.games == 40


def test_the_output_of_a_match_has_a_line_for_each_unit(database: Database) -> None:
    planned = plan_matches(database, [terms(), terms(player_b=SET, games=7)], label="both")
    shown = run_job(database, planned.job_id)
    first, second = (info(database, match_id) for match_id in planned.match_ids)
    assert [each["match"] for each in shown] == [first.id, second.id]
    assert [each["games"] for each in shown] == [[0, 10], [0, 7]]
    for each, match in zip(shown, (first, second), strict=True):
        tally = match.tally.a
        assert (each["a_wins"], each["b_wins"], each["draws"]) == (
            tally.wins,
            tally.losses,
            tally.draws,
        )
    assert first.label == "both"


def test_the_same_matches_find_their_job(database: Database) -> None:
    asked = [terms(), terms(player_a="stupid")]
    assert find_job(database, asked) is None
    planned = plan_matches(database, asked)
    with database.write() as session:
        jobs.cancel_job(session, planned.job_id)
    assert find_job(database, asked) == planned.job_id
    assert state_of(database, planned.job_id) is JobState.RUNNING
    run_job(database, planned.job_id)
    assert find_job(database, asked) == planned.job_id
    assert state_of(database, planned.job_id) is JobState.DONE
    for other in ([asked[0]], asked[::-1], [terms(seed=1), asked[1]]):
        assert find_job(database, other) is None
    with database.write() as session:
        games.delete_match(session, planned.match_ids[1])
    assert find_job(database, asked) is None


FAILURES = {
    "illegal": ("echo play 9", "column 9 is outside the board"),
    "nonsense": ("echo hello", "answered 'hello'"),
    "error": ("echo fail I am lost", "I am lost"),
    "crash": ("exit 3", "status 3"),
    "time": ("sleep 3600", "no answer within"),
}


@pytest.mark.parametrize("ending", FAILURES)
def test_a_failing_player_loses_the_game_and_the_match_continues(
    database: Database, tmp_path: Path, ending: str
) -> None:
    answer, reason = FAILURES[ending]
    player = program(tmp_path, answer)
    # The other player has the same time limit, and may have to wait for a processor.
    control = TimeControl(move=1.0, grace=0.0) if ending == "time" else TimeControl()
    match = play(
        database,
        terms(player_b=player, games=2, seats=Seats.ALTERNATE, time_control=control),
        threads=2,
        programs=ANY_PROGRAM,
    )
    found = games_of(database, match.id)
    assert [each.ending for each in found] == [ending] * 2
    assert all(reason in each.detail for each in found)
    assert [each.length for each in found] == [1, 0]
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
    with database.write() as session:
        games.delete_match(session, planned.match_ids[0])
    assert state_of(database, planned.job_id) is JobState.DONE


def test_games_of_a_stopped_unit_are_kept(database: Database) -> None:
    asked = terms(player_b=SET, games=10)
    planned = plan_matches(database, [asked])
    match_id = planned.match_ids[0]
    looks = count()
    report = run_unit(database, Solver(table_mb=1), must_take(database), lambda: next(looks) > 100)
    assert report.end is UnitEnd.HANDED_BACK
    kept = games_of(database, match_id)
    assert 0 < len(kept) < 10
    (shown,) = run_job(database, planned.job_id)
    found = games_of(database, match_id)
    assert found[: len(kept)] == kept
    assert shown["games"] == [0, 10]
    assert shown["a_wins"] == sum(each.a_result == 1 for each in found)
    assert essence(found) == essence(games_of(database, play(database, asked).id))


def test_a_worker_that_lost_its_unit_writes_no_games(database: Database) -> None:
    planned = plan_matches(database, [terms()])
    taken = must_take(database)
    with database.write() as session:
        jobs.cancel_job(session, planned.job_id)
    for stopped in (lambda: False, lambda: True):
        report = run_unit(database, Solver(table_mb=1), taken, stopped)
        assert report.end is UnitEnd.LOST
    assert games_of(database, planned.match_ids[0]) == []
    with database.read() as session:
        job = jobs.get_job(session, planned.job_id)
        (unit,) = jobs.unit_results(session, planned.job_id)
    (shown,) = unit_objects(job, unit)
    assert (shown["match"], shown["games"]) == (planned.match_ids[0], [0, 10])
    assert shown["error"] == "not played: cancelled"


def test_scores_requested_by_players_are_stored(database: Database) -> None:
    match = play(database, terms(player_a="perfect", start=LATE, games=4))
    with database.read() as session:
        stored = evaluations.count(session, EvaluationFilter(board=BOARD))
    assert stored > 0
    assert match.tally.games == 4
    assert all(replay_game(database, match.id, number).is_same for number in range(4))


def sequential_match(
    database: Database, monkeypatch: pytest.MonkeyPatch, *, threads: int, units: int
) -> tuple[MatchInfo, list[StoredGame]]:
    monkeypatch.setattr(planning, "LEAST_UNITS", units)
    monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)
    match = play(database, UNEQUAL, threads=threads)
    return match, games_of(database, match.id)


def test_a_sequential_test_ends_the_match_after_the_same_game(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, found = sequential_match(database, monkeypatch, threads=1, units=40)
    assert (one.verdict, one.job_state, one.is_finished) == ("H1", JobState.DONE, True)
    assert one.tally.games < 100
    assert [each.number for each in found] == list(range(one.tally.games))
    for threads, number in ((4, 40), (2, 3)):
        other, others = sequential_match(database, monkeypatch, threads=threads, units=number)
        assert (other.verdict, other.job_state) == ("H1", JobState.DONE)
        assert essence(others) == essence(found)


def test_an_unnoticed_decision_is_found_later(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = sequential_match(database, monkeypatch, threads=1, units=40)
    # Simulates the death of every worker between its unit and the check of the test.
    monkeypatch.setattr("workers.match.units.settle_if_possible", lambda *_: None)
    match = play(database, UNEQUAL)
    assert (match.verdict, match.tally.games) == (None, UNEQUAL.games)
    assert settle_match(database, match.id) == "H1"
    assert settle_match(database, match.id) == "H1"
    assert essence(games_of(database, match.id)) == essence(found)


@pytest.mark.parametrize("backwards", [False, True])
def test_the_output_of_a_decided_match_does_not_depend_on_the_order(
    database: Database, monkeypatch: pytest.MonkeyPatch, *, backwards: bool
) -> None:
    monkeypatch.setattr(planning, "LEAST_UNITS", 12)
    monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)
    planned = plan_matches(database, [UNEQUAL])
    claims = [must_take(database) for _ in range(6)]
    solver = Solver(table_mb=1)
    for claim in claims[::-1] if backwards else claims:
        run_unit(database, solver, claim, lambda: False)
    match = info(database, planned.match_ids[0])
    assert match.verdict == "H1"
    with database.read() as session:
        job = jobs.get_job(session, planned.job_id)
        units = jobs.unit_results(session, planned.job_id)
    shown = [each for unit in units for each in unit_objects(job, unit)]
    size = units[0].payload["count"]
    assert match.tally.games % size  # decided in the middle of a unit
    firsts = range(0, UNEQUAL.games, size)
    played = [each["games"] for each in shown]
    assert played == [
        [first, max(first, min(first + size, match.tally.games, UNEQUAL.games))] for first in firsts
    ]
    tally = match.tally.a
    assert [sum(each[name] for each in shown) for name in ("a_wins", "b_wins", "draws")] == [
        tally.wins,
        tally.losses,
        tally.draws,
    ]


def test_a_cancelled_unit_reports_the_games_that_count(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LEAST_UNITS", 1)
    planned = plan_matches(database, [replace(UNEQUAL, games=60)])
    (match_id,) = planned.match_ids
    whole = play(database, replace(UNEQUAL, games=60))
    with database.write() as session:
        games.add_games(session, match_id, games_of(database, whole.id))
        jobs.cancel_job(session, planned.job_id)
    assert settle_match(database, match_id) == "H1"
    with database.write() as session:
        jobs.resume_job(session, planned.job_id)
    shown = run_job(database, planned.job_id)
    assert sum(each["a_wins"] for each in shown) == whole.tally.a.wins


def test_other_matches_of_a_tournament_continue(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)
    planned = plan_matches(database, [UNEQUAL, terms(games=20)])
    shown = run_job(database, planned.job_id)
    decided, other = (info(database, match_id) for match_id in planned.match_ids)
    assert (decided.verdict, other.verdict, other.tally.games) == ("H1", None, 20)
    assert state_of(database, planned.job_id) is JobState.DONE
    assert not any("error" in each for each in shown)
    # Resuming the job does not resume decided matches.
    with database.write() as session:
        assert jobs.resume_job(session, planned.job_id) is JobState.DONE
    assert info(database, decided.id).tally == decided.tally


def test_a_match_without_a_decision_is_played_to_its_end(database: Database) -> None:
    match = play(database, terms(player_b=SET, games=60, sprt=Sprt(0, 5)))
    assert (match.verdict, match.tally.games, match.is_finished) == (None, 60, True)
    assert settle_match(database, match.id) is None


def test_a_job_continues_without_a_deleted_match(database: Database) -> None:
    planned = plan_matches(database, [terms(seed=1), terms(seed=2)])
    gone, kept = planned.match_ids
    with database.write() as session:
        jobs.cancel_job(session, planned.job_id)
    with database.write() as session:
        games.delete_match(session, gone)
    with database.write() as session:
        assert jobs.resume_job(session, planned.job_id) is JobState.RUNNING
    shown = run_job(database, planned.job_id)
    assert state_of(database, planned.job_id) is JobState.DONE
    assert len(games_of(database, kept)) == 10
    assert [each for each in shown if "error" in each] == []
    assert [each["games"] for each in shown if each["match"] == gone] == [[0, 0]]


@pytest.mark.postgres
def test_a_match_is_not_deleted_while_its_job_is_resumed(postgres_url: str) -> None:
    with Database.open(postgres_url) as database, ThreadPoolExecutor(1) as pool:
        planned = plan_matches(database, [terms()])
        database.run(lambda session: jobs.cancel_job(session, planned.job_id))
        with database.write() as session:
            jobs.resume_job(session, planned.job_id)
            deleting = pool.submit(
                database.run, lambda other: games.delete_match(other, planned.match_ids[0])
            )
            await_that(lambda: waits_for_lock(database))
        with pytest.raises(JobStateError, match="is being played"):
            deleting.result(timeout=HANG_SECONDS)


def test_stopping_does_not_wait_for_a_thinking_program(database: Database, tmp_path: Path) -> None:
    player = thinking_program(tmp_path, "asleep")
    planned = plan_matches(database, [terms(player_b=player, games=2)])
    with LocalRunner(database, planned.job_id, table_mb=1, programs=ANY_PROGRAM):
        await_that((tmp_path / "thinking").exists)
    # The program was not at fault: nothing is stored against it.
    assert games_of(database, planned.match_ids[0]) == []
    assert state_of(database, planned.job_id) is JobState.RUNNING
    with database.read() as session:
        assert jobs.get_job(session, planned.job_id).units[UnitState.LEASED] == 0
    with database.write() as session, pytest.raises(JobStateError):
        games.delete_match(session, planned.match_ids[0])


KILLED = terms(
    player_a="montecarlo-flat:simulations=20",
    player_b="minimax-windows:depth=2",
    games=24,
    seats=Seats.ALTERNATE,
    seed=4,
)


def test_killing_a_process_loses_and_repeats_nothing(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)
    url = str(sqlite_path)
    with Database.open(url) as database:
        planned = plan_matches(database, [KILLED])
        match_id = planned.match_ids[0]
        with held_back(url, planned.job_id, free=8):
            with working(url, planned.job_id, lease=3600) as process:
                await_units(url, process, UnitState.DONE, 1)
                kill_at_work(url, process)
                end_leases(url, process)
            before = games_of(database, match_id)
        run_job(database, planned.job_id, threads=2)
        found = games_of(database, match_id)
        assert state_of(database, planned.job_id) is JobState.DONE
        # Stored games are unchanged; a unit is complete or missing.
        assert before
        assert [each for each in found if each.number in {one.number for one in before}] == before
        undisturbed = play(database, KILLED, threads=2)
        assert essence(found) == essence(games_of(database, undisturbed.id))


HUGE = Position("11", width=12, height=4)


@pytest.mark.parametrize("name", [*THINKERS, "perfect", *THINKING_PROGRAMS])
def test_a_cancelled_match_frees_its_thread(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Each player would think for hours, and each is stopped in another way."""
    thinking = tmp_path / "thinking"
    if name in THINKING_PROGRAMS:
        player = thinking_program(tmp_path, name)
    else:
        player = name
        note_choices(monkeypatch, player, thinking.touch)
    planned = plan_matches(database, [terms(player_a=player, games=2, start=HUGE)])
    with LocalRunner(
        database, planned.job_id, table_mb=1, lease_seconds=0.5, programs=ANY_PROGRAM
    ) as runner:
        await_that(thinking.exists)
        database.run(lambda session: jobs.cancel_job(session, planned.job_id))
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
                run_unit(database, Solver(table_mb=1), must_take(database), lambda: False)
        else:
            report = run_unit(database, Solver(table_mb=1), must_take(database), lambda: False)
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
