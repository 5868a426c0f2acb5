"""The number of a unit in a message; whatever else a message says is not read."""

import json

import pytest

from tests.support.poison import HARMLESS, POISON
from workers.celery.messaging import read_unit


@pytest.mark.parametrize(("sent", "with_headers"), POISON)
def test_no_number_is_read_from_what_names_no_unit(sent: bytes, with_headers: object) -> None:
    with pytest.raises((ValueError, RecursionError)):
        read_unit(with_headers, json.loads(sent))


@pytest.mark.parametrize(("sent", "with_headers"), HARMLESS)
def test_a_number_is_read(sent: bytes, with_headers: object) -> None:
    assert read_unit(with_headers, json.loads(sent)) in {0, 10**9}
