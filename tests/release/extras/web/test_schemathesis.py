"""The promises of the OpenAPI document, tested on a server with thousands of requests.

Schemathesis generates valid and invalid requests from the document, and follows links from answers
to further requests. No answer may be a 500, or have an undeclared status, type or form. Requests
that violate the document must be refused.
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
from web.app import MODULES
from web.openapi import PATH, build_document

TOKEN = "a-token-of-the-tests"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
LINES = "application/x-ndjson"
PARTS = 4
"""Number of parts of the ten thousand requests; several processes share them."""


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
    """Send lines unchanged as a body."""
    return str(value).encode(errors="replace")


schemathesis.serializer(LINES)(as_it_is)


def filter_case(_context: object, case: Any) -> bool:  # noqa: ANN401
    """Leave out bodies of lines that are not text: a number cannot be sent as lines."""
    return case.media_type != LINES or isinstance(case.body, str)


def config(*, seed: int, with_coverage: bool) -> Any:  # noqa: ANN401
    """The settings for making and judging requests.

    ``with_coverage`` adds every boundary of every parameter.
    """
    # Random requests for every operation, at most.
    generation = {"max-examples": 40 if with_coverage else 110}
    # A schema cannot express a full column, the conflict of columns=true with weak, or this
    # server's budget. Such requests are declared, and refused. If a hard position is not solved
    # in time, /solve returns 503.
    checks = {
        "positive_data_acceptance": {"enabled": False},
        "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", 501, 503]},
    }
    return schemathesis.Config.from_dict(
        {
            "seed": seed,
            "continue-on-failure": True,
            "request-timeout": HANG_SECONDS,
            "headers": HEADERS,
            "generation": generation | {"no-shrink": True, "database": "none"},
            "phases": {"coverage": {"enabled": with_coverage}, "stateful": {"max-steps": 4}},
            "checks": checks,
        }
    )


def run(server: WebServer, settings: Any) -> tuple[int, list[str]]:  # noqa: ANN401
    """Send the requests; return their number, and the faults in the answers, each once."""
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
    """Stop the jobs made by requests: large boards would keep a processor busy until the end."""
    for job in server.ask("/api/v1/jobs?state=running&limit=200").json["jobs"]:
        server.ask(f"/api/v1/jobs/{job['id']}/cancel", method="POST", headers=HEADERS)


def _faults(recorder: Any) -> Iterator[str]:  # noqa: ANN401
    for checks in recorder.checks.values():
        for check in checks:
            if check.failure_info is not None:
                failure = check.failure_info
                yield f"{recorder.label}: {failure.failure}\n{failure.code_sample}"


def test_the_document_is_valid() -> None:
    """The specification's own schema is part of schemathesis."""
    schemathesis.openapi.from_dict(json.loads(json.dumps(build_document(MODULES)))).validate()


@pytest.mark.parametrize("part", range(PARTS))
def test_ten_thousand_requests(server: WebServer, part: int) -> None:
    """The first part tests every operation with all its boundaries; the others are random."""
    total, seed = 0, part + 1
    while total < 10_000 / PARTS:
        # Testing the boundaries once is enough.
        requests, faults = run(server, config(seed=seed, with_coverage=seed == 1))
        assert faults == []
        assert requests > 500
        total, seed = total + requests, seed + PARTS
