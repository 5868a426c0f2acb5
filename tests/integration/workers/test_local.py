"""Jobs from lines to results, by the threads of this process, on real databases."""

import io
import json
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import delete

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db import evaluations, jobs
from db.database import Database
from db.errors import JobNotFoundError, JobStateError
from db.models import Evaluation
from db.records.jobs import MAX_ATTEMPTS, JobInfo, JobState, UnitPlan, UnitState
from tests.support.boards.games import random_games
from tests.support.jobs import failed_units, must_take, outlast_lease, take
from tests.support.running.databases import FakeClock, row
from tests.support.running.waiting import await_that
from workers.analyze.job import NoInputError, submit
from workers.core.follow import Progress
from workers.runners.local import LocalRunner, SharedSolver

EASY = random_games(300, empty=10)
HARD = ["1", "2", "3", "11", "12", "13", "14", "15", "16", "17"]

EASY_LINES = 100
"""Number of lines of a unit in these tests."""


def make(
    database: Database, lines: list[str], *, board: BoardSize = DEFAULT_BOARD, **options: int
) -> int:
    stream = io.BytesIO("\n".join(lines).encode())
    requests = read_lines(stream, board=board, zero_based=bool(options.get("zero_based")))
    return submit(database, requests, board=board, **({"unit_lines": EASY_LINES} | options)).job_id


def run(database: Database, job_id: int, threads: int = 2) -> list[dict[str, object]]:
    with LocalRunner(database, job_id, threads=threads, table_mb=1) as runner:
        return list(runner.results())


def job_of(database: Database, job_id: int) -> JobInfo:
    with database.read() as session:
        return jobs.get_job(session, job_id)


def without_effort(objects: list[dict[str, object]]) -> list[dict[str, object]]:
    return [
        {name: value for name, value in shown.items() if name not in {"nodes", "seconds", "source"}}
        for shown in objects
    ]


def test_every_line_is_answered_in_its_place(database: Database) -> None:
    lines = [json.dumps({"id": number, "moves": moves}) for number, moves in enumerate(EASY)]
    lines[170] = '{"id": "bad", "moves": "9"}'
    lines[3] = ""
    job_id = make(database, lines)
    results = run(database, job_id)
    solver = Solver(table_mb=1)
    assert len(results) == len(lines)
    for number, (moves, shown) in enumerate(zip(EASY, results, strict=True)):
        if number in {3, 170}:
            assert shown["line"] == number + 1
            assert shown["field"] == ("line" if number == 3 else "moves")
            continue
        found = solver.analyze(Position(moves))
        assert (shown["id"], shown["moves"]) == (number, moves)
        assert (shown["score"], shown["scores"]) == (found.score, list(found.scores))
        assert shown["best"] == [column + 1 for column in found.best]
    job = job_of(database, job_id)
    assert job.state is JobState.DONE
    assert job.positions[UnitState.DONE] == len(lines) - 2
    assert job.nodes > 0
    with database.read() as session:
        position = Position(EASY[0])
        stored = evaluations.find(session, DEFAULT_BOARD, position.canonical_key)
    assert stored is not None
    assert stored.scores is not None
    assert stored.score == results[0]["score"]


def test_nothing_is_solved_twice(database: Database) -> None:
    done = make(database, EASY)
    first = run(database, done)
    job_id = make(database, EASY[::-1])
    again = run(database, job_id)
    assert {shown["source"] for shown in again} == {"db"}
    assert job_of(database, job_id).nodes == 0
    assert without_effort(again[::-1]) == without_effort(first)
    # A finished job returns its results again.
    nodes = job_of(database, done).nodes
    with database.write() as session:
        assert jobs.resume_job(session, done) is JobState.DONE
    assert run(database, done) == first
    assert job_of(database, done).nodes == nodes


def test_other_boards_and_moves_from_zero(database: Database) -> None:
    board = BoardSize(5, 4)
    moves = random_games(30, empty=9, board=board)
    zero_based = ["".join(str(int(move) - 1) for move in text) for text in moves]
    one = run(database, make(database, moves, board=board))
    zero = run(database, make(database, zero_based, board=board, zero_based=True))
    for shown, other, text in zip(one, zero, zero_based, strict=True):
        assert other["moves"] == text
        assert other["scores"] == shown["scores"]
        assert other["best"] == [column - 1 for column in shown["best"]]
        assert shown["board"] == "5x4"


def test_ids_of_any_type_are_returned(database: Database) -> None:
    identities = ["\0", "\ud800", "\N{SNOWMAN}", {"a": [1.5, None, "\\"]}, 10**30, False]
    lines = [json.dumps({"id": identity, "moves": EASY[0]}) for identity in identities]
    assert [shown["id"] for shown in run(database, make(database, lines))] == identities


def test_grids_keys_and_finished_games(database: Database) -> None:
    position = Position(EASY[0])
    lines = [
        json.dumps({"grid": str(position)}),
        json.dumps({"key": position.mirrored().key}),
        "1212121",
    ]
    grid, key, over = run(database, make(database, lines))
    assert grid["moves"] is None
    assert grid["key"] == position.key
    assert key["scores"] == grid["scores"][::-1]
    assert (over["score"], over["plies"], over["scores"]) == (-18, 0, [None] * 7)


def test_no_lines_give_no_job(database: Database) -> None:
    with pytest.raises(NoInputError):
        make(database, [])
    with database.read() as session:
        assert jobs.list_jobs(session) == []


def test_failing_input_leaves_a_cancelled_job(database: Database) -> None:
    def broken() -> Iterator[object]:
        yield from read_lines(io.BytesIO("\n".join(EASY).encode()), board=DEFAULT_BOARD)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        submit(database, broken(), board=DEFAULT_BOARD, unit_lines=1)
    with database.read() as session:
        (job,) = jobs.list_jobs(session)
    assert job.state is JobState.CANCELLED


def test_results_come_while_the_job_runs(database: Database) -> None:
    job_id = make(database, EASY + HARD)
    with LocalRunner(database, job_id, threads=2, table_mb=1) as runner:
        first = next(runner.results())
        assert first["moves"] == EASY[0]
    assert job_of(database, job_id).state is JobState.RUNNING


def test_every_update_has_the_state_and_progress_is_optional(database: Database) -> None:
    states: list[JobState] = []
    told: list[Progress] = []
    threads = set()

    def tell(progress: Progress) -> None:
        told.append(progress)
        threads.add(threading.current_thread())

    with LocalRunner(database, make(database, EASY), threads=2, table_mb=1) as runner:
        assert runner.wait(on_look=states.append).state is JobState.DONE
        assert list(runner.results(tell, on_look=states.append))
    assert states[-1] is JobState.DONE
    assert set(states) <= {JobState.RUNNING, JobState.DONE}
    assert threads == {threading.current_thread()}  # the caller's thread
    last = told[-1]
    assert last.job.state is JobState.DONE
    assert (last.job.positions_done, last.remaining) == (len(EASY), 0)


def test_leaving_early_releases_all_units(database: Database) -> None:
    job_id = make(database, HARD)
    with LocalRunner(database, job_id, threads=2, table_mb=1):
        await_that(lambda: job_of(database, job_id).units[UnitState.LEASED] == 2)
    job = job_of(database, job_id)
    assert job.state is JobState.RUNNING
    assert job.units[UnitState.LEASED] == 0
    assert must_take(database).attempts == 1


def test_results_found_before_leaving_are_kept(database: Database) -> None:
    middle = random_games(2000, empty=31)
    job_id = make(database, middle, unit_lines=len(middle))
    shared = SharedSolver(threads=1, table_mb=1)
    with LocalRunner(database, job_id, shared=shared):
        await_that(lambda: shared.solver.progress[0] > 3_000_000)
    with database.read() as session:
        (summary,) = evaluations.summary(session, DEFAULT_BOARD)
    assert 0 < summary.positions < len(middle)


def test_a_cancel_by_another_process_ends_the_work(database: Database) -> None:
    job_id = make(database, EASY + HARD)
    with LocalRunner(database, job_id, threads=2, table_mb=1, lease_seconds=0.5) as runner:
        results = runner.results()
        next(results)
        await_that(lambda: job_of(database, job_id).units[UnitState.DONE] >= 3)
        database.run(lambda session: jobs.cancel_job(session, job_id))
        rest = list(results)
        assert len(rest) >= len(EASY) - 1
        assert runner.wait().state is JobState.CANCELLED
    database.run(lambda session: jobs.resume_job(session, job_id))
    assert job_of(database, job_id).state is JobState.RUNNING


def test_units_of_dead_processes_are_taken_over(database: Database) -> None:
    job_id = make(database, EASY)
    must_take(database, owner="dead", lease_seconds=0.5)
    assert len(run(database, job_id)) == len(EASY)
    assert job_of(database, job_id).state is JobState.DONE


def test_several_runners_share_a_job(database: Database) -> None:
    job_id = make(database, random_games(600, empty=8))
    outputs: list[list[dict[str, object]]] = []
    threads = [
        threading.Thread(target=lambda: outputs.append(run(database, job_id))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs[0] == outputs[1] == outputs[2]
    assert len(outputs[0]) == 600


def test_a_long_unit_keeps_its_lease(timed: Database, clock: FakeClock) -> None:
    job_id = make(timed, HARD[:1])
    with LocalRunner(timed, job_id, table_mb=1, lease_seconds=0.3):
        await_that(lambda: job_of(timed, job_id).units[UnitState.LEASED])
        outlast_lease(timed, clock, 0.3)
        assert take(timed, owner="thief") is None
    assert job_of(timed, job_id).units[UnitState.QUEUED] == 1


def test_a_failing_unit_is_tried_again_and_then_reported(database: Database) -> None:
    position = Position(EASY[150])
    score = Solver(table_mb=1).solve(position).score
    assert score is not None
    wrong = row(position.canonical_key, ply=position.ply, lower=score - 1, upper=score - 1)
    with database.write() as session:
        evaluations.store(session, DEFAULT_BOARD, [wrong])
    job_id = make(database, EASY)
    results = run(database, job_id)
    failed = [shown for shown in results if "error" in shown]
    assert [shown["line"] for shown in failed] == list(range(101, 201))
    assert str(failed[0]["error"]).startswith("not solved: ContradictionError: ")
    assert failed[0]["field"] is None
    job = job_of(database, job_id)
    assert job.state is JobState.FAILED
    assert len(job.errors) == 1
    with database.read() as session:
        (unit,) = failed_units(session, job_id)
    assert (unit.seq, unit.attempts) == (1, MAX_ATTEMPTS)
    with database.write() as session:
        session.execute(delete(Evaluation))
        jobs.retry_job(session, job_id)
    assert not any("error" in shown for shown in run(database, job_id))


def test_a_missing_job_is_reported(database: Database) -> None:
    with pytest.raises(JobNotFoundError):
        LocalRunner(database, 99)


def test_a_job_for_another_engine_is_refused(database: Database) -> None:
    with database.write() as session:
        job_id = jobs.create_job(
            session, kind="analyze", board=DEFAULT_BOARD, params={}, engine_version=99
        )
        jobs.add_units(session, job_id, [UnitPlan({}, 1)])
        jobs.start_job(session, job_id)
    with pytest.raises(JobStateError, match="version 99 of the engine"):
        LocalRunner(database, job_id)
