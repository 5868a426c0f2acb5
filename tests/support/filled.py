"""Databases with rows in every table."""

import random
from pathlib import Path

from c4core import Position
from c4core.version import ENGINE_VERSION
from db.checking import check
from db.database import Database
from db.errors import StorageError
from db.evaluations import store
from db.jobs.queue import claim, complete, fail
from db.jobs.watching import record_worker
from db.records.evaluations import StoredEvaluation
from tests.support.boards.matches import game, store_match
from tests.support.jobs import ELIGIBLE
from tests.support.running.databases import BOARD, do, make_job, worker

ROWS = 5_000
READING_COMMANDS = (
    ("query",), ("db", "stats"), ("db", "check"), ("jobs", "list"), ("jobs", "show", "1"),
    ("jobs", "results", "1"), ("games", "list"), ("games", "show", "1:0"), ("games", "report", "1"),
    ("games", "export", "1"), ("status",), ("solve", "4455"),
)  # fmt: skip
"""Commands that write nothing."""


def evaluations(number: int, seed: int) -> list[StoredEvaluation]:
    """Possible evaluations of different positions; every second one has column scores."""
    lots = random.Random(seed)
    found: dict[int, StoredEvaluation] = {}
    while len(found) < number:
        position = Position("")
        for _ in range(lots.randrange(30)):
            if position.is_over:
                break
            position = position.play(lots.choice(position.legal_columns()))
        if position.is_over:
            continue
        key = position.canonical_key
        if position.key != key:
            continue
        worst = lots.randint(-3, 0)
        scores = [
            lots.randint(-4, worst) if column in position.legal_columns() else None
            for column in range(BOARD.width)
        ]
        scores[position.legal_columns()[0]] = worst
        columns = tuple(scores) if len(found) % 2 else None
        facts = (position.ply, worst, worst, lots.randrange(10**7), ENGINE_VERSION, columns)
        found[key] = StoredEvaluation(key, *BOARD, *facts)
    return list(found.values())


def fill(path: Path, rows: int = ROWS) -> None:
    """Make a file with rows in every table."""
    with Database.open(str(path)) as database:
        fill_database(database, rows)


def fill_database(database: Database, rows: int) -> None:
    """Store rows in every table."""
    lots = random.Random(1)
    do(database, store, BOARD, evaluations(rows, 1))
    make_job(database, rows // 50, positions=50)
    for number in range(rows // 100):
        with database.write() as session:
            unit = claim(session, ELIGIBLE, owner=f"ada.{number}", lease_seconds=500.0)
            assert unit is not None
            if number % 10 == 9:
                fail(session, unit, f"error {number}: it did not work")
            elif number % 10 < 8:
                complete(
                    session,
                    unit,
                    evaluations=[],
                    result={"scores": [lots.randint(-9, 9) for _ in range(50)]},
                    nodes=lots.randrange(10**6),
                    seconds=lots.random(),
                )
    with database.write() as session:
        record_worker(session, worker("ada"))
        record_worker(session, worker("bob", seconds=lots.random()))
    played = [
        game(number, seed=lots.getrandbits(64), x_seconds=lots.random(), o_seconds=lots.random())
        for number in range(rows // 50)
    ]
    unknown = {"moves": None, "seed": None, "detail": "who knows?", "replaced": (1, 2)}
    corpus = store_match(database, [*played, game(len(played), **unknown)])
    store_match(database, [game(0)], corpus=(corpus,))


def problems(path: Path) -> list[str]:
    """The problems that the check finds in a file, or the error that prevents the check."""
    try:
        with Database.open(str(path), create=False) as database:
            return [problem.message for problem in check(database)]
    except StorageError as error:
        return [str(error)]
