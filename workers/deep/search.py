"""One process's part in the search of a deep job: messages to the others, and the database.

A thread carries messages through a stream of Redis, if the broker is Redis: splits, claims,
decisions and costly bounds (:class:`c4core.solver.SharedSearch`). Every message is a hint, or a
proven bound. So a stream that is late, emptied or unreachable costs time only. Without Redis, the
processes share only what is in the database.

Another thread stores bounds that cost :data:`COSTLY_NODES` as evaluations every few seconds. They
support the proof, and a process that joins the search reads them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from c4core.batch import bound_type
from c4core.evaluation import score_limits
from c4core.position import Position
from c4core.solver import SharedSearch
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.records.evaluations import COSTLY_NODES, StoredEvaluation
from workers.core.follow import read_job
from workers.core.leases import PeriodicThread
from workers.core.searching import store_learned
from workers.deep.task import DeepTask
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.solver import Solver
    from db.database import Database
    from db.records.jobs import Claim

EXCHANGE_SECONDS: Final = 0.05
"""Time between two exchanges of messages: half of the time after which a position is split."""

HEARTBEAT_SECONDS: Final = 2.0
"""Time between two messages that are sent even without news."""

RETRY_SECONDS: Final = 1.0
"""Time after which Redis is tried again."""

REDIS_SECONDS: Final = 2.0
"""Time for Redis to answer."""

STORE_SECONDS: Final = 3.0
"""Time between two writes to the database."""

MOST_READ: Final = 1 << 17
"""Number of stored evaluations that a process reads when it joins, the most expensive first."""

STREAM_MESSAGES: Final = 20_000
"""Approximate number of messages that stay in a stream, for processes that join late."""

STREAM_SECONDS: Final = 3600
"""A stream disappears this long after its last message."""

MESSAGES: Final = 1_000
"""Number of messages that are read at a time."""

REMEMBERED: Final = 4
"""Number of searches that a process keeps for each database."""


class JointSearch:
    """The search of one deep job in this process; all its threads share it.

    Attributes:
        search: the engine's part.
    """

    def __init__(
        self, database: Database, job_id: int, task: DeepTask, solver: Solver, redis: str | None
    ) -> None:
        self.search = SharedSearch(solver, task.start, weak=task.weak, is_remote=redis is not None)
        self._untold = self.search.nodes
        self._database = database
        self._task = task
        self._new: deque[NDArray[np.void]] = deque()
        self._stored = self.search.bounds
        self._shifts = 0
        self._lock = threading.Lock()
        self._threads: list[PeriodicThread] = []
        self._stream = (
            None if redis is None else _Stream(redis, stream_name(database, job_id), self.search)
        )
        self._has_begun = False
        self._is_finished = False

    @contextmanager
    def shift(self) -> Iterator[SharedSearch]:
        """Let the calling thread take part; messages are exchanged meanwhile."""
        with self._lock:
            if not self._has_begun:
                self._begin()
                self._has_begun = True
            self._shifts += 1
            if self._shifts == 1:
                self._start()
        try:
            yield self.search
        finally:
            with self._lock:
                self._shifts -= 1
                if self._shifts == 0:
                    self._stop()

    def may_finish(self) -> bool:
        """Whether this process has decided the score; true for the first caller only."""
        with self._lock:
            is_first = not self._is_finished and self.search.is_decided
            self._is_finished = self._is_finished or is_first
            return is_first and (self._stream is None or not self._stream.brought_the_answer)

    def take_first_nodes(self) -> int:
        """The nodes of the search before the threads joined it; 0 from the second call on."""
        with self._lock:
            nodes, self._untold = self._untold, 0
            return nodes

    def evaluation(self) -> list[StoredEvaluation]:
        """The proven bounds of the position itself; empty if nothing is proven."""
        start, bounds = self._task.start, self.search.bounds
        if bounds == score_limits(start.ply, start.board):
            return []
        row = (start.canonical_key, *start.board, start.ply, *bounds)
        return [StoredEvaluation(*row, self.search.nodes, ENGINE_VERSION)]

    def _begin(self) -> None:
        """Read the stored bounds."""
        board, start = self._task.board, self._task.start
        with self._database.read() as session:
            rows = evaluations.costly(session, board, limit=MOST_READ)
        self.search.solver.add_bounds(_bounds_of(rows, start), board=board)
        self._read_answer()

    def _start(self) -> None:
        self._threads = [
            PeriodicThread("share a search", EXCHANGE_SECONDS, self._exchange),
            PeriodicThread("store bounds", STORE_SECONDS, self._store, first=STORE_SECONDS),
        ]
        for thread in self._threads:
            thread.start()

    def _stop(self) -> None:
        """Send and store the last bounds; they are lost if a server cannot be reached."""
        for thread in self._threads:
            thread.close()
        for last in (self._exchange, self._store):
            try:
                last()
            except Exception as error:  # noqa: BLE001 (it is logged by the threads, too)
                LOGGER.debug("cannot share the last bounds: %s", error)

    def _exchange(self) -> None:
        """Send news, and use the messages of other processes."""
        beats = self._stream is not None and self._stream.beats
        message, bounds = self.search.take(is_heartbeat=beats)
        costly = bounds[bounds["log_nodes"] >= COSTLY_NODES.bit_length() - 1]
        if len(costly):
            self._new.append(costly)
        if self._stream is not None:
            self._stream.exchange(message)

    def _store(self) -> None:
        """Store new bounds, and learn whether another process has decided the score."""
        new = [self._new.popleft() for _ in range(len(self._new))]
        bounds = self.search.bounds
        rows = _rows_of(new, self._task.board)
        if bounds != self._stored:
            rows += self.evaluation()
        try:
            if rows:
                self._database.run(lambda session: store_learned(session, rows))
        except BaseException:
            self._new.extend(new)
            raise
        self._stored = bounds
        self._read_answer()

    def _read_answer(self) -> None:
        start = self._task.start
        with self._database.read() as session:
            row = evaluations.find(session, start.board, start.canonical_key)
        if row is not None:
            self.search.narrow(row.lower, row.upper)


def stream_name(database: Database, job_id: int) -> str:
    """The name of a job's stream. Jobs of other databases have other times."""
    created_at = read_job(database, job_id).created_at
    return f"c4.deep.e{ENGINE_VERSION}.{job_id}.{created_at}"


class _Stream:
    """The messages of a search in Redis."""

    def __init__(self, url: str, name: str, search: SharedSearch) -> None:
        from redis import Redis  # noqa: PLC0415 (only processes with such a broker need it)

        self.brought_the_answer = False
        self._redis = Redis.from_url(
            url, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS
        )
        self._search = search
        self._name = name
        self._last: bytes | str = "0"
        self._beat_due = 0.0
        self._retry_at = 0.0

    @property
    def beats(self) -> bool:
        """Whether the next message is to be sent even if there is no news."""
        return time.monotonic() >= self._beat_due

    def exchange(self, message: bytes) -> None:
        """Send a message unless it is empty, and use what has arrived; RedisError if Redis fails.

        The message is lost if Redis fails, or has failed a moment ago.
        """
        now = time.monotonic()
        if now < self._retry_at:
            return
        self._retry_at = now + RETRY_SECONDS  # unless it succeeds
        pipeline = self._redis.pipeline(transaction=False)
        pipeline.xread({self._name: self._last}, count=MESSAGES)
        if message:
            pipeline.xadd(self._name, {"m": message}, maxlen=STREAM_MESSAGES)
        if self.beats:
            pipeline.expire(self._name, STREAM_SECONDS)
            self._beat_due = now + HEARTBEAT_SECONDS
        found: Any = pipeline.execute()[0]
        self._retry_at = 0.0
        for _name, entries in found:
            for self._last, fields in entries:
                self._use(fields)

    def _use(self, fields: dict[bytes, bytes]) -> None:
        was_decided = self._search.is_decided
        try:
            self._search.add(fields.get(b"m", b""))
        except ValueError as error:  # not from a worker of this version
            LOGGER.debug("a message about a search is ignored: %s", error)
        if self._search.is_decided and not was_decided:
            self.brought_the_answer = True


_searches: WeakKeyDictionary[Database, dict[int, JointSearch]] = WeakKeyDictionary()
_searches_lock = threading.Lock()


def join(database: Database, claim: Claim, solver: Solver, redis: str | None) -> JointSearch:
    """Return this process's part in the search of a job."""
    with _searches_lock:
        kept = _searches.setdefault(database, {})
        found = kept.pop(claim.job_id, None)
        if found is None or found.search.solver is not solver:
            task = DeepTask.from_params(claim.params, claim.board)
            found = JointSearch(database, claim.job_id, task, solver, redis)
        kept[claim.job_id] = found  # the last one is the most recently used
        while len(kept) > REMEMBERED:
            del kept[next(iter(kept))]
        return found


def _rows_of(bounds: Iterable[NDArray[np.void]], board: BoardSize) -> list[StoredEvaluation]:
    """The bounds of a table as evaluations, one for each position."""
    rows: dict[int, StoredEvaluation] = {}
    for key, *halves, score, is_upper, log_nodes in (
        row for part in bounds for row in part.tolist()
    ):
        position = Position.from_key(key | sum(halves) << 64, board=board)
        lower, upper = score_limits(position.ply, board)
        name, nodes = position.canonical_key, 1 << log_nodes
        if name in rows:
            lower, upper, nodes = rows[name].lower, rows[name].upper, max(rows[name].nodes, nodes)
        lower, upper = (lower, min(upper, score)) if is_upper else (max(lower, score), upper)
        rows[name] = StoredEvaluation(
            name, *board, position.ply, lower, upper, nodes, ENGINE_VERSION
        )
    return list(rows.values())


def _bounds_of(rows: Iterable[StoredEvaluation], start: Position) -> NDArray[np.void]:
    """Evaluations of positions after the start as bounds for a table.

    Late positions have an entry of their own, so that their mirror images have another one.
    """
    found: list[tuple[Any, ...]] = []
    for row in rows:
        if row.ply <= start.ply:
            continue
        position = Position.from_key(row.key, board=start.board)
        least, most = score_limits(row.ply, start.board)
        work = min(row.nodes.bit_length() - 1, 31)
        for key in {row.key, position.mirrored().key}:
            halves = (key & ((1 << 64) - 1), *(() if start.board.is_narrow else (key >> 64,)))
            if row.lower > least:
                found.append((*halves, row.lower, False, work))
            if row.upper < most:
                found.append((*halves, row.upper, True, work))
    return np.array(found, dtype=bound_type(start.board))
