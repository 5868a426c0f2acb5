"""The web's API in this process, with every answer held against what its description says."""

from __future__ import annotations

import math
import re
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import jsonschema_rs
from starlette.testclient import TestClient

from web.app import MODULES, create_app
from web.description.openapi import build_document
from web.settings import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from httpx2 import Response
    from starlette.applications import Starlette

    from web.service import Service


class Api:
    """A client whose every answer must have been declared.

    Args:
        client: of a running application.
    """

    def __init__(self, client: TestClient) -> None:
        self.client = client

    @property
    def service(self) -> Service:
        """What the application's requests share."""
        found: Service = cast("Starlette", self.client.app).state.service
        return found

    def get(self, path: str, **query: str | float) -> Any:  # noqa: ANN401 (JSON)
        """The JSON value at a path."""
        return self._answered(self.client.get(path, params=query))

    def post(self, path: str, body: object, **query: str | float) -> Any:  # noqa: ANN401 (JSON)
        """The answer to a JSON value."""
        return self._answered(self.client.post(path, json=body, params=query))

    def refused(
        self, path: str, body: object = None, **query: str | float
    ) -> tuple[int, str | None]:
        """The status of a refusal, and the field that is wrong; a POST where there is a body."""
        if body is None:
            response = self.client.get(path, params=query)
        else:
            response = self.client.post(path, json=body, params=query)
        check_declared(response)
        assert response.status_code >= 400, response.text
        refusal = response.json()
        assert set(refusal) == {"error", "field"}
        assert len(refusal["error"]) < 1_000
        return response.status_code, refusal["field"]

    @staticmethod
    def _answered(response: Response) -> Any:  # noqa: ANN401 (JSON)
        assert response.status_code == 200, response.text
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
    app = create_app(Settings(**(small | settings)))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield Api(client)


def check_declared(response: Response) -> None:
    """Check that the description has this answer: its status, and all its values."""
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
