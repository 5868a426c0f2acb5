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
from db import evaluations
from db.database import Database
from db.errors import JobNotFoundError, JobStateError
from db.jobs import control, watching
from db.models import Evaluation
from db.records.jobs import MAX_ATTEMPTS, JobInfo, JobState, UnitPlan, UnitState
from tests.support.boards.games import random_games
from tests.support.jobs import failed_units
from tests.support.running.databases import ask, do, row
from tests.support.running.waiting import await_that
from workers.analyze.job import NoInputError, submit
from workers.core.follow import LocalRunner, read_job

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
    job = read_job(database, job_id)
    assert job.state is JobState.DONE
    assert job.positions[UnitState.DONE] == len(lines) - 2
    assert job.nodes > 0
    stored = ask(database, evaluations.find, DEFAULT_BOARD, Position(EASY[0]).canonical_key)
    assert stored is not None
    assert stored.scores is not None
    assert stored.score == results[0]["score"]


def test_nothing_is_solved_twice(database: Database) -> None:
    done = make(database, EASY)
    first = run(database, done)
    job_id = make(database, EASY[::-1])
    again = run(database, job_id)
    assert read_job(database, job_id).nodes == 0
    effort = {"nodes": 0, "seconds": 0.0, "source": "db"}
    assert again[::-1] == [shown | effort for shown in first]
    # A finished job returns its results again.
    nodes = read_job(database, done).nodes
    assert do(database, control.resume_job, done) is JobState.DONE
    assert run(database, done) == first
    assert read_job(database, done).nodes == nodes


def test_input_without_lines_and_failing_input_give_no_running_job(database: Database) -> None:
    with pytest.raises(NoInputError):
        make(database, [])
    assert ask(database, watching.list_jobs) == []

    def broken() -> Iterator[object]:
        yield from read_lines(io.BytesIO("\n".join(EASY).encode()), board=DEFAULT_BOARD)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        submit(database, broken(), board=DEFAULT_BOARD, unit_lines=1)
    assert ask(database, watching.list_jobs) == []


def test_progress_is_optional(database: Database) -> None:
    looks: list[None] = []
    told: list[JobInfo] = []
    threads = set()

    def tell(job: JobInfo) -> None:
        told.append(job)
        threads.add(threading.current_thread())

    with LocalRunner(database, make(database, EASY), threads=2, table_mb=1) as runner:
        assert runner.wait(on_look=lambda: looks.append(None)).state is JobState.DONE
        assert looks
        assert list(runner.results(tell))
    assert threads == {threading.current_thread()}  # the caller's thread
    last = told[-1]
    assert (last.state, last.positions_ended) == (JobState.DONE, len(EASY))
    assert last.eta_seconds == 0


def test_a_cancel_by_another_process_ends_the_work(database: Database) -> None:
    job_id = make(database, EASY + HARD)
    with LocalRunner(database, job_id, threads=2, table_mb=1, lease_seconds=0.5) as runner:
        results = runner.results()
        assert next(results)["moves"] == EASY[0]
        assert read_job(database, job_id).state is JobState.RUNNING
        await_that(lambda: read_job(database, job_id).units[UnitState.DONE] >= 3)
        do(database, control.cancel_job, job_id)
        rest = list(results)
        assert len(rest) >= len(EASY) - 1
        assert runner.wait().state is JobState.CANCELLED
    do(database, control.resume_job, job_id)
    assert read_job(database, job_id).state is JobState.RUNNING


def test_a_failing_unit_is_tried_again_and_then_reported(database: Database) -> None:
    position = Position(EASY[150])
    score = Solver(table_mb=1).solve(position).score
    assert score is not None
    wrong = row(position.canonical_key, ply=position.ply, lower=score - 1, upper=score - 1)
    do(database, evaluations.store, DEFAULT_BOARD, [wrong])
    job_id = make(database, EASY)
    results = run(database, job_id)
    failed = [shown for shown in results if "error" in shown]
    assert [shown["line"] for shown in failed] == list(range(101, 201))
    assert str(failed[0]["error"]).startswith("not solved: ContradictionError: ")
    assert failed[0]["field"] is None
    job = read_job(database, job_id)
    assert job.state is JobState.FAILED
    assert len(job.errors) == 1
    (unit,) = ask(database, failed_units, job_id)
    assert (unit.seq, unit.attempts) == (1, MAX_ATTEMPTS)
    with database.write() as session:
        session.execute(delete(Evaluation))
        control.resume_job(session, job_id)
    assert not any("error" in shown for shown in run(database, job_id))


def test_a_job_for_another_engine_is_refused(database: Database) -> None:
    asked = {"kind": "analyze", "board": DEFAULT_BOARD, "params": {}, "engine_version": 99}
    with database.write() as session:
        job_id = control.create_job(session, **asked)
        control.add_units(session, job_id, [UnitPlan({}, 1)])
        control.start_job(session, job_id)
    with pytest.raises(JobStateError, match="version 99 of the engine"):
        LocalRunner(database, job_id)
    with pytest.raises(JobNotFoundError):
        LocalRunner(database, 99)
