"""The OpenAPI document against the specification's own schema, which comes with schemathesis."""

import json

from schemathesis.openapi import loaders

from web.app import MODULES
from web.openapi import build_document


def test_it_is_an_openapi_document() -> None:
    loaders.from_dict(json.loads(json.dumps(build_document(MODULES)))).validate()
