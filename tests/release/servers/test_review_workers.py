"""``c4 review`` with workers at a broker."""

import subprocess

import pytest

from tests.support.boards.games import LIVELY
from tests.support.running.command_line import C4


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Use the shipped book, as users do: openings are known at once."""


@pytest.mark.servers
def test_workers_find_the_scores(c4: C4, broker_url: str, empty_url: str) -> None:
    """The output with a worker equals that of a single process."""
    games = "".join(f"{LIVELY[:length]}\n" for length in range(14, 24))
    (c4.directory / "games.txt").write_text(games)
    alone = c4("review", "games.txt", "--jsonl", "-q")
    there = ("--db", empty_url, "--broker", broker_url)
    assert c4("--db", empty_url, "db", "init").code == 0
    worker = (*there, "worker", "--threads", "1", "--table-mb", "8")
    quiet = {"warnings": "default", "stderr": subprocess.DEVNULL}
    with c4.start(*worker, "--name", "ada", **quiet) as ada:
        try:
            with c4.start(*there, "review", "games.txt", "--jsonl", "-q") as review:
                out, errors = review.communicate(timeout=600)
            assert review.returncode == 0, errors
        finally:
            ada.terminate()
    assert out == alone.out
