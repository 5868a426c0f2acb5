"""Middleware: response headers, the rate limit, errors, and counts of responses."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    disable_created_metrics,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from c4core.version import ENGINE_VERSION, __version__
from web.responses import CLIENT_GONE, LOGGER, ApiError, as_api_error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from prometheus_client.core import Metric
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from db.records.jobs import ServiceStatus
    from web.settings import Limits


class HttpMiddleware(ABC):
    """Middleware for HTTP requests; it passes on other events, such as startup, unchanged."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer an HTTP request, or pass on another event."""
        answer = self.answer if scope["type"] == "http" else self._app
        return answer(scope, receive, send)

    @abstractmethod
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""


POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Forbids content from other hosts and inline scripts and styles."""

SECURITY: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
EMBED: Final = "/embed"
"""The only path that pages of other hosts may show in a frame."""
FRAMED: Final = (
    (b"content-security-policy", POLICY.replace("ancestors 'none'", "ancestors *").encode()),
    *SECURITY[1:],
)
READABLE: Final = ((b"access-control-allow-origin", b"*"),)
"""Lets pages of other hosts read GET responses; their POST requests are refused earlier."""
NEVER_KEPT: Final = (b"cache-control", b"no-store")

PREFLIGHT: Final = (
    *READABLE,
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-max-age", b"86400"),
)


class Headers(HttpMiddleware):
    """Adds the headers, and answers preflight requests of browsers."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight request; otherwise add headers to the response."""
        method = scope["method"]
        if method == "OPTIONS" and _is_preflight(scope):
            await send(
                {"type": "http.response.start", "status": 204, "headers": [*PREFLIGHT, *SECURITY]}
            )
            await send({"type": "http.response.body", "body": b""})
            return
        secure = FRAMED if scope["path"] == EMBED else SECURITY
        added = (*secure, *READABLE) if method in {"GET", "HEAD"} else secure

        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                headers.extend(added)
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append(NEVER_KEPT)
            await send(message)

        await self._app(scope, receive, send_with)


def _is_preflight(scope: Scope) -> bool:
    return any(name == b"access-control-request-method" for name, _ in scope["headers"])


MOST_CLIENTS: Final = 10_000
"""Maximum number of clients to remember; the least recently active client is dropped first."""


class Rate(HttpMiddleware):
    """Refuses requests above the rate limit of a client."""

    def __init__(
        self, app: ASGIApp, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(app)
        self._rate = limits.requests_per_second
        self._burst = limits.burst
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()
        """The time at which each client's token bucket will be full again."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if self._rate != math.inf:
            wait = self._take(scope["client"][0] if scope.get("client") else "")
            if wait > 0:
                error = ApiError(
                    429,
                    f"more than {self._rate:g} requests a second; wait a moment",
                    headers={"Retry-After": str(math.ceil(wait))},
                )
                await error.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _take(self, client: str) -> float:
        """Take a token of a client; return 0, or the seconds until a token is available."""
        now = self._clock()
        clients = self._full_at
        full_at = max(clients.get(client, now), now) + 1 / self._rate
        wait = full_at - now - self._burst / self._rate
        if wait > 1e-9:  # noqa: PLR2004 (rounding)
            return wait
        clients[client] = full_at
        clients.move_to_end(client)
        if len(clients) > MOST_CLIENTS:
            clients.popitem(last=False)
        return 0.0


class Faults(HttpMiddleware):
    """Turns exceptions into error responses."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; send an error response after an exception."""
        has_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        except Exception as error:  # noqa: BLE001 (nothing passes this boundary)
            answer = as_api_error(_cause(error))
            if not has_begun:
                await answer.response()(scope, receive, send)
            elif answer.status != CLIENT_GONE:
                # The server sees an incomplete response, and closes the connection.
                LOGGER.warning("a response broke off: %s", answer.message)


def _cause(error: Exception) -> Exception:
    """The original error: Starlette wraps errors that occur after a response has begun."""
    cause = error.__cause__
    if isinstance(error, RuntimeError) and isinstance(cause, ApiError):
        return cause
    return error


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


# No series with the time at which each counter began. prometheus_client has no types for this.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of a server, for Prometheus."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.answers = Counter(
            "c4_web_answers",
            "Responses by resource.",
            ["resource", "method", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "c4_web_answer_seconds",
            "Durations of responses.",
            ["resource"],
            registry=self.registry,
            buckets=BUCKETS,
        )
        self.searches = Gauge(
            "c4_web_searches", "Requests that are searching.", registry=self.registry
        )
        info = Info("c4_web", "The versions of the server.", registry=self.registry)
        info.info({"version": __version__, "engine_version": str(ENGINE_VERSION)})


class WorkCollector(Collector):
    """The metrics of the database's jobs; without ``totals``, only that the database is away."""

    def __init__(self, totals: ServiceStatus | None) -> None:
        self._totals = totals

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics; called by the registry."""
        totals = self._totals
        yield GaugeMetricFamily(
            "c4_database_up", "Whether the database answers.", totals is not None
        )
        if totals is None:
            return
        jobs = GaugeMetricFamily("c4_jobs", "Jobs by state.", labels=["state"])
        for state, number in totals.jobs.items():
            jobs.add_metric([str(state)], number)
        yield jobs
        units = GaugeMetricFamily("c4_queue_units", "Units of open jobs.", labels=["state"])
        units.add_metric(["queued"], totals.queued_units)
        units.add_metric(["leased"], totals.running_units)
        units.add_metric(["failed"], totals.failed_units)
        yield units
        yield GaugeMetricFamily(
            "c4_oldest_queued_seconds",
            "Time since the oldest job with queued units was started.",
            totals.oldest_queued_seconds or 0.0,
        )
        yield GaugeMetricFamily(
            "c4_live_workers", "Processes of c4 worker.", len(totals.live_workers)
        )
        if totals.eta_seconds is not None:
            yield GaugeMetricFamily(
                "c4_expected_seconds_left", "Time until all jobs are done.", totals.eta_seconds
            )


NO_RESOURCE: Final = "none"
"""The resource of all unknown paths, so that clients cannot create new metrics."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
OTHER: Final = "other"


class Counting(HttpMiddleware):
    """Middleware that counts responses."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        super().__init__(app)
        self._metrics = metrics

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
            self._metrics.answers.labels(path, method, status).inc()
            self._metrics.seconds.labels(path).observe(time.perf_counter() - began)
