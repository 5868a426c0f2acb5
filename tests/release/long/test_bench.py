"""``c4 bench`` with all its positions: every score is right."""

import json

from tests.support.running.command_line import C4


def test_all_positions_have_the_right_score(c4: C4) -> None:
    done = c4("bench", "--threads", "2", "--json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert not any(row["wrong"] or row["unsolved"] for row in rows)
