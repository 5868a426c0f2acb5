"""What the pages have in common: times, and tables."""

import pytest

from benchmarks.page import span_text, table


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (59.4, "59.4 s"),
        (59.97, "1 min 00 s"),
        (1101.26, "18 min 21 s"),
        (3599.6, "1 h 00 min"),
        (9480.0, "2 h 38 min"),
    ],
)
def test_span(seconds: float, text: str) -> None:
    assert span_text(seconds) == text


def test_a_table_has_its_words_to_the_left() -> None:
    assert table(["what", "how much"], [("one", "1"), ("two", "2")]).splitlines() == [
        "| what | how much |",
        "| --- | ---: |",
        "| one | 1 |",
        "| two | 2 |",
    ]
