"""Benchmarks with real workers: what they say, and what they refuse. They run in tests/release."""

import pytest

from benchmarks.deep.pairs import Pair, line
from benchmarks.scaling.meters import MeterError, database_meter


def test_a_line_has_medians_and_the_range() -> None:
    found = [
        Pair("7x7", seconds, 1000, 10.0, nodes)
        for seconds, nodes in ((15.0, 900), (20.0, 1100), (12.0, 1000))
    ]
    assert line(found) == "| 7x7 | 15.0 s | 10.0 s | 1.50 (1.20 to 2.00) | 1.00 |"


def test_a_server_elsewhere_cannot_be_measured() -> None:
    with pytest.raises(MeterError, match="has to run on this machine"):
        database_meter("no_such_database")
