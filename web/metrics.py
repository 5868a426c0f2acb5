"""What the server tells Prometheus, made from what it has counted."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.registry import Collector

from c4core.version import ENGINE_VERSION, __version__
from web.counters import BUCKETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from web.service import Service


class WebCollector(Collector):
    """Makes the metrics of a server.

    Args:
        service: what all its requests share.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """All metrics as they are now; called by the registry."""
        counters = self._service.counters
        info = {"version": __version__, "engine_version": str(ENGINE_VERSION)}
        yield InfoMetricFamily("c4_web", "Which server this is.", info)
        yield GaugeMetricFamily("c4_web_searches", "Requests that search.", self._service.searches)
        answers = CounterMetricFamily(
            "c4_web_answers", "Answers by resource.", labels=["resource", "method", "status"]
        )
        for (path, method, status), number in counters.answers.items():
            answers.add_metric([path, method, str(status)], number)
        yield answers
        seconds = HistogramMetricFamily(
            "c4_web_answer_seconds", "How long answers took.", labels=["resource"]
        )
        bounds = [*map(str, BUCKETS), "+Inf"]
        for path, numbers in counters.durations.items():
            buckets = list(zip(bounds, accumulate(numbers), strict=True))
            seconds.add_metric([path], buckets, counters.seconds[path])
        yield seconds
