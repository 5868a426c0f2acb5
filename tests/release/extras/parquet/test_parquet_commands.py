"""Parquet files written by commands have the same rows as the other formats."""

import pyarrow.parquet as pq

from tests.support.boards.games import EASY
from tests.support.running.command_line import C4


def test_stored_positions(c4: C4) -> None:
    lines = "".join(f"{EASY[:length]}\n" for length in range(28, len(EASY) + 1))
    assert c4("analyze", "-q", "-", stdin=lines).code == 0
    assert c4("query", "-o", "q.parquet").code == 0
    assert pq.read_table(c4.directory / "q.parquet").to_pylist() == c4("query", "--jsonl").objects
    assert c4("query", "-o", "none.parquet", "--ply", "3").code == 0
    assert pq.read_table(c4.directory / "none.parquet").num_rows == 0
    assert c4("query", "-o", "count.parquet", "--count").code == 0
    assert pq.read_table(c4.directory / "count.parquet").to_pylist() == [{"count": 10}]


def test_answers_of_a_job(c4: C4) -> None:
    lines = f"{EASY}\n99\n{EASY}6\n"
    c4("analyze", "-q", "-", stdin=lines)
    assert c4("analyze", "-o", "r.parquet", "-", stdin=lines).code == 1
    rows = pq.read_table(c4.directory / "r.parquet").to_pylist()
    objects = c4("analyze", "-", stdin=lines).objects
    for row, fields in zip(rows, objects, strict=True):
        known = {name: row[name] for name in fields if name != "seconds"}
        assert known == {name: fields[name] for name in known}
    odd = '{"id": "\\ud800", "moves": "' + EASY + '"}'  # half of a surrogate pair, as JSON allows
    assert c4("analyze", "-o", "odd.parquet", "-", stdin=odd).code == 0
    assert pq.read_table(c4.directory / "odd.parquet").to_pylist()[0]["id"] == "\\ud800"
    job = c4("analyze", "--detach", "-q", "-", stdin=lines).out.strip()
    assert c4("jobs", "resume", job, "--output", "again.parquet").code == 1
    assert pq.read_table(c4.directory / "again.parquet").num_rows == len(rows)
