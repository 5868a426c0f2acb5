"""The web API in this process; every answer is checked against the API description."""

from __future__ import annotations

import asyncio
import math
import re
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import jsonschema_rs
from starlette.testclient import TestClient

from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.units import job_of_games
from web.app import MODULES, create_app
from web.openapi import build_document
from web.settings import Limits, ServerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from httpx2 import Response
    from starlette.applications import Starlette

    from db.database import Database
    from web.service import Service


class Api:
    """A client of a running application that requires every answer to be declared."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    @property
    def service(self) -> Service:
        """The objects that the application's requests share."""
        found: Service = cast("Starlette", self.client.app).state.service
        return found

    def get(self, path: str, **query: str | float) -> Any:  # noqa: ANN401 (JSON)
        return self._answered(self.client.get(path, params=query))

    def post(self, path: str, body: object, **query: str | float) -> Any:  # noqa: ANN401 (JSON)
        """Post a JSON value and return the answer."""
        return self._answered(self.client.post(path, json=body, params=query))

    def every(self, path: str, name: str, limit: int, **query: str | float) -> list[Any]:
        """All entries of a list, page by page."""
        found: list[Any] = []
        cursor: dict[str, str] = {}
        while True:
            page = self.get(path, limit=limit, **query, **cursor)
            found += page[name]
            if page["next"] is None:
                assert len(page[name]) <= limit
                return found
            assert len(page[name]) == limit
            cursor = {"cursor": page["next"]}

    def refused(
        self, path: str, body: object = None, **query: str | float
    ) -> tuple[int, str | None]:
        """The status of a refusal and the wrong field; a POST if there is a body."""
        if body is None:
            response = self.client.get(path, params=query or None)
        else:
            response = self.client.post(path, json=body, params=query)
        check_declared(response)
        assert response.status_code >= 400, response.text
        refusal = response.json()
        assert set(refusal) == {"error", "field"}
        assert len(refusal["error"]) < 1_000
        return response.status_code, refusal["field"]

    @contextmanager
    def searching(self, target: str, body: bytes | None = None) -> Iterator[list[int]]:
        """A request that searches during the block and whose client then disconnects.

        It uses the application's own interface, because a test client cannot disconnect. The search
        must take longer than any test. It yields the client's statuses: none within the block.
        """
        portal = self.client.portal
        assert portal is not None
        path, _, query = target.partition("?")
        headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET" if body is None else "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "scheme": "http",
            "server": ("127.0.0.1", 80),
            "client": ("testclient", 1),
            "headers": headers,
        }
        has_gone = portal.call(asyncio.Event)
        messages = [{"type": "http.request", "body": body or b"", "more_body": False}]
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await has_gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:  # noqa: ANN401 (ASGI)
            statuses.extend([message["status"]] if "status" in message else [])

        before = self.service.searches
        asking = portal.start_task_soon(self.client.app, scope, receive, send)
        try:
            await_that(lambda: self.service.searches > before)
            yield statuses
        finally:
            portal.call(has_gone.set)
            asking.result(HANG_SECONDS)

    @staticmethod
    def _answered(response: Response) -> Any:  # noqa: ANN401 (JSON)
        assert response.status_code in (200, 201), response.text
        check_declared(response)
        return response.json()


@contextmanager
def serving(**settings: Any) -> Iterator[Api]:  # noqa: ANN401
    """An API with these settings, one thread and small tables."""
    small: dict[str, Any] = {
        "threads": 1,
        "table_mb": 1,
        "limits": Limits(requests_per_second=math.inf),
    }
    app = create_app(ServerSettings(**(small | settings)))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield Api(client)


def analyze(database: Database, games: list[str], **options: Any) -> int:  # noqa: ANN401 (submit's)
    """Make a job of positions, as the server does; it is solved without a book."""
    return job_of_games(database, games, book="", **options)


def check_declared(response: Response) -> None:
    """Check that the description declares this answer: its status and all its values."""
    path, method = response.request.url.path, response.request.method.lower()
    operation = next(
        operations[method]
        for pattern, operations in _document()["paths"].items()
        if re.fullmatch(re.sub(r"{\w+}", "[^/]+", pattern), path)
    )
    declared = operation["responses"][str(response.status_code)]
    schema = declared["content"]["application/json"]["schema"]
    whole = schema | {"components": _document()["components"]}
    jsonschema_rs.validator_for(whole).validate(response.json())


@cache
def _document() -> dict[str, Any]:
    return build_document(MODULES)
