"""Flower, a monitor for Celery, next to workers."""

import json
import re
import urllib.request

import flower  # noqa: F401 (it is started as a program)
import pytest

from tests.support.running.service import Service
from tests.support.running.waiting import await_that


@pytest.mark.servers
def test_flower_shows_the_workers(one_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOWER_UNAUTHENTICATED_API", "true")
    program = ("-m", "celery", "-A", "workers.app", "flower", "--address=127.0.0.1", "--port=0")
    with one_service.worker(name="ada"), one_service.process(*program) as process:
        await_that(lambda: "Visit me at" in process.log, process)
        found = re.search(r"Visit me at (http://\S+)", process.log)
        assert found is not None
        url = f"{found[1]}/api/workers?refresh=1"

        def shown() -> bool:
            with urllib.request.urlopen(url) as answer:
                return "c4@ada" in json.load(answer)

        await_that(shown, process)
