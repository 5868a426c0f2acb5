"""The OpenAPI document, put together from what every module of the API says about itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from c4core.version import __version__
from web.description.words import BUDGET
from web.responses import JSON
from web.settings import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.routing import Route

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
