"""Run ``c4 serve`` for tests, as a process on a port of its own."""

import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from tests.support.running.server_process import Server, free_port
from tests.support.running.waiting import HANG_SECONDS

ROOT = Path(__file__).parents[3]
_PORTS = 5
"""Number of ports to try: another process may take a port that was free a moment ago."""


class Answered(NamedTuple):
    status: int
    headers: Mapping[str, str]
    """Headers by name in lower case."""
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 (JSON)
        return json.loads(self.body)


class WebServer(Server):
    """A server whose database is in its own directory, unless another database is given.

    ``options`` come after ``--host`` and ``--port``; ``settings`` come before the command.
    """

    title = "C4"
    package = "none"
    variable = "C4_TEST_WEB"

    def __init__(
        self,
        *options: str,
        settings: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._has_started = False
        self._options = options
        self._settings = [f"--db={self.directory / 'c4.db'}"] if settings is None else settings
        self._environment = dict(environment or {})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        target: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """Send a request on a new connection."""
        with closing(self._connection()) as connection:
            connection.request(method, target, body, dict(headers or {}))
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, names, answer.read())

    def post(self, target: str, value: object) -> Answered:
        return self.ask(
            target,
            method="POST",
            body=json.dumps(value).encode(),
            headers={"Content-Type": "application/json"},
        )

    def batch(self, lines: Sequence[bytes]) -> Iterator[Any]:
        """Send the lines of a batch, and read the answers meanwhile."""
        body = b"\n".join(lines)
        head = (
            f"POST /api/v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", self.port), HANG_SECONDS) as client:
            sending = Thread(target=client.sendall, args=(head.encode() + body,))
            sending.start()
            answers = HTTPResponse(client, method="POST")
            answers.begin()
            assert answers.status == 200
            while line := answers.readline():
                yield json.loads(line)
            sending.join()

    def start(self) -> None:
        """Start the server; the first time, try another port if this one is taken."""
        for _ in range(_PORTS):
            try:
                super().start()
            except RuntimeError:
                if self._has_started or "Address already in use" not in self.said:
                    raise
                self.kill()
                self.log.unlink()
                self.port = free_port()
            else:
                self._has_started = True
                return
        raise RuntimeError("every port is taken")

    @property
    def resident_mb(self) -> float:
        """The current memory use of the process."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def _connection(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=HANG_SECONDS)

    def _command(self) -> Sequence[str | Path]:
        environment = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"} | self._environment
        # Use the server's own working directory, so that it finds no file by chance.
        return (
            "env",
            *(f"{name}={value}" for name, value in environment.items()),
            self._program(),
            "-m",
            "cli",
            *self._settings,
            "serve",
            f"--port={self.port}",
            *self._options,
        )

    def _try(self) -> None:
        answer = self.ask("/healthz")
        if answer.status != 200:
            raise RuntimeError(f"the server answers {answer.status}")
