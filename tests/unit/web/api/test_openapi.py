"""The OpenAPI document is complete and valid, and describes the existing paths."""

import json
import re
from collections.abc import Iterator
from html import unescape
from types import SimpleNamespace
from typing import Any, TypedDict, cast

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from web.app import MODULES, create_app
from web.openapi import PATH, PEOPLE, Resource, build_document, operation
from web.settings import Limits, ServerSettings

DOCUMENT = cast("dict[str, Any]", build_document(MODULES))
OPERATIONS = {
    (path, method.upper()): operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
STATUS = re.compile(r"[1-5][0-9][0-9]")


def each(value: object) -> Iterator[dict[str, Any]]:
    """Every object within a JSON value, outermost first."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from each(part)
    elif isinstance(value, list):
        for part in value:
            yield from each(part)


def routes() -> set[tuple[str, str]]:
    """The paths and methods of the server's API, without pages and files."""
    others = {"/solve", "/kaggle", "/healthz", "/readyz", "/metrics"}
    found = set()
    for route in create_app(ServerSettings(port=0)).routes:
        if isinstance(route, Route) and (route.path.startswith("/api/") or route.path in others):
            path = re.sub(r":\w+}", "}", route.path)
            found |= {(path, method) for method in (route.methods or set()) - {"HEAD"}}
    return found - {(PEOPLE, "GET")}


def test_people_get_a_page_of_every_path() -> None:
    with TestClient(create_app(ServerSettings()), base_url="http://127.0.0.1") as client:
        html = client.get(PEOPLE).text
        assert all(f"<code>{method} {path}</code>" in html for path, method in OPERATIONS)
        assert "http" not in re.sub(r'="[^"]*"', "", html)
        for example in re.findall(r'href="\.\./\.\.(/[^"]*)">Example', html):
            assert client.get(unescape(example)).status_code in {200, 404, 400, 501, 503}, example


def test_budgets_agree_with_the_server() -> None:
    app = create_app(ServerSettings(limits=Limits(budget_seconds=1.5)))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        document = client.get(PATH).json()
        budgets = [
            one
            for one in each(document)
            if (one.get("type"), one.get("maximum")) == ("number", 1.5)
        ]
        assert len(budgets) == 7
        assert {schema.get("default", 1.5) for schema in budgets} <= {1, 1.5}
        assert client.get("/api/v1/position?moves=44&budget=1.5").status_code == 200
        assert client.get("/api/v1/position?moves=44&budget=1.6").status_code == 400


def test_every_route_is_described() -> None:
    assert routes() == set(OPERATIONS)


def test_references_have_targets_and_names_are_unique() -> None:
    references = {part["$ref"] for part in each(DOCUMENT) if isinstance(part.get("$ref"), str)}
    names = {reference.removeprefix("#/components/schemas/") for reference in references}
    assert names == set(DOCUMENT["components"]["schemas"])
    operations = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(operations) == len(set(operations))
    assert all(name.isidentifier() for name in operations)
    assert json.loads(json.dumps(DOCUMENT, allow_nan=False)) == DOCUMENT


def test_operations_describe_their_parameters_and_answers() -> None:
    for (path, _), described in OPERATIONS.items():
        assert described["summary"], path
        responses = described["responses"]
        assert any(status.startswith("2") for status in responses), path
        for status, response in responses.items():
            assert STATUS.fullmatch(status), path
            assert not status.startswith("500"), path  # a fault of the server is not declared
            assert response["description"], path
            if status >= "400" and path != "/readyz":
                schema = response["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Error"}, path
        parameters = described.get("parameters", [])
        names = [(parameter["name"], parameter["in"]) for parameter in parameters]
        assert len(names) == len(set(names)), path
        for parameter in parameters:
            assert parameter["description"], parameter
            assert parameter["schema"], parameter
        in_path = {name for name, where in names if where == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path))


def test_lines_and_pictures_are_bytes_in_generated_clients() -> None:
    lines = ("application/x-ndjson", "text/plain", "text/csv")
    found = {
        (path, name)
        for (path, _), described in OPERATIONS.items()
        for name, body in (
            *described.get("requestBody", {}).get("content", {}).items(),
            *described["responses"].get("200", {}).get("content", {}).items(),
        )
        if body["schema"].get("format") == "binary"
    }
    assert found == {
        ("/api/v1/batch", "application/x-ndjson"),
        ("/api/v1/batch", "text/plain"),
        *(("/api/v1/jobs", name) for name in lines),
        ("/api/v1/picture.gif", "image/gif"),
        ("/api/v1/picture.png", "image/png"),
    }


def test_links_name_operations_and_fill_their_parameters() -> None:
    named = {operation["operationId"]: operation for operation in OPERATIONS.values()}
    links = [
        link
        for operation in OPERATIONS.values()
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]
    assert len(links) == 10
    for link in links:
        parameters = named[link["operationId"]]["parameters"]
        places = {one["name"] for one in parameters if one["in"] == "path"}
        assert set(link["parameters"]) == places


def module(**parts: object) -> Resource:
    return cast("Resource", SimpleNamespace(**{"ROUTES": [], "PATHS": {}} | parts))


def test_modules_may_share_a_path_and_may_not_contradict_each_other() -> None:
    one = module(PATHS={"/a": {"get": {"summary": "read"}}})
    other = module(PATHS={"/a": {"post": {"summary": "write"}}})
    paths = cast("dict[str, Any]", build_document([one, other])["paths"])
    found = {name: part["summary"] for name, part in paths["/a"].items()}
    assert found == {"get": "read", "post": "write"}
    assert PATH in paths
    with pytest.raises(ValueError, match="/a: get is described twice"):
        build_document([one, module(PATHS={"/a": {"get": {"summary": "that"}}})])


def test_types_with_the_same_name_are_distinguished() -> None:
    modules = []
    for number, kind in enumerate((str, int)):

        class Thing(TypedDict):
            part: kind  # type: ignore[valid-type]  # another type in every round

        Thing.__module__ = f"module_{number}"
        modules.append(module(PATHS={f"/{number}": {"get": operation("read", Thing)}}))
    document = cast("dict[str, Any]", build_document(modules))
    kinds = []
    for number in range(2):
        answer = document["paths"][f"/{number}"]["get"]["responses"]["200"]
        name = answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        kinds.append(document["components"]["schemas"][name]["properties"]["part"]["type"])
    assert kinds == ["string", "integer"]
