"""The server's health, readiness and metrics."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from db.database import Database
from db.errors import UnreachableError
from db.jobs.watching import record_worker
from tests.support.jobs import must_take
from tests.support.running.databases import do, make_job, worker
from tests.support.web_api import Api, serving
from web.api import health


@pytest.fixture
def api(sqlite_path: Path) -> Iterator[Api]:
    with serving(database_url=str(sqlite_path)) as found:
        yield found


def test_health_and_readiness_are_reported(client: TestClient) -> None:
    assert client.get("/healthz").json()["status"] == "ok"
    ready = {"status": "ready", "database": "ok", "broker": None, "searches": 0}
    assert client.get("/readyz").json() == ready


def test_without_its_database_or_broker_it_is_not_ready(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_database: Database) -> None:
        raise UnreachableError("cannot reach /the/place")

    monkeypatch.setattr(Database, "read", fail)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "retry-after" in answer.headers
    assert "database" in answer.json()["error"]
    assert "/the/place" not in answer.text
    assert client.get("/healthz").status_code == 200
    with serving(broker_url="redis://127.0.0.1:1/0") as other:
        answer = other.client.get("/readyz")
    assert answer.status_code == 503
    assert "broker" in answer.json()["error"]


@pytest.mark.parametrize("harm", ["deleted", "replaced", "overwritten", "emptied"])
def test_a_replaced_database_file_makes_it_not_ready(
    harm: str, api: Api, sqlite_path: Path, tmp_path: Path
) -> None:
    """Existing connections still read the original file."""
    assert api.client.get("/readyz").status_code == 200
    if harm == "deleted":
        sqlite_path.unlink()
    elif harm == "replaced":
        Database.open(str(tmp_path / "other.db")).close()
        (tmp_path / "other.db").rename(sqlite_path)
    elif harm == "overwritten":
        with sqlite_path.open("r+b") as file:
            file.write(b"garbage " * (sqlite_path.stat().st_size // 8))
    else:
        os.truncate(sqlite_path, 0)
    answers = [api.client.get("/readyz")]
    if harm in {"deleted", "replaced"}:  # a job would be lost
        answers.append(api.client.post("/api/v1/jobs", json={"kind": "analyze", "moves": "44"}))
    for answer in answers:
        assert answer.status_code == 503
        assert str(sqlite_path) not in answer.text


def test_readiness_has_a_time_limit(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "READY_SECONDS", 0)
    answer = api.client.get("/readyz")
    assert (answer.status_code, "within 0 seconds" in answer.text) == (503, True)


def scraped(client: TestClient) -> dict[tuple[str, ...], float]:
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_metrics_show_the_jobs_of_the_database(
    api: Api, sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Database.open(str(sqlite_path)) as database:
        make_job(database, 3)
        must_take(database)
        do(database, record_worker, worker())
    samples = scraped(api.client)
    assert samples["c4_database_up",] == samples["c4_live_workers",] == 1
    assert (samples["c4_jobs", "running"], samples["c4_jobs", "done"]) == (1, 0)
    units = [samples["c4_queue_units", state] for state in ("queued", "leased", "failed")]
    assert units == [2, 1, 0]
    assert samples["c4_oldest_queued_seconds",] >= 0

    def fail(_database: Database) -> None:
        raise UnreachableError("cannot reach /the/place")

    monkeypatch.setattr(Database, "read", fail)
    samples = scraped(api.client)
    assert samples["c4_database_up",] == 0
    assert ("c4_live_workers",) not in samples


def test_answers_are_counted(client: TestClient) -> None:
    for path in ("/solve?pos=121212121", "/solve?pos=1212121", "/nowhere", "/elsewhere"):
        client.get(path)
    samples = scraped(client)
    assert samples["c4_web_answers_total", "GET", "/solve", "200"] == 1
    assert samples["c4_web_answers_total", "GET", "/solve", "400"] == 1
    assert samples["c4_web_answers_total", "GET", "none", "404"] == 2
    assert samples["c4_web_answer_seconds_count", "/solve"] == 2
    assert samples["c4_web_searches",] == 0
