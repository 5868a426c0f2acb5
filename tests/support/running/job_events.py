"""The server-sent events of a job, as a client reads them."""

import http.client
import json
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import WebServer

_DATA = b"data: "


@contextmanager
def watching(server: WebServer, number: int) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANG_SECONDS)
    with closing(connection):
        connection.request("GET", f"/api/v1/jobs/{number}/events")
        yield connection.getresponse()


def data_of(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.startswith(_DATA):
            yield json.loads(line.removeprefix(_DATA))
