"""Messages that name no unit, and harmless ones."""

from __future__ import annotations

import json
import uuid
import zlib
from typing import Any

from workers.celery.messaging import TASK

NO_UNITS = [
    "1", "'; DROP TABLE units; --", "\x1b]0;title\x07\nforged line", {"unit": 1}, [1], True, None,
    1.0, 10**30, -1, 2**63,
]  # fmt: skip
NOTHING_MORE = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
MORE = {"callbacks": [{"task": TASK, "args": [1]}]}


def body(*arguments: object, named: object = None, embed: object = None) -> bytes:
    return json.dumps([list(arguments), named or {}, embed or NOTHING_MORE]).encode()


PACKED = zlib.compress(b"[" + b" " * 10_000_000 + b"[1],{},{}]")
"""Decompresses to a message of 10 MB."""


def headers(**other: object) -> dict[str, Any]:
    return {"task": TASK, "id": str(uuid.uuid4())} | other


POISON: list[tuple[bytes, Any]] = [
    *((body(unit), headers()) for unit in NO_UNITS),
    (body(), headers()),
    (body(1, 2), headers()),
    (body(1, named={"lane": "bulk"}), headers()),
    (body(1, embed=MORE), headers()),
    (body(1), {}),
    (body(1), headers(id=7)),
    (body(1), headers(task="celery.backend_cleanup")),
    (body(1), headers(task=["c4"])),
    (b"no JSON", headers()),
    (b"\xff\x00", headers()),
    (b"", headers()),
    (b"{}", headers()),
    (b"[[1]]", headers()),
    (b"[" * 100_000, headers()),
    (PACKED, headers(compression="application/x-gzip")),
]
HARMLESS = [
    # An unknown unit, and a unit's number with many options that Celery would obey.
    (body(10**9), headers()),
    (body(0), headers()),
    (body(10**9), headers(eta="2999-01-01T00:00:00", expires="x", timelimit=[1, "x"], retries="x")),
    (body(10**9), headers(eta=7, group={}, shadow=[], root_id=[], argsrepr={}, origin=[1])),
]
