"""Brokers that cut connections, do not answer or refuse messages: work continues meanwhile."""

from collections.abc import Callable

import pytest

from tests.release.faults.ledger import Change, first_claim, held
from tests.release.faults.run import Answers, Run, Scenarios
from tests.support.running.server_process import Server
from tests.support.running.servers import RabbitMQServer, RedisServer

pytestmark = [pytest.mark.servers, pytest.mark.faults]

BEFORE_SECONDS = 2.0
SILENT_SECONDS = 30.0
ALARM_SECONDS = 20.0
PAUSE_SECONDS = 0.5

WITHOUT_BROKER = 3.0
"""Workers claim units from the database; a broker only tells the idle ones sooner."""

on_redis = pytest.mark.parametrize("broker_server", [RedisServer], indirect=True, ids=["redis"])
on_rabbitmq = pytest.mark.parametrize(
    "broker_server", [RabbitMQServer], indirect=True, ids=["rabbitmq"]
)


@on_redis
def test_connections_are_killed(
    scenarios: Scenarios, undisturbed: Answers, broker: RedisServer
) -> None:
    with scenarios.begin("CLIENT KILL TYPE normal", undisturbed) as run:

        def kill() -> None:
            with broker.client() as client:
                client.execute_command("CLIENT", "KILL", "TYPE", "normal")

        repeat(run, kill, times=20)


@on_rabbitmq
def test_connections_are_closed(
    scenarios: Scenarios, undisturbed: Answers, broker: RabbitMQServer
) -> None:
    with scenarios.begin("rabbitmqctl close_all_connections", undisturbed) as run:
        repeat(run, lambda: broker.control("close_all_connections", "a test"), times=10)


def test_the_broker_answers_nothing(
    scenarios: Scenarios, undisturbed: Answers, broker: Server
) -> None:
    fault = f"the broker answers nothing for {SILENT_SECONDS:g} s"
    with scenarios.begin(fault, undisturbed) as run:
        go_on_without(run, broker.pause, broker.resume, SILENT_SECONDS)


@on_rabbitmq
def test_the_broker_is_short_of_memory(
    scenarios: Scenarios, undisturbed: Answers, broker: RabbitMQServer
) -> None:
    def limit(watermark: str) -> None:
        broker.control("set_vm_memory_high_watermark", watermark)

    with scenarios.begin(f"memory alarm for {ALARM_SECONDS:g} s", undisturbed) as run:
        go_on_without(run, lambda: limit("0.0000001"), lambda: limit("0.4"), ALARM_SECONDS)


def repeat(run: Run, do: Callable[[], object], *, times: int) -> None:
    """Let a fault hit all workers repeatedly; new work must start after each fault."""
    over = []
    run.system.wait(BEFORE_SECONDS)
    for number in range(times):
        run.strike(*run.system.workers, passes=True)
        do()
        over.append(run.system.ledger.now())
        run.say(f"{number + 1}; {run.system.state()}")
        run.system.wait(PAUSE_SECONDS)
    changes = run.finish()
    ended = max(change.at for change in changes)
    hit = [since for since in over if since < ended]
    assert len(hit) > times // 2, "the job ended before the fault"
    new_work = (first_claim(changes, since) for since in hit if since < _last_claim(changes))
    run.figures.recovered("new work", new_work, WITHOUT_BROKER)


def go_on_without(
    run: Run, begin: Callable[[], object], end: Callable[[], object], seconds: float
) -> None:
    """Take the broker away for a time; the workers must start new work meanwhile."""
    run.system.wait(BEFORE_SECONDS)
    run.strike(*run.system.workers, passes=True)
    begin()
    since = run.system.ledger.now()
    run.system.wait(seconds)
    until = run.system.ledger.now()
    end()
    run.say(f"it is over; {run.system.state()}")
    changes = run.finish()
    owners = {change.taken_by for change in changes if change.taken_by}
    run.say(f"{len(held(changes, owners, since, until))} units meanwhile")
    last = _last_claim(changes)
    assert since < last, "the job ended before the fault"
    run.figures.recovered("new work", [first_claim(changes, since)], WITHOUT_BROKER)
    if until < last:
        after = [first_claim(changes, until)]
        run.figures.recovered("new work afterwards", after, WITHOUT_BROKER)


def _last_claim(changes: list[Change]) -> float:
    return max(change.at for change in changes if change.is_claim)
