"""``c4 count``: the table, JSON, and stored counts."""

import json
import signal

from c4core.counting import load_count
from tests.support.running.command_line import C4


def test_json(c4: C4) -> None:
    done = c4("count", "--board", "5x4", "--json")
    said = json.loads(done.out)
    assert (said["board"], said["positions"]) == ("5x4", 3_945_711)
    assert said["plies"][7] == {"ply": 7, "positions": 8325, "won": 170, "nodes": 985}
    assert len(said["plies"]) == 21


def test_an_interrupted_count_is_stored(c4: C4) -> None:
    with c4.start("count", "--board", "6x6", "--keep", "half.c4count") as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        assert next(line for line in lines if line.split()[0] == "12").split()[1] == "3,596,076"
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate()
    assert process.returncode == 130
    assert "half.c4count: finished plies are kept; give the same command again to continue" in err
    assert "Traceback" not in err
    assert len(load_count(c4.directory / "half.c4count").plies) >= 12
