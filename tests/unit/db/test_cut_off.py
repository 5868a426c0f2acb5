"""A transaction that Ctrl-C has cut off leaves nothing behind that stands in the way of others."""

import contextlib
from pathlib import Path

import pytest
from sqlalchemy import text

from db import engine
from db.database import Database


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_a_reader_that_was_cut_off_stops_no_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.2)
    url = f"sqlite:///{tmp_path / 'c4.db'}"
    with Database.open(url) as database, Database.open(url) as other:
        left_open = []
        with contextlib.suppress(error), database.read() as session:
            left_open.append(session.execute(text("SELECT * FROM sqlite_master")).cursor)
            left_open[0].fetchone()
            raise error
        for each in (other, database, database):
            each.run(lambda session: session.execute(text("CREATE TABLE IF NOT EXISTS x (y)")))
            each.run(lambda session: session.execute(text("INSERT INTO x VALUES (1)")))
        with database.read() as session:
            assert session.execute(text("SELECT count(*) FROM x")).scalar() == 3
