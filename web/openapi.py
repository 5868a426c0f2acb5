"""The OpenAPI document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from c4core.version import __version__
from web.responses import JSON
from web.settings import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.routing import Route

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer"}
NUMBER: Final[Schema] = {"type": "number"}
FLAG: Final[Schema] = {"type": "boolean"}
SIDE: Final[Schema] = {"enum": ["x", "o"]}
COLUMN: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 32}
VALUE: Final[Schema] = {"enum": ["win", "draw", "loss"]}
MOVES: Final[Schema] = {"type": "string", "pattern": "^[1-9a-wA-W]*$", "maxLength": 64}
BOARD: Final[Schema] = {"type": "string", "pattern": "^[0-9]{1,3}[xX][0-9]{1,3}$"}

BUDGET: Final = "the server's --max-budget"
"""Stands for that number until the document is put together."""

PROBLEMS: Final = {
    400: "What was asked is wrong; `field` is the parameter.",
    401: "The token of the server is missing or wrong.",
    403: "The request comes from a page of another host, or names another host.",
    404: "There is no such thing.",
    409: "It cannot be done in the present state.",
    408: "The body comes too slowly.",
    413: "The body is too large.",
    415: "The body is not of the type that is read here.",
    422: "It was understood, and cannot be done.",
    429: "The client asks too much; `Retry-After` says when to try again.",
    501: "This server lacks what it would need.",
    503: "Something is missing or busy: the database, or the server itself.",
}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    if isinstance(schema.get("type"), str):
        return schema | {"type": [schema["type"], "null"]}
    if "enum" in schema:
        return schema | {"enum": [*schema["enum"], None]}
    return {"anyOf": [schema, {"type": "null"}]}


def ref(name: str) -> Schema:
    """A schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def array(items: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": items}


def record(
    fields: Mapping[str, Schema], *, optional: Iterable[str] = (), closed: bool = False
) -> Schema:
    """An object.

    Args:
        fields: their schemas.
        optional: those that may be missing.
        closed: there are no others.
    """
    missing = set(optional)
    schema: Schema = {
        "type": "object",
        "required": [name for name in fields if name not in missing],
        "properties": dict(fields),
    }
    return schema | ({"additionalProperties": False} if closed else {})


def query(
    name: str, schema: Schema, description: str, *, example: object = None, required: bool = False
) -> Schema:
    """A parameter in the query of an address."""
    shown = {} if example is None else {"example": example}
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": description,
        "schema": schema,
        **shown,
    }


def place(name: str, schema: Schema, description: str, *, example: object) -> Schema:
    """A parameter in the path of an address."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
        "example": example,
    }


def operation(
    summary: str,
    answer: Schema,
    *,
    parameters: Iterable[Schema] = (),
    body: Schema | None = None,
    problems: Iterable[int] = (),
    description: str = "",
) -> Schema:
    """What a method does at a path, and answers as JSON.

    Args:
        summary: in a line.
        answer: schema of the answer.
        parameters: in the address.
        body: schema of the request's JSON; None for none.
        problems: statuses of errors, beside those that any request may get.
        description: the rest.
    """
    statuses = {400, 403, 429, 503, *problems, *(() if body is None else (408, 413, 415))}
    responses = {"200": _answer("The answer.", answer)} | {
        str(status): _answer(PROBLEMS[status], ref("Error")) for status in sorted(statuses)
    }
    described: Schema = {"summary": summary, "parameters": list(parameters), "responses": responses}
    if description:
        described["description"] = description
    if body is not None:
        described["requestBody"] = {"required": True, "content": {JSON: {"schema": body}}}
    return described


def seconds_to_search(least: float = 0, default: float | None = None) -> Schema:
    """Seconds that a client may ask for; ``build_document`` fills in the server's own limit."""
    schema: Schema = {"type": "number", "minimum": least, "maximum": BUDGET}
    return schema if default is None else schema | {"default": default}


def whole_between(low: int, high: int, default: int | None = None) -> Schema:
    """A whole number of a range."""
    schema: Schema = {"type": "integer", "minimum": low, "maximum": high}
    return schema if default is None else schema | {"default": default}


def _answer(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {JSON: {"schema": schema}}}


PATH: Final = "/api/v1/openapi.json"
"""Where a server has the document."""

ERROR: Final[dict[str, object]] = {
    "type": "object",
    "required": ["error", "field"],
    "properties": {
        "error": {"type": "string", "description": "What is wrong, for people."},
        "field": {"type": ["string", "null"], "description": "The parameter that is wrong."},
    },
}

ABOUT: Final = (
    "Exact scores of Connect Four positions, opening books, stored games, jobs. Columns and rows "
    "are counted from 1, rows from the bottom. A score is for the side to move: 0 a draw, 1 a win "
    "with the last stone, more the sooner it comes, negative a loss. Every error is an object with "
    "`error` and `field`."
)

TOKEN: Final[dict[str, object]] = {
    "type": "http",
    "scheme": "bearer",
    "description": "The server's token, which whoever changes anything has to send. A server that "
    "only its own machine can reach may have none, and then takes every request.",
}

_ITSELF: Final[dict[str, object]] = {
    "get": {
        "summary": "This document",
        "responses": {
            "200": {
                "description": "An OpenAPI document.",
                "content": {JSON: {"schema": {"type": "object"}}},
            },
            **{
                status: {
                    "description": description,
                    "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
                for status, description in (
                    ("403", "The request is for another host."),
                    ("429", "The client asks too much."),
                )
            },
        },
    }
}


class Resource(Protocol):
    """A module of the API. One with schemas of its own has ``SCHEMAS`` too, by name."""

    ROUTES: list[Route]
    PATHS: dict[str, object]


def build_document(
    modules: Iterable[Resource], *, budget: float = Limits().budget_seconds
) -> dict[str, object]:
    """The document.

    Args:
        modules: of the API.
        budget: the most seconds that a client may ask for.

    Raises:
        ValueError: two of them describe the same method of a path, or schemas of the same name.
    """
    paths: dict[str, dict[str, object]] = {}
    schemas: dict[str, object] = {"Error": ERROR}
    _describe(paths, {PATH: _ITSELF}, "openapi")
    for module in modules:
        tag = str(getattr(module, "__name__", "")).rpartition(".")[2]
        _describe(paths, module.PATHS, tag)
        _add(schemas, getattr(module, "SCHEMAS", {}), "schema")
    document: dict[str, object] = {
        "openapi": "3.1.0",
        "info": {
            "title": "C4",
            "version": __version__,
            "summary": "Connect Four, solved",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The server that has this document."}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": TOKEN},
        },
    }
    return cast("dict[str, object]", _with_budget(document, budget))


def _with_budget(value: object, budget: float) -> object:
    """The same, with the most seconds in the place of their mark."""
    if isinstance(value, dict):
        filled: dict[str, Any] = {name: _with_budget(part, budget) for name, part in value.items()}
        if filled.get("maximum") == BUDGET:
            filled["maximum"] = budget
            if "default" in filled:
                filled["default"] = min(filled["default"], budget)
        return filled
    if isinstance(value, list | tuple):
        return [_with_budget(part, budget) for part in value]
    return value


def _describe(
    paths: dict[str, dict[str, object]], described: Mapping[str, object], tag: str
) -> None:
    """Add a module's paths, each operation with a name of its own."""
    for path, methods in described.items():
        named = {
            method: {"operationId": _name_of(method, path), "tags": [tag]}
            | cast("dict[str, Any]", operation)
            for method, operation in cast("dict[str, object]", methods).items()
        }
        _add(paths.setdefault(path, {}), named, f"method of {path}")


def _add(known: dict[str, object], new: Mapping[str, object], what: str) -> None:
    for name, value in new.items():
        if name in known and known[name] != value:
            raise ValueError(f"{what} {name} is described twice")
        known[name] = value


def _name_of(method: str, path: str) -> str:
    """What programs that are made from the document call an operation: ``getJobsId``."""
    words = re.findall(r"[a-zA-Z]+", path.removeprefix("/api/v1").removesuffix(".json"))
    return method + "".join(word[0].upper() + word[1:] for word in words)
