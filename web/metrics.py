"""Count the server's responses, and export them to Prometheus."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.registry import Collector

from c4core.version import ENGINE_VERSION, __version__
from web.middleware import HttpMiddleware

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


BUCKETS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
)
"""Upper bounds of the histogram's buckets in seconds."""


class Counters:
    """Numbers and durations of responses by resource and status. For the event loop only."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str, int]] = Counter()
        self.durations: dict[str, list[int]] = {}
        self.seconds: Counter[str] = Counter()

    def note(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a response."""
        self.answers[path, method, status] += 1
        durations = self.durations.get(path)
        if durations is None:
            durations = self.durations[path] = [0] * (len(BUCKETS) + 1)
        durations[bisect_left(BUCKETS, seconds)] += 1
        self.seconds[path] += seconds  # type: ignore[assignment] # a sum of floats


NO_RESOURCE: Final = "none"
"""The resource of all unknown paths, so that clients cannot create new metrics."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
OTHER: Final = "other"


class Counting(HttpMiddleware):
    """Middleware that counts responses."""

    def __init__(self, app: ASGIApp, counters: Counters) -> None:
        super().__init__(app)
        self._counters = counters

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count its response."""
        began = time.perf_counter()
        status = 0

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            route = scope.get("route")
            path = NO_RESOURCE if route is None else route.path
            method = scope["method"] if scope["method"] in METHODS else OTHER
            self._counters.note(path, method, status, time.perf_counter() - began)


class WebCollector(Collector):
    """The metrics of a server: its counters and its number of searches."""

    def __init__(self, counters: Counters, searches: int) -> None:
        self._counters = counters
        self._searches = searches

    def collect(self) -> Iterator[Metric]:
        """The current metrics; called by the registry."""
        counters = self._counters
        info = {"version": __version__, "engine_version": str(ENGINE_VERSION)}
        yield InfoMetricFamily("c4_web", "The versions of the server.", info)
        yield GaugeMetricFamily("c4_web_searches", "Requests that are searching.", self._searches)
        answers = CounterMetricFamily(
            "c4_web_answers", "Responses by resource.", labels=["resource", "method", "status"]
        )
        for (path, method, status), number in counters.answers.items():
            answers.add_metric([path, method, str(status)], number)
        yield answers
        seconds = HistogramMetricFamily(
            "c4_web_answer_seconds", "Durations of responses.", labels=["resource"]
        )
        bounds = [*map(str, BUCKETS), "+Inf"]
        for path, numbers in counters.durations.items():
            buckets = list(zip(bounds, accumulate(numbers), strict=True))
            seconds.add_metric([path], buckets, counters.seconds[path])
        yield seconds
