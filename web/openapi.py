"""The OpenAPI document, generated from the types of requests and responses.

A schema in a module's ``PATHS`` may be a Python type: a struct, a typed dict, a list or a union of
these. :func:`build_document` replaces it with its JSON schema.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, Final, Protocol, cast
from urllib.parse import urlencode

import msgspec

from c4core.version import __version__
from web.parameters import BUDGET
from web.responses import JSON, Error
from web.settings import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from starlette.routing import Route

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
BINARY: Final[Schema] = {"type": "string", "format": "binary"}
"""Bytes that clients send or receive as they are: lines in UTF-8, and pictures."""

PATH: Final = "/api/v1/openapi.json"
"""The document's path on the server."""

PEOPLE: Final = "/api/v1/"
"""The path of the same description as a page."""

PROBLEMS: Final = {
    400: "The request is malformed or a parameter is wrong; `field` is the parameter.",
    401: "The token of the server is missing or wrong.",
    403: "The request comes from a page of another host, or names another host.",
    404: "Not found.",
    409: "The operation is not possible in the present state.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The content type of the body is not supported.",
    422: "The request was understood but cannot be carried out.",
    429: "The client sends too many requests; `Retry-After` says when to try again.",
    501: "The server is missing an optional package.",
    503: "The database or the server is missing or busy.",
}

ABOUT: Final = (
    "Exact scores of Connect Four positions, opening books, stored games, jobs. Columns and rows "
    "are counted from 1, rows from the bottom. A score is for the side to move: 0 is a draw, 1 a "
    "win with the last stone, larger numbers are earlier wins, negative numbers are losses. Every "
    "error is an object with `error` and `field`."
)

TOKEN: Final[Schema] = {
    "type": "http",
    "scheme": "bearer",
    "description": "The server's token, which clients must send with requests that change data. A "
    "server that only its own machine can reach may have no token; it then accepts all requests.",
}


class Resource(Protocol):
    """A module of the API."""

    ROUTES: list[Route]
    PATHS: dict[str, object]


def content(schema: object, media_type: str = JSON, **more: object) -> Schema:
    """The content of a body by its media type."""
    return {media_type: {"schema": schema, **more}}


def operation(
    summary: str,
    answer: object,
    *,
    query: type[msgspec.Struct] | None = None,
    path: type[msgspec.Struct] | None = None,
    body: object = None,
    problems: Iterable[int] = (),
    description: str = "",
) -> Schema:
    """The description of a method of a path.

    ``answer`` and ``body`` are schemas of JSON, or contents by media type. Every request may get
    400, 403, 429 and 503; ``problems`` are additional error statuses.
    """
    statuses = {400, 403, 429, 503, *problems, *(() if body is None else (408, 413, 415))}
    responses = {"200": {"description": "The answer.", "content": _contents(answer)}} | {
        str(status): problem(PROBLEMS[status]) for status in sorted(statuses)
    }
    parameters = [*_parameters(path, "path"), *_parameters(query, "query")]
    described: Schema = {"summary": summary, "parameters": parameters, "responses": responses}
    if description:
        described["description"] = description
    if body is not None:
        described["requestBody"] = {"required": True, "content": _contents(body)}
    return described


def problem(description: str) -> Schema:
    """The description of an error response."""
    return {"description": description, "content": content(Error)}


def writing(described: Schema) -> Schema:
    """Mark an operation as one that changes data, and may need a token."""
    described["responses"]["401"] = problem(PROBLEMS[401])
    return described | {"security": [{}, {"token": []}]}


def _contents(schema: object) -> Schema:
    is_by_type = isinstance(schema, dict) and any("/" in name for name in schema)
    return cast("Schema", schema) if is_by_type else content(schema)


def _parameters(kind: type[msgspec.Struct] | None, place: str) -> Iterator[Schema]:
    """The fields of a struct as parameters. A field with the default None is optional."""
    if kind is None:
        return
    _, components = msgspec.json.schema_components([kind])
    for name, schema in components[kind.__name__]["properties"].items():
        described: Schema = {
            "name": name,
            "in": place,
            "required": name in components[kind.__name__]["required"],
            "description": schema.pop("description"),
        }
        if "examples" in schema:
            (described["example"],) = schema.pop("examples")
        if schema.get("default", ...) is None:
            (given,) = (one for one in schema.pop("anyOf") if one != {"type": "null"})
            given = components.get(given.get("$ref", "").rpartition("/")[2], given)
            del schema["default"]
            schema.update(given)
        yield described | {"schema": schema}


_ITSELF: Final = operation("This document", {"type": "object"})


def build_document(
    modules: Iterable[Resource], *, budget: float = Limits().budget_seconds
) -> dict[str, object]:
    """Build the document; ``budget`` is the server's limit of a search in seconds."""
    paths: dict[str, dict[str, object]] = {}
    _describe(paths, {PATH: {"get": _ITSELF}}, "openapi")
    for module in modules:
        tag = str(getattr(module, "__name__", "")).rpartition(".")[2]
        _describe(paths, module.PATHS, tag)
    kinds = list(dict.fromkeys(_types(paths)))
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    document: dict[str, object] = {
        "openapi": "3.1.0",
        "info": {
            "title": "C4",
            "version": __version__,
            "summary": "Connect Four, solved",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The server of this document."}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"token": TOKEN},
        },
    }
    found = dict(zip(kinds, schemas, strict=True))
    return cast("dict[str, object]", _filled(document, found, budget))


def describe(document: Mapping[str, Any]) -> str:
    """The paths of the document as HTML, for people."""
    return "".join(
        _described(method, path, one)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    )


def _described(method: str, path: str, one: Schema) -> str:
    rows = "".join(
        f"<div><dt><code>{escape(each['name'])}</code></dt>"
        f"<dd>{_text(each['description'])}</dd></div>"
        for each in one["parameters"]
    )
    title = f"{method.upper()} {path}"
    named = {each["name"]: each["example"] for each in one["parameters"] if "example" in each}
    query = f"?{urlencode(named)}" if named else ""
    example = f'<p><a href="../..{escape(path + query)}">Example</a></p>'
    return (
        f'<section class="card"><h2><code>{escape(title)}</code></h2>'
        f"<p>{_text(one['summary'])}. {_text(one.get('description', ''))}</p>"
        + (f'<dl class="fact-list">{rows}</dl>' if rows else "")
        + (example if method == "get" and "{" not in path else "")
        + "</section>"
    )


def _text(text: str) -> str:
    """A text with code in backticks as HTML."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))


def _types(value: object) -> Iterator[object]:
    """The Python types in a JSON value."""
    if isinstance(value, dict):
        for part in value.values():
            yield from _types(part)
    elif isinstance(value, list):
        for part in value:
            yield from _types(part)
    elif not isinstance(value, str | int | float | None):
        yield value


def _filled(value: object, schemas: Mapping[object, Schema], budget: float) -> object:
    """Replace each type with its schema, and :data:`BUDGET` with the limit in seconds."""
    if isinstance(value, dict):
        filled: Schema = {name: _filled(part, schemas, budget) for name, part in value.items()}
        if filled.get("maximum") == BUDGET:
            filled["maximum"] = budget
            if "default" in filled:
                filled["default"] = min(filled["default"], budget)
        return filled
    if isinstance(value, list | tuple):
        return [_filled(part, schemas, budget) for part in value]
    return value if isinstance(value, str | int | float | None) else schemas[value]


def _describe(
    paths: dict[str, dict[str, object]], described: Mapping[str, object], tag: str
) -> None:
    """Add a module's paths; give each operation a unique name."""
    for path, methods in described.items():
        known = paths.setdefault(path, {})
        for method, one in cast("dict[str, Schema]", methods).items():
            if method in known:
                raise ValueError(f"{path}: {method} is described twice")
            known[method] = {"operationId": _name_of(method, path), "tags": [tag]} | one


def _name_of(method: str, path: str) -> str:
    """The operation's name in generated clients, such as ``getJobsId``."""
    words = re.findall(r"[a-zA-Z]+", path.removeprefix("/api/v1").removesuffix(".json"))
    return method + "".join(word[0].upper() + word[1:] for word in words)
