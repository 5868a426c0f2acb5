"""Failures of brokers, the database and the network: work resumes by itself afterwards."""

import os
import signal
from collections.abc import Callable

import pytest

from tests.release.faults.ledger import first_claim
from tests.release.faults.link import DistantPostgreSQL
from tests.release.faults.run import Answers, Run, Scenarios
from tests.support.running.server_process import Server
from tests.support.running.servers import PostgreSQLServer

pytestmark = [pytest.mark.servers, pytest.mark.faults]

AWAY_SECONDS = 3.0
"""Longer than a unit takes: when the service returns, no worker is busy."""
BEFORE_SECONDS = 2.0
"""Time for the work to get going."""
CUT_SECONDS = 30.0

AFTER_BROKER, AFTER_DATABASE = 3.0, 10.0


def test_the_broker_is_killed(scenarios: Scenarios, undisturbed: Answers, broker: Server) -> None:
    with scenarios.begin("the broker is killed (-9) and started", undisturbed) as run:

        def restart() -> None:
            broker.kill()
            run.system.wait(AWAY_SECONDS)
            broker.start()

        note_recovery(run, restart, AFTER_BROKER)


def test_the_broker_is_wiped(scenarios: Scenarios, undisturbed: Answers, broker: Server) -> None:
    with scenarios.begin("the broker is wiped empty", undisturbed) as run:
        note_recovery(run, broker.wipe, AFTER_BROKER)


def test_the_database_is_stopped_at_once(
    scenarios: Scenarios, undisturbed: Answers, database_server: PostgreSQLServer
) -> None:
    with scenarios.begin("PostgreSQL is restarted (-m immediate)", undisturbed) as run:

        def restart() -> None:
            database_server.stop(signal.SIGQUIT)  # the signal of -m immediate
            run.system.wait(AWAY_SECONDS)
            database_server.start()

        note_recovery(run, restart, AFTER_DATABASE)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a network to be cut")
def test_the_network_is_cut(scenarios: Scenarios, undisturbed: Answers) -> None:
    fault = f"the network to the database is cut for {CUT_SECONDS:g} s"
    with (
        DistantPostgreSQL() as server,
        scenarios.elsewhere(server).begin(fault, undisturbed, reach=server.by_link) as run,
    ):

        def cut() -> None:
            server.cut()
            run.system.wait(CUT_SECONDS)
            server.mend()

        note_recovery(run, cut, AFTER_DATABASE)


def note_recovery(run: Run, do: Callable[[], None], limit: float) -> None:
    """Let a fault hit all workers, and measure when each had new work afterwards."""
    workers = run.system.workers
    run.system.wait(BEFORE_SECONDS)
    strike = run.strike(*workers, passes=True)
    do()
    # Units that were claimed just before the fault took effect are in flight, too.
    strike.until = over = run.system.ledger.now()
    run.say(f"it is over; {run.system.state()}")
    changes = run.finish()
    run.figures.recovered("new work", [first_claim(changes, over)], limit)
    each = (first_claim(changes, over, worker.label) for worker in workers)
    run.figures.recovered("for every worker", each, limit)
