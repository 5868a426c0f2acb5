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


def test_a_stored_count_continues(c4: C4) -> None:
    command = ("count", "--board", "4x4", "--keep", "small.c4count")
    first = c4(*command)
    again = c4(*command)
    assert again.out == first.out
    assert "small.c4count: 17 plies are counted already" in again.err
    other = c4("count", "--board", "4x5", "--keep", "small.c4count")
    assert other.code == 2
    assert "it counts a board of 4x4, not of 4x5" in other.err


def test_other_files_are_not_replaced(c4: C4) -> None:
    (c4.directory / "notes").write_text("words")
    done = c4("count", "--board", "4x4", "--keep", "notes")
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("notes: it is cut short\n")
    assert (c4.directory / "notes").read_text() == "words"


def test_too_little_memory_is_an_error(c4: C4) -> None:
    done = c4("count", "--board", "6x6", "--memory-mb", "1")
    assert done.code == 1
    assert "Error: the diagrams need more than 1 MB of memory; --memory-mb allows more" in done.err


def test_an_interrupted_count_is_stored(c4: C4) -> None:
    with c4.start("count", "--board", "6x6", "--keep", "half.c4count") as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        assert next(line for line in lines if line.split()[0] == "12").split()[1] == "3,596,076"
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate()
    assert process.returncode == 130
    assert "half.c4count: finished plies are kept; give the same command again to go on" in err
    assert "Traceback" not in err
    assert len(load_count(c4.directory / "half.c4count").plies) >= 12
