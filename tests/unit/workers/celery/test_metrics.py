"""Metrics, over HTTP and in a file."""

import re
import socket
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from prometheus_client.parser import text_string_to_metric_families

from c4core.version import ENGINE_VERSION, __version__
from workers.celery.metrics import MetricsSettings, RateMeter, WorkerCollector
from workers.celery.unit_worker import UnitCounters, WorkerSettings
from workers.core.kinds import Lane
from workers.core.run import UnitEnd, UnitReport
from workers.errors import BrokerUnreachableError, MetricsError


class Bell:
    is_away = False
    trouble: BrokerUnreachableError | None = None

    def depth(self, lane: Lane) -> int:
        if self.is_away:
            raise BrokerUnreachableError("away")
        return 5 if lane is Lane.BULK else 0


BELL = cast("Any", Bell())


def worker(counters: UnitCounters) -> Any:  # noqa: ANN401 (the parts of a worker that are used)
    return SimpleNamespace(
        counters=counters, leases=1, settings=WorkerSettings(name="ada", threads=3)
    )


def worked() -> UnitCounters:
    counters = UnitCounters()
    for _ in range(3):
        counters.begin()
    counters.end(UnitReport(UnitEnd.DONE, nodes=1000, seconds=0.5), 40)
    counters.end(UnitReport(UnitEnd.FAILED, error="oops"), 40)
    return counters


def samples(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_all_metrics_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "c4.prom"
    settings = MetricsSettings(port=0, address="127.0.0.1", file=file)
    with settings.exposition(worker(worked()), BELL) as tasks:
        for task in tasks:
            task.do()
        told = samples(file.read_text())
    expected = {
        ("c4_leases",): 1,
        ("c4_threads",): 3,
        ("c4_units_total", "done"): 1,
        ("c4_units_total", "failed"): 1,
        ("c4_units_total", "lost"): 0,
        ("c4_units_total", "handed_back"): 0,
        ("c4_positions_total",): 40,
        ("c4_nodes_total",): 1000,
        ("c4_solving_seconds_total",): 0.5,
        ("c4_queue_messages", Lane.BULK.queue): 5,
    }
    assert {name: told[name] for name in expected} == expected
    (labels,) = ({*labels} for name, *labels in told if name == "c4_worker_info")
    assert labels == {"ada", __version__, str(ENGINE_VERSION)}


def listening_at(port: int) -> set[str]:
    """The addresses with a listener on a port, in hexadecimal as Linux shows them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    places = [row[1].split(":") for row in rows if row[3] == "0A"]
    return {address for address, number in places if int(number, 16) == port}


ALONE = "127.0.0.77"
"""No other process listens there after a test, on any port."""


@pytest.mark.parametrize(
    ("address", "told", "shown"),
    [
        (None, "127.0.0.1", "0100007F"),
        (ALONE, ALONE, "4D00007F"),
        ("0.0.0.0", "0.0.0.0", "00000000"),  # noqa: S104
    ],
)
def test_the_server_listens_locally_by_default(
    address: str | None, told: str, shown: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = MetricsSettings(port=0) if address is None else MetricsSettings(0, address)
    with caplog.at_level("INFO", "c4.worker"), settings.exposition(worker(worked()), BELL):
        found = re.search(r"(http://(\S+):(\d+)/\S*)", caplog.messages[0])
        assert found is not None
        url, name, port = found.groups()
        assert name == told
        assert shown in listening_at(int(port))
        with urllib.request.urlopen(url) as answer:
            assert samples(answer.read().decode())["c4_positions_total",] == 40
    if address == ALONE:
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(url)


def test_a_used_port_and_an_impossible_file_are_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for settings, message in (
            (MetricsSettings(taken.getsockname()[1], "127.0.0.1"), "cannot listen on port"),
            (MetricsSettings(file=tmp_path / "no" / "such" / "file"), "cannot write"),
        ):
            with (
                pytest.raises(MetricsError, match=message),
                settings.exposition(worker(UnitCounters()), BELL),
            ):
                pass
    with MetricsSettings().exposition(worker(UnitCounters()), BELL) as tasks:
        assert tasks == []


def test_no_depth_is_reported_while_the_broker_is_unreachable() -> None:
    bell = Bell()
    collector = WorkerCollector(worker(UnitCounters()), cast("Any", bell))
    collector.look()
    assert collector.depths == {Lane.BULK: 5, Lane.INTERACTIVE: 0}
    bell.is_away = True
    with pytest.raises(BrokerUnreachableError):
        collector.look()
    assert collector.depths == {}


def test_the_rate_covers_the_last_minute() -> None:
    time = 0.0
    meter = RateMeter(lambda: time)
    assert meter.look(0) == 0
    time = 10.0
    assert meter.look(50) == 5
    for time in range(20, 200, 10):  # noqa: B007 (the meter reads it)
        rate = meter.look(50)
    assert rate == 0
