"""Logs of workers: one line for each record, and no secrets."""

import logging
import time

import pytest

from tests.support.running.waiting import HANG_SECONDS
from workers.logs import Masking, OneLine, is_news, secrets_of


def record(message: str, *arguments: object, error: Exception | None = None) -> logging.LogRecord:
    trace = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("c4", logging.WARNING, __file__, 1, message, arguments, trace)


def failed() -> Exception:
    try:
        raise ValueError("hunter2 is wrong")  # noqa: TRY301 (for its trace)
    except ValueError as error:
        return error


def test_a_record_is_one_line() -> None:
    told = record("first\nsecond %s", "third", error=failed())
    assert OneLine(traces=False).format(told).endswith("WARNING first second third")
    assert "Traceback" in OneLine(traces=True).format(told)  # on demand
    assert is_news(told)
    assert not is_news(record("Couldn't ack %r, reason:%r", 1, "gone"))


@pytest.mark.parametrize("traces", [False, True])
def test_secrets_are_hidden_everywhere(*, traces: bool) -> None:
    urls = ["redis://:hunter2@queue", "postgresql://c4:correct%20horse@db/c4", None]
    formatter = Masking(OneLine(traces=traces), urls)
    for message in ("hunter2", "(correct horse)", "correct%20horse"):
        shown = formatter.format(record("%s", message, error=failed()))
        assert "hunter2" not in shown
        assert "horse" not in shown
        assert "***" in shown


def test_secrets_are_found_in_urls() -> None:
    assert secrets_of("redis://queue", "/some/file.db") == set()
    secrets = secrets_of("postgresql://db/c4?password=top%2Dsecret")
    assert secrets == {"top%2Dsecret", "top-secret"}
    assert secrets_of("redis://:abc@queue") == set()  # would hide every other word
    assert secrets_of("http://[broken") == set()


def test_only_whole_words_are_hidden() -> None:
    formatter = Masking(logging.Formatter(), ["postgresql://c4:cust@db/customer_c4"])
    assert formatter.format(record("customer_c4, (cust)")) == "customer_c4, (***)"
    # The visible parts of a URL are not hidden.
    formatter = Masking(logging.Formatter(), ["postgresql://postgres:postgres@db/c4"])
    text = "at postgresql://postgres:***@db/c4: no role postgres"
    assert formatter.format(record(text)) == text


@pytest.mark.parametrize("traces", [False, True])
def test_untrusted_text_is_escaped(*, traces: bool) -> None:
    formatter = Masking(OneLine(traces=traces), [])
    shown = formatter.format(record("\x1b]0;title\x07 \u202e%s", "\x9b1m", error=failed()))
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    assert r"\x1b]0;title\x07 \u202e\x9b1m" in shown


@pytest.mark.parametrize("text", ["a" * 1_000_000, "a.b-c+" * 100_000, "a://" * 2_000])
def test_a_long_text_is_masked_quickly(text: str) -> None:
    formatter = Masking(logging.Formatter(), ["redis://:hunter2@queue"])
    begin = time.process_time()
    assert formatter.format(record(text)) == text
    assert time.process_time() - begin < HANG_SECONDS
