"""``c4 bench`` with all its positions, and benchmark programs with their smallest input."""

import json
from pathlib import Path

from c4core.proof.certificate import BOARDS
from tests.support.running.benchmarks import run
from tests.support.running.command_line import C4


def test_all_positions_have_the_right_score(c4: C4) -> None:
    done = c4("bench", "--threads", "2", "--json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert not any(row["wrong"] or row["unsolved"] for row in rows)


def test_shipped_certificates_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    assert run(tmp_path, "certificates", "shipped").count(", the same\n") == len(BOARDS)
