"""A worker's metrics for Prometheus: over HTTP, or in a file for the node exporter."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, start_http_server, write_to_textfile
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.registry import Collector

from c4core.version import ENGINE_VERSION, __version__
from workers.core.leases import PeriodicTask
from workers.core.run import UnitEnd
from workers.errors import BrokerUnreachableError, MetricsError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from prometheus_client.core import Metric

    from workers.celery.doorbell import Doorbell
    from workers.celery.unit_worker import UnitWorker
    from workers.core.kinds import Lane

REFRESH_SECONDS: Final = 5.0
"""Time between two reads of the queues' depths, and between two versions of the file."""

LOOPBACK: Final = "127.0.0.1"
"""The default address: only this machine, because metrics show the amount of work."""

RATE_SECONDS: Final = 60.0
"""The time that the rate covers, up to now."""


class RateMeter:
    """Positions per second over the last minute, by a monotonic clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looks = [(clock(), 0)]

    def look(self, positions: int) -> float:
        """Return the rate, given the number of positions done so far."""
        now = self._clock()
        self._looks.append((now, positions))
        while self._looks[1][0] < now - RATE_SECONDS:
            del self._looks[0]
        since, before = self._looks[0]
        return (positions - before) / max(now - since, 1e-9)


class WorkerCollector(Collector):
    """Collects the metrics of one worker process from its counters."""

    def __init__(self, unit_worker: UnitWorker, doorbell: Doorbell) -> None:
        self.depths: dict[Lane, int] = {}
        """The recent number of waiting messages by lane; empty while the broker is unreachable."""
        self._unit_worker = unit_worker
        self._doorbell = doorbell
        self._rate = RateMeter()

    def look(self) -> None:
        """Ask the broker for the depths of the queues in advance: a scrape must not wait for it."""
        lanes = self._unit_worker.settings.lanes
        try:
            self.depths = {lane: self._doorbell.depth(lane) for lane in lanes}
        except BrokerUnreachableError:
            self.depths = {}
            raise

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics; called by the registry."""
        counters, settings = self._unit_worker.counters, self._unit_worker.settings
        info = {
            "name": settings.name,
            "version": __version__,
            "engine_version": str(ENGINE_VERSION),
        }
        yield InfoMetricFamily("c4_worker", "Name and version of this worker.", info)
        yield GaugeMetricFamily("c4_threads", "Units worked on at a time.", settings.threads)
        yield GaugeMetricFamily(
            "c4_leases", "Units being worked on, under a lease.", self._unit_worker.leases
        )
        units = CounterMetricFamily("c4_units", "Units by how they ended.", labels=["end"])
        for end in UnitEnd:
            units.add_metric([end.name.lower()], counters.units[end])
        yield units
        yield CounterMetricFamily("c4_positions", "Positions in units done.", counters.positions)
        yield CounterMetricFamily("c4_nodes", "Positions visited by searches.", counters.nodes)
        yield CounterMetricFamily(
            "c4_solving_seconds", "Time spent searching, summed over threads.", counters.seconds
        )
        yield GaugeMetricFamily(
            "c4_positions_per_second",
            "Positions done a second, within the last minute.",
            self._rate.look(counters.positions),
        )
        yield GaugeMetricFamily(
            "c4_broker_up",
            "1 while the broker takes messages, else 0.",
            self._doorbell.trouble is None,
        )
        depth = GaugeMetricFamily(
            "c4_queue_messages", "Messages waiting at the broker.", labels=["queue"]
        )
        for lane, messages in self.depths.items():
            depth.add_metric([lane.queue], messages)
        yield depth


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """The port, address and file for a worker's metrics."""

    port: int | None = None
    """Port for HTTP; 0 for any free one, None to serve nothing."""
    address: str = LOOPBACK
    """The address to listen at; ``0.0.0.0`` for all addresses of this machine."""
    file: Path | None = None
    """A file to keep up to date."""

    @contextmanager
    def exposition(
        self, unit_worker: UnitWorker, doorbell: Doorbell
    ) -> Iterator[list[PeriodicTask]]:
        """Serve the metrics of a worker process; the context's value is a list of tasks."""
        if self.port is None and self.file is None:
            yield []
            return
        collector = WorkerCollector(unit_worker, doorbell)
        registry = CollectorRegistry(auto_describe=False)
        registry.register(collector)
        tasks = [
            PeriodicTask("ask how many messages wait", lambda: REFRESH_SECONDS, collector.look)
        ]
        if self.file is not None:
            path = str(self.file)
            with _refused(f"cannot write {path}"):
                write_to_textfile(path, registry)
            tasks.append(
                PeriodicTask(
                    f"write {path}",
                    lambda: REFRESH_SECONDS,
                    lambda: write_to_textfile(path, registry),
                )
            )
        with ExitStack() as at_end:
            if self.port is not None:
                at_end.callback(_serve(registry, self.port, self.address))
            yield tasks


def _serve(registry: CollectorRegistry, port: int, address: str) -> Callable[[], None]:
    with _refused(f"cannot listen on port {port}"):
        server, thread = start_http_server(port, address, registry)
    LOGGER.info("metrics at http://%s:%d/metrics", address, server.server_port)

    def close() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return close


@contextmanager
def _refused(message: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MetricsError(f"{message}: {error.strerror or error}") from error
