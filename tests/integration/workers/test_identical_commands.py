"""The same asked by several in the same moment: one job, whatever its kind."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.reachable import open_plies
from db import games, jobs
from db.database import Database
from db.errors import MatchInUseError, MatchNotFoundError
from db.records.jobs import JobState
from db.records.terms import MatchTerms
from tests.support.boards.books import source
from tests.support.running.command_line import C4
from tests.support.running.command_process import ready
from workers.books.task import PlyTask
from workers.certificates.planning import job_for
from workers.certificates.task import ProofTask
from workers.dataset.labelling import labelling_job
from workers.deep.planning import join_or_submit
from workers.deep.task import DeepTask
from workers.matches.files.importing import game_of_moves, import_games
from workers.matches.judging import plan_judging
from workers.matches.planning import find_or_plan_matches

ROUNDS = 5
AT_ONCE = 4
MANY_ROUNDS = 50

Ask = Callable[[Database, int], object]
"""Asks for something, other than in the rounds before."""


def at_once(*calls: Callable[[], object]) -> list[object]:
    """What calls give that begin in the same moment, each in a thread of its own."""
    together = threading.Barrier(len(calls))

    def begin(call: Callable[[], object]) -> object:
        together.wait(30)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        begun = [pool.submit(begin, call) for call in calls]
        return [each.result(timeout=60) for each in begun]


def terms(number: int, **options: object) -> MatchTerms:
    asked = MatchTerms(player_a="random", player_b="random", games=2, seed=number)
    return replace(asked, **options)


def match(database: Database, number: int) -> object:
    return find_or_plan_matches(database, [terms(number)])


def tournament(database: Database, number: int) -> object:
    return find_or_plan_matches(
        database, [terms(number), terms(number, player_b="greedy"), terms(number, games=4)]
    )


def book(database: Database, number: int) -> object:
    start = Position(str(1 + number % 5) + str(1 + number // 5), width=5, height=4)
    levels = list(islice(open_plies(start), 3))
    return source(database).job(PlyTask(start, start.ply + 2), levels)


def dataset(database: Database, number: int) -> object:
    keys = np.array(sorted({Position("44" + "1" * (number % 5)).canonical_key}), dtype=np.uint64)
    return labelling_job(database, keys, board=BoardSize(7, 6))


def proof(database: Database, number: int) -> object:
    return job_for(database, ProofTask(Position("1" * number, width=5, height=4)))


def deep(database: Database, number: int) -> object:
    moves = str(1 + number)
    mirrored = str(5 - number)  # of a board of five columns: the same question
    asked = moves if threading.get_ident() % 2 else mirrored
    task = DeepTask(Position(asked, width=5, height=4), asked)
    return join_or_submit(database, task)[0]


def judging(database: Database, number: int) -> object:
    with database.read() as session:
        (imported,) = games.list_matches(session)
    planned = plan_judging(database, [imported.id], least_ply=12 - number)
    return None if planned is None else planned.job_id


KINDS: dict[str, Ask] = {
    "match": match,
    "tournament": tournament,
    "book": book,
    "dataset": dataset,
    "deep": deep,
    "proof": proof,
    "judging": judging,
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_of_them_makes_the_job(kind: str, database: Database) -> None:
    if kind == "judging":
        lines = (f"{c}{c}{c}{c}{c}{c}1213141" for c in "765")
        import_games(database, map(game_of_moves, lines))
    for number in range(ROUNDS):
        assert len(set(at_once(*[partial(KINDS[kind], database, number)] * AT_ONCE))) == 1
    with database.read() as session:
        made = jobs.list_jobs(session, limit=100)
        matches = games.list_matches(session, limit=100)
    if kind == "deep":  # its questions are each other's mirror images
        assert len(made) == 3
    else:
        assert len(made) == ROUNDS
        assert all(job.state is JobState.RUNNING for job in made)
    per_job = {"match": ROUNDS, "tournament": 3 * ROUNDS, "judging": 1}
    assert len(matches) == per_job.get(kind, 0)


@pytest.mark.parametrize("rounds", [3, pytest.param(25, marks=pytest.mark.long)])
def test_no_corpus_is_deleted_under_a_match_that_is_made(database: Database, rounds: int) -> None:
    """Either the match is made, and what it looks up stays; or it is not."""
    for _ in range(rounds):
        used = import_games(database, [game_of_moves("1213141")]).match_id
        asked = terms(1, player_a="matcher", corpus=(used,))

        def delete(used: int = used) -> bool:
            with suppress(MatchInUseError):
                database.run(lambda session: games.delete_match(session, used))
                return True
            return False

        def make(asked: MatchTerms = asked) -> bool:
            with suppress(MatchNotFoundError):
                database.run(lambda session: games.create_match(session, asked))
                return True
            return False

        deleted, made = at_once(delete, make)
        assert deleted is not made


COMMANDS = {
    "match": ["match", "random", "random", "--games=2", "--seed={number}"],
    "tournament": ["tournament", "random", "greedy", "--games=2", "--seed={number}"],
    "book": ["book", "build", "--board=4x4", "--plies=5", "--start={two}", "--out={file}.c4book"],
    "dataset": ["dataset", "build", "-o{file}", "--count=5", "--seed={number}", "--plies=30..40"],
}
"""Not `deep`: it joins a job that runs, and one so small is done before the other command looks."""


@pytest.mark.long
@pytest.mark.parametrize("kind", COMMANDS)
def test_commands_at_once_make_one_job(kind: str, tmp_path: Path) -> None:
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
