"""Refusals of ``c4 worker`` and ``--broker``; tests/release/servers tests real work."""

from pathlib import Path

import pytest

from c4core.position import Position
from cli.positions.asking import LocalAsker
from tests.support.running.command_line import C4
from workers.answers.question import from_centre

NOWHERE = "redis://:hunter2@127.0.0.1:1/0"


@pytest.fixture
def c4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> C4:
    monkeypatch.delenv("C4_BROKER", raising=False)
    return C4(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [["analyze", "--sample"], ["analyze", "--sample", "--detach"], ["solve", "4455"]],
)
def test_an_unreachable_broker_is_reported_first(c4: C4, arguments: list[str]) -> None:
    assert c4("db", "init").code == 0
    done = c4("--broker", NOWHERE, *arguments)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("Error: cannot reach the broker redis://:***@127.0.0.1:1/0: ")
    assert c4("jobs", "list", "--jsonl").out == ""


def test_an_option_overrides_the_broker_in_the_environment(
    c4: C4, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("C4_BROKER", NOWHERE)
    assert c4("solve", "--no-book", "2252576253462244111563").code == 3
    assert c4("solve", "--no-book", "2252576253462244111563", "--broker", "none").code == 0
    assert c4("solve", "--no-book", "2252576253462244111563", "--no-store").code == 0
    assert c4("jobs", "list").code == 0  # works without a broker


@pytest.mark.parametrize("width", [4, 7, 8])
def test_the_engine_prefers_columns_in_this_order(width: int) -> None:
    columns = from_centre(width)
    assert sorted(columns) == list(range(width))
    # On a board of one row every column is a draw until one side has three in a row.
    asker = LocalAsker(None, table_mb=1, threads=1)
    line = asker.principal_variation(Position(board=(width, 1)))
    assert line[:4] == tuple(columns[:4])
