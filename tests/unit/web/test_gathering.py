"""Looking up in a thread: each gets its own answer, and nobody waits for ever."""

import asyncio
import threading
from pathlib import Path

import pytest

from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from db.errors import UnreachableError
from db.records.evaluations import StoredEvaluation
from web import gathering
from web.gathering import Gathering
from web.known import LONGEST_QUESTION, Known
from workers.answers.find import evaluate, look_up
from workers.answers.question import Question

STORED = [Position(moves, width=5, height=4) for moves in ("1213", "3452", "1223")]
OTHERS = [Position("12", width=5, height=4), Position("2252576253462244111563365343671351441")]


async def find_all(found: Gathering, positions: list[Position]) -> list[StoredEvaluation | None]:
    return await asyncio.gather(*(found.find(position) for position in positions))


def test_each_gets_its_own_answer(sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database:
        evaluate(STORED, Question(), Solver(), database)
        found = Gathering(database)
        asked = [*STORED, *OTHERS, *(position.mirrored() for position in STORED)] * 50
        answers = asyncio.run(find_all(found, asked))
        found.close()
    for position, answer in zip(asked, answers, strict=True):
        if position in OTHERS:
            assert answer is None
        else:
            assert answer is not None
            assert answer.key == position.canonical_key


def test_questions_of_one_moment_are_one_query(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    sizes = []

    def slow(database: Database, positions: list[Position]) -> dict[int, StoredEvaluation]:
        may_go_on.wait()
        sizes.append(len(positions))
        return look_up(database, positions)

    monkeypatch.setattr(gathering, "look_up", slow)

    async def ask(found: Gathering) -> None:
        asking = asyncio.ensure_future(find_all(found, STORED * 100))
        for _ in range(3):  # turns of the event loop, by which all have asked
            await asyncio.sleep(0)
        may_go_on.set()
        await asking

    with Database.open(str(sqlite_path)) as database:
        found = Gathering(database)
        asyncio.run(ask(found))
        found.close()
    assert sum(sizes) == 300
    assert len(sizes) <= 2


@pytest.mark.parametrize("error", [UnreachableError("away"), KeyError("a fault")])
def test_a_database_that_fails_knows_nothing(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    with Database.open(str(sqlite_path)) as database:
        found = Gathering(database)
        monkeypatch.setattr(gathering, "look_up", fail)
        assert asyncio.run(find_all(found, STORED)) == [None] * 3
        monkeypatch.setattr(gathering, "look_up", look_up)
        assert asyncio.run(find_all(found, STORED)) == [None] * 3
        found.close()


def test_answers_are_kept_in_bounds() -> None:
    known = Known(2)
    known.keep("/a", b"1", b"one")
    known.keep("/a", b"2", b"two")
    assert known.find("/a", b"1") == b"one"
    known.keep("/b", b"1", b"three")
    assert known.find("/a", b"2") is None  # nobody had asked for it since
    assert known.find("/a", b"1") == b"one"
    assert known.find("/b", b"1") == b"three"
    known.keep("/a", b"x" * (LONGEST_QUESTION + 1), b"four")
    assert known.find("/a", b"x" * (LONGEST_QUESTION + 1)) is None
