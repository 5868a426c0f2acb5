"""Only a unit's number is read from a message."""

import json

import pytest

from tests.support.poison import HARMLESS, POISON
from workers.celery.messaging import read_unit


@pytest.mark.parametrize(("sent", "with_headers"), POISON)
def test_messages_that_name_no_unit_give_no_number(sent: bytes, with_headers: object) -> None:
    with pytest.raises((ValueError, RecursionError)):
        read_unit(with_headers, json.loads(sent))


@pytest.mark.parametrize(("sent", "with_headers"), HARMLESS)
def test_the_number_is_read(sent: bytes, with_headers: object) -> None:
    assert read_unit(with_headers, json.loads(sent)) in {0, 10**9}
