"""The OpenAPI document against the specification's own schema, which schemathesis includes."""

import json

from schemathesis.openapi import loaders

from web.app import MODULES
from web.openapi import build_document


def test_the_document_is_valid() -> None:
    loaders.from_dict(json.loads(json.dumps(build_document(MODULES)))).validate()
