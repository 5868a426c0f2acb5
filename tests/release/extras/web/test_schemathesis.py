"""What the OpenAPI document promises, held against a server with thousands of requests.

Schemathesis makes them from the document: such as match it and such as do not, and some that follow
its links from one answer to the next request. No answer may be a 500, or of a status, a type or a
form that the document does not declare; what violates the document must be refused.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from schemathesis.engine import events, from_schema

from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import WebServer
from web.openapi import PATH

TOKEN = "a-token-of-the-tests"
LINES = "application/x-ndjson"
PARTS = 4
"""Of the ten thousand requests: several processes share them."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """A server whose database has a match, games, evaluations and a job."""
    c4 = C4(tmp_path_factory.mktemp("web"))
    assert c4("match", "random", "stupid", "--games", "3", "--seed", "1").code == 0
    assert c4("analyze", "-", stdin="4453444\n1234567\n" * 5).code == 0
    with WebServer(
        "--rate=0",
        "--table-mb=1",
        "--searches=64",
        "--max-budget=0.05",
        settings=[f"--db={c4.environment['C4_DB']}"],
        environment={"C4_WEB_TOKEN": TOKEN},
    ) as running:
        yield running
        assert "Traceback" not in running.said
        assert "a fault in c4" not in running.said


def as_it_is(_context: object, value: object) -> bytes:
    """Lines as a body."""
    return str(value).encode(errors="replace")


schemathesis.serializer(LINES)(as_it_is)


def filter_case(_context: object, case: Any) -> bool:  # noqa: ANN401
    """Leave out bodies of lines that are no text: there is no way to send a number as lines."""
    return case.media_type != LINES or isinstance(case.body, str)


def config(*, examples: int, seed: int, with_coverage: bool) -> Any:  # noqa: ANN401
    """How requests are made and judged.

    Args:
        examples: made by chance for every operation, at most.
        seed: of the chance.
        with_coverage: every boundary of every parameter besides.
    """
    return schemathesis.Config.from_dict(
        {
            "seed": seed,
            "continue-on-failure": True,
            "request-timeout": HANG_SECONDS,
            "headers": {"Authorization": f"Bearer {TOKEN}"},
            "generation": {"max-examples": examples, "no-shrink": True, "database": "none"},
            "phases": {
                "coverage": {"enabled": with_coverage},
                "stateful": {"max-steps": 4},
            },
            "checks": {
                # A schema cannot say that a column is full, that columns=true is without weak, or
                # which budget this server allows: such requests are declared, and refused.
                "positive_data_acceptance": {"enabled": False},
                # A server that has not solved a hard position in time says 503 at /solve.
                "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", 501, 503]},
            },
        }
    )


def run(server: WebServer, settings: Any) -> tuple[int, list[str]]:  # noqa: ANN401
    """Send the requests.

    Returns:
        How many there were, and what was wrong with the answers, each fault once.
    """
    document = json.loads(server.ask(PATH).body)
    schema = schemathesis.openapi.from_dict(document, config=settings)
    schema.config.base_url = server.url
    schema.hook(filter_case)
    requests, faults = 0, Counter[str]()
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            requests += len(event.recorder.interactions)
            faults.update(_faults(event.recorder))
            _stop_jobs(server)
        elif isinstance(event, events.NonFatalError):
            faults[f"{event.label}: {event.info.format()}"] += 1
        elif isinstance(event, events.FatalError):
            raise event.exception
    return requests, [f"{number} times: {fault}" for fault, number in faults.items()]


def _stop_jobs(server: WebServer) -> None:
    """Stop what was begun: jobs for large boards would keep a processor busy to the end."""
    for state in ("running", "waiting"):
        for job in server.ask(f"/api/v1/jobs?state={state}&limit=200").json["jobs"]:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            server.ask(f"/api/v1/jobs/{job['id']}/cancel", method="POST", headers=headers)


def _faults(recorder: Any) -> Iterator[str]:  # noqa: ANN401
    for checks in recorder.checks.values():
        for check in checks:
            if check.failure_info is not None:
                failure = check.failure_info
                yield f"{recorder.label}: {failure.failure}\n{failure.code_sample}"


def test_hundreds_of_requests(server: WebServer) -> None:
    requests, faults = run(server, config(examples=5, seed=1, with_coverage=False))
    assert faults == []
    assert requests > 100


@pytest.mark.parametrize("part", range(PARTS))
def test_ten_thousand_requests(server: WebServer, part: int) -> None:
    """In the first part every operation with all its boundaries; chance makes the others."""
    total, seed = 0, part + 1
    while total < 10_000 / PARTS:
        has_coverage = seed == 1
        examples = 40 if has_coverage else 110  # with these once is enough
        requests, faults = run(
            server, config(examples=examples, seed=seed, with_coverage=has_coverage)
        )
        assert faults == []
        assert requests > 500
        total, seed = total + requests, seed + PARTS
