"""A million lines: all answered, in constant memory."""

import random
import resource
import tempfile
from pathlib import Path

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from db.database import Database
from tests.support.boards.games import random_games
from workers.analyze.job import submit
from workers.runners.local import LocalRunner

LINES = 1_000_000
MEGABYTE = 1024  # in the kilobytes that Linux reports


def test_a_million_lines_with_ten_bad_ones(sqlite_path: Path) -> None:
    games = random_games(2000, empty=8)
    bad = set(random.Random(2).sample(range(LINES), 10))
    with tempfile.TemporaryFile() as file, Database.open(str(sqlite_path)) as database:
        for number in range(LINES):
            file.write(b"9\n" if number in bad else games[number % 2000].encode() + b"\n")
        file.seek(0)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        job = submit(database, read_lines(file, board=DEFAULT_BOARD), board=DEFAULT_BOARD)
        assert (job.positions, job.bad_lines) == (LINES - 10, 10)
        with LocalRunner(database, job.job_id, threads=2, table_mb=1) as runner:
            for number, shown in enumerate(runner.results()):
                if number in bad:
                    assert shown["line"] == number + 1
                else:
                    assert shown["moves"] == games[number % 2000]
                    assert shown["score"] is not None
        assert number == LINES - 1
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 150 * MEGABYTE
