"""A worker's metrics for Prometheus, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, cast

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.registry import Collector

from c4core.version import ENGINE_VERSION, __version__
from workers.core.run import UnitEnd
from workers.errors import MetricsError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from socketserver import StreamRequestHandler

    from prometheus_client.core import Metric

    from workers.core.worker import Worker, WorkerSettings


IDLE_SECONDS: Final = 10.0
"""A connection without a request is closed after this time; each has a thread."""


class Watched(Protocol):
    """A process whose metrics are served."""

    settings: WorkerSettings
    worker: Worker | None
    """None while it waits for its database."""


class WorkerCollector(Collector):
    """Collects the metrics of one worker process from its counters."""

    def __init__(self, host: Watched) -> None:
        self._host = host

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics; called by the registry."""
        settings, worker = self._host.settings, self._host.worker
        info = {
            "name": settings.name,
            "version": __version__,
            "engine_version": str(ENGINE_VERSION),
        }
        yield InfoMetricFamily("c4_worker", "Name and version of this worker.", info)
        yield GaugeMetricFamily("c4_threads", "Units worked on at a time.", settings.threads)
        if worker is None:
            return  # it waits for its database
        counters = worker.counters
        yield GaugeMetricFamily("c4_leases", "Units being worked on, under a lease.", worker.leases)
        units = CounterMetricFamily("c4_units", "Units by how they ended.", labels=["end"])
        for end in UnitEnd:
            units.add_metric([end.name.lower()], counters.units[end])
        yield units
        yield CounterMetricFamily("c4_positions", "Positions in units done.", counters.positions)
        yield CounterMetricFamily("c4_nodes", "Positions visited by searches.", counters.nodes)
        yield CounterMetricFamily(
            "c4_solving_seconds", "Time spent searching, summed over threads.", counters.seconds
        )


def serve_metrics(host: Watched, port: int, address: str) -> None:
    """Serve the metrics of a worker until the process ends; 0 is any free port.

    Raises:
        MetricsError: the port cannot be used.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(WorkerCollector(host))
    try:
        server, _thread = start_http_server(port, address, registry)
        handler = cast("type[StreamRequestHandler]", server.RequestHandlerClass)
        handler.timeout = IDLE_SECONDS
    except OSError as error:
        raise MetricsError(f"cannot listen on port {port}: {error.strerror or error}") from error
    LOGGER.info("metrics at http://%s:%d/metrics", address, server.server_port)
