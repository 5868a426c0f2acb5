from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from c4core import Position
from c4core.notation import BoardSize
from db.checking import check
from db.database import Database
from db.errors import DiskFullError, MatchInUseError, StorageError, UnreachableError
from db.evaluations import store, stream
from db.games import delete_match, list_matches
from db.jobs import watching
from db.jobs.watching import live_workers, record_worker
from db.maintenance import backup, stats
from db.migrations import HEAD
from db.records.evaluations import EvaluationFilter, StoredEvaluation
from tests.support.boards.matches import game, games_of, store_match
from tests.support.filled import evaluations
from tests.support.jobs import finish, must_take
from tests.support.running.databases import (
    BOARD,
    do,
    file_size_limit,
    make_job,
    row,
    worker,
)


def evaluation(moves: str, **changes: object) -> StoredEvaluation:
    """A row for a real position, with an arbitrary score."""
    position = Position(moves)
    values = {"ply": position.ply, "lower": 1, "upper": 1, "nodes": 10}
    return row(position.canonical_key)._replace(**(values | changes))


@pytest.fixture
def used(database: Database) -> Database:
    """Some evaluations, a half-finished job, and a match."""
    scores = (-2, -1, 0, 1, 0, -1, -2)
    with database.write() as session:
        store(session, BOARD, [evaluation(""), evaluation("44", scores=scores)])
        store(session, BOARD, [evaluation("112233", lower=-3, upper=18)])
    make_job(database, 2, positions=5)
    over = [evaluation("1212121", lower=-18, upper=-18)]
    outcome = {"evaluations": over, "result": {"a": 1}}
    assert finish(database, must_take(database), **outcome)
    with database.write() as session:
        record_worker(session, worker("ada"))
    played = [game(0), game(1, seed=2**64 - 1, moves=None, replaced=(1,))]
    corpus = store_match(database, played)
    store_match(database, [game(0)], corpus=(corpus,))
    return database


def test_stats(used: Database) -> None:
    found = stats(used)
    assert (found.url, found.dialect, found.revision) == (used.url, used.dialect, HEAD)
    assert {table.name: table.rows for table in found.tables} == {
        "corpus_matches": 1,
        "evaluations": 4,
        "games": 3,
        "jobs": 1,
        "matches": 2,
        "units": 2,
        "workers": 1,
    }
    assert all(table.bytes is None or 0 < table.bytes < found.bytes for table in found.tables)
    assert [line.ply for line in found.boards[BOARD]] == [0, 2, 6, 7]


def test_backup(used: Database, tmp_path: Path) -> None:
    path = tmp_path / "backup.db"
    assert backup(used, path) == path.stat().st_size
    assert [file.name for file in tmp_path.glob("backup*")] == ["backup.db"]
    everything = EvaluationFilter(board=BOARD)
    with Database.open(str(path), create=False) as copy:
        assert list(check(copy)) == []
        with copy.read() as session, used.read() as original:
            assert list(stream(session, everything)) == list(stream(original, everything))
            job_id = watching.list_jobs(session)[0].id
            copied, job = watching.get_job(session, job_id), watching.get_job(original, job_id)
            # The rate counts up to now.
            assert copied == replace(job, positions_per_second=copied.positions_per_second)
            assert watching.unit_results(session, job_id) == watching.unit_results(original, job_id)
            assert live_workers(session) == live_workers(original) != ()
            match, corpus = list_matches(session)
            assert [match, corpus] == list_matches(original)
            assert match.terms.corpus == (corpus.id,)
        for each in (match, corpus):
            assert games_of(copy, each.id) == games_of(used, each.id) != []
        with pytest.raises(MatchInUseError, match=f"players of match {match.id}"):
            copy.run(lambda session: delete_match(session, corpus.id))
        # The copy is a normal database: its numbers continue after the copied ones.
        assert make_job(copy) == job_id + 1


def copies(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if "backup" in file.name)


@pytest.fixture
def source(sqlite_path: Path) -> Iterator[Database]:
    with Database.open(str(sqlite_path)) as database:
        do(database, store, BOARD, evaluations(500, 1))
        yield database


@pytest.mark.parametrize("suffix", ["", "-journal", "-wal", "-shm"])
def test_a_backup_overwrites_nothing(source: Database, tmp_path: Path, suffix: str) -> None:
    beside = tmp_path / f"backup.db{suffix}"
    beside.write_text("precious")
    message = ": SQLite would read it" if suffix else ": choose another name for the backup"
    with pytest.raises(FileExistsError, match=f"{beside} exists{message}"):
        backup(source, tmp_path / "backup.db")
    assert beside.read_text() == "precious"
    assert copies(beside) == [beside.name]


def test_an_unwritable_backup_is_reported(used: Database, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="no/backup"):
        backup(used, tmp_path / "no" / "backup.db")
    with file_size_limit(4096), pytest.raises(DiskFullError, match="backup"):
        backup(used, tmp_path / "backup.db")
    assert list(tmp_path.glob("*backup*")) == []
    with pytest.raises(StorageError, match="/dev/fd"):
        backup(used, Path("/dev/fd/backup.db"))


def test_a_backup_is_a_consistent_snapshot(database: Database, tmp_path: Path) -> None:
    rows = [evaluation("", key=key, ply=1) for key in range(1_000)]
    do(database, store, BOARD, rows)
    with database.write() as session:
        store(session, BoardSize(4, 4), [evaluation("", width=4, height=4)])
        backup(database, tmp_path / "backup.db")
    with Database.open(str(tmp_path / "backup.db")) as copy:
        assert [table.rows for table in stats(copy).tables if table.rows] == [1_000]
