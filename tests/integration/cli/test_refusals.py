"""Command lines that make no sense: every one is refused before anything is done.

The messages are in the snapshots; ``pytest --snapshot-update`` writes them anew.
"""

import shlex
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.running.command_line import C4

NOWHERE = "redis://:hunter2@127.0.0.1:1/0"
REFUSED = f"""
solve
solve 8
solve 4444444
solve 44 11223345
solve 4x
solve 44 --threads abc
solve --board seven
solve --board 9x9 ''
solve - 44
solve --all-moves 44
solve --pv --weak 44
solve --grid nowhere
solve --key 7
analyze nowhere
analyze .
analyze --sample x
analyze --sample --detach -o x
analyze --sample --detach --format csv
analyze --sample --threads 0
analyze --sample -o r.json
analyze --sample -o nowhere/deeper/x
book build --plies 2 --output nowhere/deeper/x
dataset build --count 3 --plies 20 --output nowhere/deeper/x
deep
deep 1212121
deep 48
deep 4 --resume
deep 4 --resume --weak
deep 4 --resume --label x
deep 4 --split-plies 13
deep 4 --split-plies deep
deep 4 --split-plies {"9" * 50}
deep 4 --unit-nodes 0
deep 4 --board 20x9
show
show 4z
show 44 --game
show 44 --game -o x.png
show 44 -o x.pdf
show 44 -o no/such/x.svg
show 44 --game --scores -o x.svg
show 44 --grid nothing
show 44 --board 99x1
review
review 4z
review files
review 48
review nothing.txt
review - -
review 1:0 --no-store
review 44 --summary --boards
review 44 --summary --json
review 44 --detach --no-store
review 44 --plot x.txt
review 44 --plot no/such/x.svg
review 44 --board 0x1
review 44 --time-limit -1
review 44 33 --plot x.svg
review 1:99
review 7:0
review 1:99999999999999999999999 --json
query --line
query 44 --ply 2
query 44 --sort nodes
query 44 --desc
query 44 --open
query --count 44
query --after x
query --ply 3..1
query 8
query --book nope
query '{{"key": 4432676798593}}' --line
query --count --limit 1
query --count --desc
query --count --boards
query --boards --json
query --boards --csv
query --output q.txt
query --job 999
query --job 1
query --board 4x4 --book no.c4book
query --board 4x4 --book shipped
jobs show abc
jobs show 99
jobs cancel 99
jobs resume 99
jobs retry 99
jobs results 99
jobs watch 99
jobs results 1 --format csv
match set
match set nobody
match hard:depth=3 easy
match set pvs:depth=0
match set random --swap --shuffle
match set random --games 0
match set random --seed -1
match set random --sprt 20
match set random --sprt 5..5
match set random --sprt 0..7000
match set random --sprt 0..inf
match set random --sprt nan..20
match set random --judge some
match set random --start 8
match set random --start 4343434
match set random --board 3x3
match set random --corpus 9
match set random --plot x.bmp
match set random --plot no/x.svg
match set random -o nowhere/deeper/x
match set random -o x.jsonl
match set random -o x --detach
match set random --plot x.svg --detach
tournament set
tournament set set
tournament set random --both-ways
tournament set --against random --themselves
tournament blog-v6:depth=3..1 set
tournament montecarlo-flat:simulations=1..200
tournament set random -o nowhere/deeper/x
tournament set random -o x --detach
games show 1
games show 1:99
games show 9:0
games replay 9:0
games replay '1;0'
games replay 1:0 1:99
games list 9
games list --length 9..2
games export 9
games export --mirrors
games export -o nowhere/deeper/x
games export -o out.json
games export -o out.parquet
games delete 9
games delete abc
games import -
games import nothing.jsonl
games report 9
games report 1 --output nowhere/deeper/x
games report 1 --plot nowhere/deeper/x.svg
players show perfct
players show blog-v6:depth=99
play
play --plain --first nobody
play --plain --second alphabeta:depth=x
play --plain --board 3x3
play --plain --moves 48
play --plain --moves 4444444
play --plain --resume --new
play --plain --resume --first hard
play --plain --resume
play --plain --file /nowhere/game
play --plain --file .
play --plain --file notes
play --plain --file notes --new
engine --board 40x4
engine --book none.c4book
engine --table-mb 0
worker
worker --broker none
worker --broker memory://
worker --broker {NOWHERE} --queues fast
worker --broker {NOWHERE} --queues ''
worker --broker {NOWHERE} --metrics-port http
worker --broker {NOWHERE} --metrics-port 127.0.0.1:65536
worker --broker {NOWHERE} --threads 0
certificate verify 9x7
certificate import entries.json diagrams.json --start 1212121
certificate import entries.json diagrams.json --board 5x4 --start 9
prove 1212121 --out no.c4proof
db backup notes
db backup nowhere/deeper/x
""".strip().splitlines()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A letter, a folder, and a database in which job 1 has played match 1."""
    c4 = C4(tmp_path_factory.mktemp("refusals"))
    assert c4("match", "random", "stupid", "--games", "2", "--judge", "none", "-q").code == 0
    (c4.directory / "notes").write_text("a letter to my aunt")
    (c4.directory / "files").mkdir()
    for name in ("entries.json", "diagrams.json"):
        (c4.directory / name).write_text("{}")
    return c4.directory


@pytest.fixture
def c4(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> C4:
    monkeypatch.delenv("C4_BROKER", raising=False)
    return C4(Path(shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)))


@pytest.mark.parametrize("line", REFUSED)
def test_a_command_line_is_refused(c4: C4, line: str, snapshot: SnapshotAssertion) -> None:
    before = {path.name for path in c4.directory.iterdir()}
    done = c4(*shlex.split(line))
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert "hunter2" not in done.err
    assert done.err.replace(str(c4.directory), "DIRECTORY") == snapshot
    # Nothing was begun: no file, no job and no match.
    assert {path.name for path in c4.directory.iterdir()} - before <= {"data"}
    assert (c4.directory / "notes").read_text() == "a letter to my aunt"
    assert [row["job"] for row in c4("jobs", "list", "--jsonl").objects] == [1]
