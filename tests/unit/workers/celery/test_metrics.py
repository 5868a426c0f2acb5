"""A worker's metrics, over HTTP."""

import re
import socket
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from c4core.version import ENGINE_VERSION, __version__
from tests.support.running.waiting import HANG_SECONDS
from workers.celery.metrics import serve_metrics
from workers.core.kinds import UnitOutcome
from workers.core.run import UnitEnd, UnitReport
from workers.core.worker import UnitCounters, WorkerSettings
from workers.errors import MetricsError


def host(*, works: bool = True) -> Any:  # noqa: ANN401 (the parts of a host that are used)
    counters = UnitCounters()
    outcome = UnitOutcome([], {}, 1000, 0.5, {}, with_columns=True, is_complete=True)
    counters.add(UnitReport(UnitEnd.DONE, outcome), 40)
    counters.add(UnitReport(UnitEnd.FAILED, error="oops"), 40)
    worker = SimpleNamespace(counters=counters, leases=1)
    settings = WorkerSettings(name="ada", threads=3)
    return SimpleNamespace(settings=settings, worker=worker if works else None)


def samples(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def listening_at(port: int) -> set[str]:
    """The addresses with a listener on a port, in hexadecimal as Linux shows them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    places = [row[1].split(":") for row in rows if row[3] == "0A"]
    return {address for address, number in places if int(number, 16) == port}


def scraped(address: str, shown: str, caplog: pytest.LogCaptureFixture, served: Any) -> Any:  # noqa: ANN401
    with caplog.at_level("INFO", "c4.worker"):
        serve_metrics(served, 0, address)
    found = re.search(r"(http://(\S+):(\d+)/\S*)", caplog.messages[-1])
    assert found is not None
    assert found[2] == address
    assert shown in listening_at(int(found[3]))
    with urllib.request.urlopen(found[1]) as answer:
        return samples(answer.read().decode())


def test_all_metrics_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    told = scraped("127.0.0.1", "0100007F", caplog, host())
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
    }
    assert {name: told[name] for name in expected} == expected
    (labels,) = ({*labels} for name, *labels in told if name == "c4_worker_info")
    assert labels == {"ada", __version__, str(ENGINE_VERSION)}


def test_a_worker_that_waits_for_its_database_has_a_name(caplog: pytest.LogCaptureFixture) -> None:
    told = scraped("0.0.0.0", "00000000", caplog, host(works=False))  # noqa: S104
    assert told["c4_threads",] == 3
    assert ("c4_leases",) not in told


def test_an_idle_connection_is_closed(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.celery.metrics.IDLE_SECONDS", 0.1)
    with caplog.at_level("INFO", "c4.worker"):
        serve_metrics(host(), 0, "127.0.0.1")
    (port,) = re.findall(r":(\d+)/metrics", caplog.messages[-1])
    with socket.create_connection(("127.0.0.1", int(port)), HANG_SECONDS) as idle:
        assert idle.recv(1) == b""


def test_a_used_port_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(MetricsError, match="cannot listen on port"):
            serve_metrics(host(), taken.getsockname()[1], "127.0.0.1")
