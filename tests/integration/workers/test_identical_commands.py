"""The same simultaneous request from several clients makes one job, for every kind."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np
import pytest

from c4core.arena.file_formats import game_of_moves
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from db import games, jobs
from db.database import Database
from db.errors import MatchInUseError, MatchNotFoundError
from db.records.games import StoredGame
from db.records.jobs import JobState
from tests.support.boards.books import source
from tests.support.boards.matches import terms
from tests.support.running.databases import ask, do
from tests.support.running.waiting import HANG_SECONDS
from workers.book.build import BookPlan
from workers.dataset.making import labelling_job
from workers.deep.job import join_or_submit
from workers.deep.task import DeepTask
from workers.match.files import game_of, import_games
from workers.match.job import find_or_plan_matches
from workers.match.judging import plan_judging
from workers.prove.job import job_for
from workers.prove.task import ProofTask

ROUNDS = 3
AT_ONCE = 4


def at_the_same_moment(*calls: Callable[[], object]) -> list[object]:
    """Start calls at the same moment, each in its own thread; return their results."""
    together = threading.Barrier(len(calls))

    def begin(call: Callable[[], object]) -> object:
        together.wait(HANG_SECONDS)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        begun = [pool.submit(begin, call) for call in calls]
        return [each.result(timeout=HANG_SECONDS) for each in begun]


def match(database: Database, number: int) -> object:
    return find_or_plan_matches(database, [terms(games=2, seed=number)])


def tournament(database: Database, number: int) -> object:
    asked = terms(games=2, seed=number)
    other = replace(asked, player_b="greedy")
    return find_or_plan_matches(database, [asked, other, replace(asked, games=4)])


def book(database: Database, number: int) -> object:
    planned = BookPlan(BoardSize(4 + number % 2, 4), 2 + number // 2)
    return source(database).job(planned.task, planned.levels)


def dataset(database: Database, number: int) -> object:
    keys = np.array([Position("44" + "1" * number).canonical_key], dtype=np.uint64)
    return labelling_job(database, keys, board=BoardSize(7, 6))


def proof(database: Database, number: int) -> object:
    return job_for(database, ProofTask(Position("1" * number, width=5, height=4)))


def deep(database: Database, number: int) -> object:
    # On a board of five columns the mirror image is the same question.
    asked = str(1 + number if next(DEEP) % 2 else 5 - number)
    task = DeepTask(Position(asked, width=5, height=4), asked)
    return join_or_submit(database, task)[0]


def judging(database: Database, number: int) -> object:
    (imported,) = ask(database, games.list_matches)
    planned = plan_judging(database, [imported.id], least_ply=12 - number)
    return None if planned is None else planned.job_id


DEEP = count()
"""Counts the deep jobs requested."""

KINDS: dict[str, Callable[[Database, int], object]] = {
    kind.__name__: kind for kind in (match, tournament, book, dataset, deep, proof, judging)
}
"""Each makes a request that no previous round has made."""


def stored(moves: str) -> StoredGame:
    return game_of(game_of_moves(moves, DEFAULT_BOARD), player_a=None)


@pytest.mark.parametrize("kind", KINDS)
def test_simultaneous_requests_make_one_job(kind: str, database: Database) -> None:
    if kind == "judging":
        lines = (f"{c}{c}{c}{c}{c}{c}1213141" for c in "765")
        import_games(database, map(stored, lines))
    for number in range(ROUNDS):
        request = partial(KINDS[kind], database, number)
        assert len(set(at_the_same_moment(*[request] * AT_ONCE))) == 1
    made = ask(database, jobs.list_jobs, limit=100)
    matches = ask(database, games.list_matches, limit=100)
    assert len(made) == ROUNDS
    if kind != "deep":  # a job this small may already be done
        assert all(job.state is JobState.RUNNING for job in made)
    per_job = {"match": ROUNDS, "tournament": 3 * ROUNDS, "judging": 1}
    assert len(matches) == per_job.get(kind, 0)


def test_the_corpus_of_a_new_match_is_not_deleted(database: Database) -> None:
    """Either the match is created and its corpus stays, or the match is not created."""
    for _ in range(ROUNDS):
        used = import_games(database, [stored("1213141")]).match_id
        asked = terms(player_a="matcher", corpus=(used,))

        def succeeds(action: Callable[..., object], *arguments: object) -> bool:
            with suppress(MatchInUseError, MatchNotFoundError):
                do(database, action, *arguments)
                return True
            return False

        deleted, made = at_the_same_moment(
            partial(succeeds, games.delete_match, used),
            partial(succeeds, games.create_match, asked),
        )
        assert deleted is not made
