"""Storing behind the back of those who wait: all of it, until it is closed or may not."""

from pathlib import Path

import pytest

from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.errors import ReadOnlyError
from db.records.evaluations import StoredEvaluation
from tests.support.running.waiting import await_that
from workers.positions import keeping
from workers.positions.evaluate import look_up
from workers.positions.keeping import Keeper
from workers.positions.stop import Stop

POSITIONS = [Position(moves, width=5, height=4) for moves in ("12", "13", "1423")]


def row(position: Position) -> StoredEvaluation:
    return StoredEvaluation(
        key=position.canonical_key,
        width=position.width,
        height=position.height,
        ply=position.ply,
        lower=-1,
        upper=1,
        nodes=5,
        engine_version=ENGINE_VERSION,
    )


def test_all_is_stored_when_it_is_closed(sqlite_path: Path) -> None:
    other = Position("12")
    with Database.open(str(sqlite_path)) as database:
        keeper = Keeper(database)
        for position in (*POSITIONS, other):
            keeper.keep([row(position)])
        keeper.close()
        keeper.keep([row(Position("1423", width=5, height=4))])
        assert len(look_up(database, POSITIONS)) == 3
        assert look_up(database, [other])


def test_what_has_no_room_is_forgotten(sqlite_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST_WAITING", 1)
    monkeypatch.setattr(keeping, "GATHER_SECONDS", 60.0)
    with Database.open(str(sqlite_path)) as database:
        keeper = Keeper(database)
        for position in POSITIONS:
            keeper.keep([row(position)])
        keeper.close()
        assert len(look_up(database, POSITIONS)) == 1


def test_a_database_that_turns_out_to_be_read_only_is_left_alone(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def fail(*_: object) -> None:
        tried.append(1)
        raise ReadOnlyError("only read")

    monkeypatch.setattr(keeping, "store_learned", fail)
    with Database.open(str(sqlite_path)) as database:
        keeper = Keeper(database)
        keeper.keep([row(POSITIONS[0])])
        await_that(lambda: keeper._is_closed)
        keeper.keep([row(POSITIONS[1])])
        keeper.close()
    assert len(tried) == 1


def test_a_stop_tells_those_who_want_to_know() -> None:
    stop, told = Stop(), []
    with stop.calling(lambda: told.append("within")):
        stop.set()
        stop.set()
    stop.set()
    assert told == ["within", "within"]
    with stop.calling(lambda: told.append("at once")):
        assert told[-1] == "at once"
