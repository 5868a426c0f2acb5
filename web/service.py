"""What all requests share: the database, solvers, threads, limits of each client."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from db.database import Database
from db.errors import UnreachableError
from db.urls import parse_url
from web.lookups import Lookups
from web.metrics import Counters
from web.responses import CLIENT_GONE, ApiError
from web.rooms import DiskRoom, MemoryRoom
from web.running import JobRunning, web_label
from workers.answers.service import AnswerService, Stop
from workers.celery.doorbell import Doorbell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request

    from web.settings import Settings

LONGEST_QUESTION: Final = 256
"""Bytes; what is longer is not kept, so that the memory has a bound."""


class Known:
    """The last so many answers. For the event loop only."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()

    def find(self, path: str, query: bytes) -> bytes | None:
        """The answer to a question, as it was written; None if it is not kept."""
        answer = self._answers.get((path, query))
        if answer is not None:
            self._answers.move_to_end((path, query))
        return answer

    def keep(self, path: str, query: bytes, answer: bytes) -> None:
        """Keep an answer that is the same whoever asks, and for ever."""
        if len(query) > LONGEST_QUESTION:
            return
        self._answers[path, query] = answer
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)


T = TypeVar("T")

THREADS: Final = 64
"""Threads for what somebody waits for; most of them wait for a search or a database."""
BATCH_THREADS: Final = 8
"""Threads for batches: nobody else waits because of them."""
KNOWN_ANSWERS: Final = 4_096
"""Answers that are kept as they were written; some 2,000 bytes each."""
BATCH_NICENESS: Final = 5
"""Batches are given the processor after everything else."""
TELL_SECONDS: Final = 0.05
"""Time until a search is told again to stop: it may just have begun a new one."""


class Service:
    """What all requests share.

    Args:
        settings: of the server.

    Attributes:
        settings: as given.
        database: None without one; open from :meth:`open` on.
        doorbell: calls the workers of the broker; None without one.
        desk: answers about positions.
        lookups: finds what is stored; None without a database.
        known: complete answers, by what was asked.
        counters: what has been answered.
        disk: room for bodies that wait to be answered.
        memory: room for what requests hold in memory.
        runner: works on jobs; None where no jobs can be made.
        stopping: set when the server begins to end: streams without an end have to end then.
    """

    desk: AnswerService

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database: Database | None = None
        self.doorbell: Doorbell | None = None
        self.lookups: Lookups | None = None
        self.known = Known(KNOWN_ANSWERS)
        self.counters = Counters()
        self.disk = DiskRoom(settings.limits.disk_bytes)
        self.memory = MemoryRoom(settings.limits.memory_bytes, settings.limits.memory_per_client)
        self.runner: JobRunning | None = None
        self.stopping = asyncio.Event()
        self._searches: Counter[str] = Counter()
        self._makings: Counter[str] = Counter()
        self._threads = ThreadPoolExecutor(THREADS, "c4-web")
        self._batches = ThreadPoolExecutor(BATCH_THREADS, "c4-batch", initializer=_step_back)
        self._is_open = False
        self._file: tuple[int, int] | None = None

    def open(self) -> None:
        """Open what the settings name. Blocking; a second call changes nothing."""
        if self._is_open:
            return
        settings = self.settings
        if settings.broker_url is not None:
            self.doorbell = Doorbell(settings.broker_url)
        if settings.database_url is not None:
            self.database = Database.open(settings.database_url, create=not settings.read_only)
            self._file = _file_of(settings.database_url)
            self.lookups = Lookups(self.database)
        self.desk = AnswerService(
            self.database,
            threads=settings.threads,
            table_mb=settings.table_mb,
            book=settings.book,
            keeps=self.is_writable,
        )
        self.runner = self._make_runner()
        self._is_open = True

    def close(self) -> None:
        """End all searches, hand back what is not done, close the database. Blocking."""
        if not self._is_open:
            return
        self._is_open = False
        if self.runner is not None:
            self.runner.close()
        self.desk.close()
        for threads in (self._threads, self._batches):
            threads.shutdown(wait=False, cancel_futures=True)
        if self.lookups is not None:
            self.lookups.close()
        if self.doorbell is not None:
            self.doorbell.close()
        if self.database is not None:
            self.database.close()

    @property
    def is_stopping(self) -> bool:
        """Whether the server is about to end."""
        return self.stopping.is_set()

    @property
    def is_writable(self) -> bool:
        """Whether anything can be stored."""
        database = self.database
        return database is not None and not (database.is_read_only or self.settings.read_only)

    def require_database(self) -> Database:
        """The database."""
        if self.database is None:
            raise ApiError(503, "this server has no database: start it with --db")
        return self.database

    def require_writable(self) -> Database:
        """The database, for writing."""
        database = self.require_database()
        if not self.is_writable:
            raise ApiError(403, "this server only reads its database")
        return database

    def check_database(self) -> None:
        """Check that the database can be read, and is the one that was opened. Blocking."""
        url = self.settings.database_url
        if self.database is None or url is None:
            return
        with self.database.read():
            pass
        # A connection that is open still has a file that was deleted, and pages that have changed.
        if _file_of(url) != self._file:
            raise UnreachableError(f"{self.database.url} was deleted or replaced: start again")
        with Database.open(url, create=False):
            pass

    def label(self, what: str) -> str:
        """The label of a job that is made here, by which the server knows it when it begins."""
        return web_label(what)

    async def in_thread(self, function: Callable[..., T], *args: object) -> T:
        """Do something that blocks, for somebody who waits, outside the event loop."""
        return await _done_by(self._threads, partial(function, *args))

    async def in_batch_thread(self, function: Callable[..., T], *args: object) -> T:
        """Do a piece of a batch that blocks, in a thread that steps back behind the others."""
        return await _done_by(self._batches, partial(function, *args))

    def search_slot(self, request: Request) -> AbstractAsyncContextManager[None]:
        """A place for a request that searches."""
        return self._slot(self._searches, request, "searching")

    def making_slot(self, request: Request) -> AbstractAsyncContextManager[None]:
        """A place for a request that makes a job, which does not keep its client from searching."""
        return self._slot(self._makings, request, "making jobs")

    @asynccontextmanager
    async def _slot(self, slots: Counter[str], request: Request, doing: str) -> AsyncIterator[None]:
        client = client_of(request)
        limit = self.settings.limits.searches_per_client
        if slots[client] >= limit:
            message = f"{limit} requests of yours are {doing}; wait for one of them"
            raise ApiError(429, message, headers={"Retry-After": "1"})
        slots[client] += 1
        try:
            yield
        finally:
            slots[client] -= 1
            if not slots[client]:
                del slots[client]

    @property
    def searches(self) -> int:
        """Requests that search at the moment."""
        return self._searches.total()

    async def until_disconnected(self, request: Request, work: Callable[[Stop], T]) -> T:
        """Do something in a thread; tell it to stop when its client has gone away."""
        stop = Stop()
        doing = asyncio.ensure_future(self.in_thread(work, stop))
        gone = asyncio.ensure_future(_await_disconnect(request))
        ending = asyncio.ensure_future(self.stopping.wait())
        try:
            await asyncio.wait((doing, gone, ending), return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            raise ApiError(
                503 if self.is_stopping else CLIENT_GONE, "the search was stopped before its end"
            )
        finally:
            gone.cancel()
            ending.cancel()
            if not doing.done():
                await asyncio.shield(_tell(stop, doing))

    def _make_runner(self) -> JobRunning | None:
        if self.database is None or not self.is_writable:
            return None
        runner = JobRunning(
            self.database,
            doorbell=self.doorbell,
            threads=self.settings.threads,
            table_mb=self.settings.table_mb,
            programs=self.settings.programs,
        )
        runner.start()
        return runner


def _file_of(url: str) -> tuple[int, int] | None:
    """What tells an SQLite database's file from others; None if there is none."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database is None:
        return None
    try:
        found = Path(parsed.database).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def service_of(request: Request) -> Service:
    """The service of the server that a request came to."""
    return cast("Service", request.app.state.service)


def client_of(request: Request) -> str:
    """What clients are told apart by: the address."""
    return request.client.host if request.client is not None else ""


def _done_by(threads: ThreadPoolExecutor, work: Callable[[], T]) -> asyncio.Future[T]:
    return asyncio.get_running_loop().run_in_executor(threads, work)


async def _await_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _tell(stop: Stop, doing: asyncio.Future[T]) -> None:
    """Tell a search to stop until it has ended; what it has found, or what ended it, is dropped."""
    while not doing.done():
        stop.set()
        await asyncio.wait((doing,), timeout=TELL_SECONDS)
    with suppress(Exception):
        doing.result()


def _step_back() -> None:
    """Let this thread, and those that it starts, have the processor after all others."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":  # elsewhere: the whole process
        import threading  # noqa: PLC0415

        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BATCH_NICENESS)
