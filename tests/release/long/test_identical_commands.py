"""The same commands at the same moment make one job."""

from pathlib import Path

import pytest

from db import jobs
from db.database import Database
from tests.support.running.command_line import C4
from tests.support.running.command_process import ready

MANY_ROUNDS = 50

COMMANDS = {
    "match": ["match", "random", "random", "--games=2", "--seed={number}"],
    "tournament": ["tournament", "random", "greedy", "--games=2", "--seed={number}"],
    "book": ["book", "build", "--board=4x4", "--plies=5", "--start={two}", "--out={file}.c4book"],
    "dataset": ["dataset", "build", "-o{file}", "--count=5", "--seed={number}", "--plies=30..40"],
}
"""Excludes `deep`, which joins a running job: a small one ends before the other command checks."""


@pytest.mark.parametrize("kind", COMMANDS)
def test_simultaneous_commands_make_one_job(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "c4.db"
    Database.open(str(path)).close()
    said = tmp_path / "said"
    with (
        said.open("w") as errors,
        ready(C4(tmp_path), errors.fileno()) as one,
        ready(C4(tmp_path), errors.fileno()) as other,
    ):
        for number in range(MANY_ROUNDS):
            two = f"{number % 4 + 1}{number // 4 % 4 + 1}{'12'[number // 16 % 2]}"
            for process, name in ((one, "one"), (other, "other")):
                file = f"{number}-{name}"
                options = (
                    part.format(number=number, two=two, file=file) for part in COMMANDS[kind]
                )
                process.begin("--quiet", "--db", str(path), *options)
            assert (one.code(), other.code()) == (0, 0), said.read_text()
    with Database.open(str(path)) as database, database.read() as session:
        made = jobs.list_jobs(session, limit=1000)
    assert len(made) == len({str(job.params) for job in made})
