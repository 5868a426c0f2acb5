"""What the tests with workers share: a database and a broker that are theirs alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.support.running.databases import PostgresDatabases
from tests.support.running.service import Service
from workers.broker.messaging import make_app
from workers.core.lanes import Lane


@pytest.fixture
def service(
    tmp_path: Path, broker_url: str, postgres_server: PostgresDatabases
) -> Iterator[Service]:
    """A service with each kind of broker."""
    with postgres_server.database(initialised=True) as url:
        yield Service(tmp_path, url, broker_url)


@pytest.fixture
def one_service(
    tmp_path: Path, request: pytest.FixtureRequest, postgres_server: PostgresDatabases
) -> Iterator[Service]:
    """A service for what does not depend on the kind of broker."""
    broker_url = request.getfixturevalue("redis_server").url
    with redis.Redis.from_url(broker_url) as client:
        # What earlier tests have left, also in the hands of workers that were killed: Kombu gives
        # such messages to the next worker, where they name units of another database.
        options = make_app(broker_url).conf.broker_transport_options
        taken = (options["unacked_key"], options["unacked_index_key"])
        client.delete(*(lane.queue for lane in Lane), *taken)
    with postgres_server.database(initialised=True) as url:
        yield Service(tmp_path, url, broker_url)
