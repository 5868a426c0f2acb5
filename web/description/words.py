"""Words for the OpenAPI document: parameters, answers and errors that many resources have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from web.responses import JSON

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
