"""``c4 count``: JSON."""

import json

from tests.support.running.command_line import C4


def test_json(c4: C4) -> None:
    done = c4("count", "--board", "5x4", "--json")
    said = json.loads(done.out)
    assert (said["board"], said["positions"]) == ("5x4", 3_945_711)
    assert said["plies"][7] == {"ply": 7, "positions": 8325, "won": 170, "nodes": 985}
    assert len(said["plies"]) == 21
