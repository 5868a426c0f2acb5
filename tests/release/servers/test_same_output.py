"""Commands whose work two workers do over a broker, although one is killed."""

import pytest

from db.records.jobs import JobState, UnitState
from tests.support.boards.games import LIVELY
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from tests.support.running.watching import units

pytestmark = pytest.mark.servers


COMMANDS = {
    "book": ("book", "build", "--board=5x5", "--plies=8", "--table-mb=8", "--output=output"),
    "certificate": ("prove", "", "--board=7x5", "--at-most=0", "--table-mb=8", "--output=output"),
    "review": ("review", "games.txt", "--jsonl", "--output=output"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_equals_that_of_one_process(service: Service, name: str) -> None:
    games = "".join(f"{LIVELY[:length]}\n" for length in range(14, 24))
    (service.directory / "games.txt").write_text(games)
    output = service.directory / "output"
    alone = service("--broker=none", "--db=alone.db", *COMMANDS[name])
    assert alone.code == 0, alone.err
    expected = output.read_bytes()
    output.unlink()
    with (
        service.process("-m", "cli", *COMMANDS[name]) as command,
        service.worker("--threads=1", name="ada"),
        service.worker("--threads=1", name="bob") as victim,
    ):
        await_that(lambda: units(service.database_url)[UnitState.DONE] >= 1, victim)
        victim.process.kill()
        await_that(lambda: command.process.poll() is not None)
        assert command.process.returncode == 0, command.log
    assert output.read_bytes() == expected
    job = service.job(1)
    assert job.state is JobState.DONE
    assert job.units[UnitState.DONE] == sum(job.units.values())
