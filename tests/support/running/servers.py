"""Real servers for tests, started from their installed programs, in temporary directories."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import amqp
import psycopg
import redis
from sqlalchemy.engine import make_url

from tests.support.running.server_process import START_SECONDS, Server, free_port


class RedisServer(Server):
    """Redis with an append-only file, flushed to disk every second, as in a deployment."""

    title = "Redis"
    package = "redis-server"
    variable = "C4_TEST_REDIS"
    executable = "redis-server"

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port, socket_timeout=5)

    def wipe(self) -> None:
        """Delete every key; connections stay open."""
        with self.client() as client:
            client.flushall()

    def _command(self) -> Sequence[str | Path]:
        where = ("--bind", "127.0.0.1", "--port", str(self.port), "--dir", self.data)
        stored = ("--appendonly", "yes", "--appendfsync", "everysec", "--save", "")
        return (self._program(), *where, *stored)

    def _try(self) -> None:
        with self.client() as client:
            client.ping()


class RabbitMQServer(Server):
    """A RabbitMQ node with its own name server (epmd).

    ``more`` has lines of its advanced configuration, such as ``{consumer_timeout, 10000}``.
    """

    title = "RabbitMQ"
    package = "rabbitmq-server"
    variable = "C4_TEST_RABBITMQ"
    executable = "rabbitmq-server"
    # Debian's command on the path starts the machine's own node as another user.
    versions = "usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server"

    def __init__(self, *more: str) -> None:
        super().__init__()
        self._more = more
        self._node_port, self._names_port = free_port(), free_port()
        self._names: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def connect(self) -> amqp.Connection:
        connection = amqp.Connection(f"127.0.0.1:{self.port}", connect_timeout=5, read_timeout=5)
        connection.connect()
        return connection

    def logs(self) -> str:
        """The node's complete log."""
        files = (self.directory / "logs").glob("*.log")
        return "".join(file.read_text(errors="replace") for file in files)

    def control(self, *arguments: str) -> str:
        """Run ``rabbitmqctl``; return its output."""
        done = subprocess.run(
            [self._program().with_name("rabbitmqctl"), *arguments],
            env=os.environ | self._settings(),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def close(self) -> None:
        self.kill()
        if self._names is not None:
            self._names.kill()
            self._names.wait()
        super().close()

    def _command(self) -> Sequence[str | Path]:
        return (self._program(),)

    def _spawn(self, *command: str | Path, **environment: str) -> subprocess.Popen[bytes]:
        if self._names is None:
            epmd = ("epmd", "-port", str(self._names_port), "-address", "127.0.0.1")
            self._names = super()._spawn(*epmd)
        return super()._spawn(*command, **environment, **self._settings())

    def _settings(self) -> dict[str, str]:
        """The environment of a node that shares nothing with others."""
        config, settings, plugins = (
            self.directory / name for name in ("rabbitmq.conf", "environment", "plugins")
        )
        config.write_text(f"listeners.tcp.1 = 127.0.0.1:{self.port}\n")
        settings.write_text("")  # instead of the machine's file
        plugins.write_text("[].\n")
        advanced = self.directory / "advanced.config"
        advanced.write_text(f"[{{rabbit, [{', '.join(self._more)}]}}].\n")
        return {
            "HOME": str(self.directory),  # holds the cookie
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(self._names_port),
            "RABBITMQ_NODENAME": "c4@localhost",
            "RABBITMQ_DIST_PORT": str(self._node_port),
            "RABBITMQ_BASE": str(self.directory),
            "RABBITMQ_MNESIA_BASE": str(self.data),
            "RABBITMQ_LOG_BASE": str(self.directory / "logs"),
            "RABBITMQ_CONFIG_FILE": str(config),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(advanced),
            "RABBITMQ_CONF_ENV_FILE": str(settings),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(self.directory / "generated"),
            "RABBITMQ_PID_FILE": str(self.directory / "pid"),
            # One process instead of a shell that waits for another.
            "RABBITMQ_ALLOW_INPUT": "1",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-noinput",
        }

    def _try(self) -> None:
        self.connect().close()


class PostgreSQLServer(Server):
    """A PostgreSQL server; ``durable`` makes it wait for the disk, as in a deployment."""

    title = "PostgreSQL"
    package = "postgresql"
    variable = "C4_TEST_POSTGRES"
    executable = "postgres"
    versions = "usr/lib/postgresql/*/bin/postgres"
    refuses_root = True
    listens = "127.0.0.1"

    def __init__(self, *, durable: bool = False) -> None:
        super().__init__()
        self._fsync = "on" if durable else "off"

    @property
    def url(self) -> str:
        return f"postgresql://c4@127.0.0.1:{self.port}/postgres"

    def _command(self) -> Sequence[str | Path]:
        where = ("-D", self.data, "-p", str(self.port), "-k", self.directory)
        settings = ("-c", f"listen_addresses={self.listens}", "-c", f"fsync={self._fsync}")
        return (self._program(), *where, *settings)

    def _prepare(self) -> None:
        options = ("-A", "trust", "-U", "c4", "-E", "UTF8", "--locale=C", "-k", "--no-sync")
        made = self._spawn(self._program().resolve().with_name("initdb"), "-D", self.data, *options)
        if made.wait(START_SECONDS):
            raise RuntimeError(f"initdb failed: {self.log.read_text()}")

    def _try(self) -> None:
        psycopg.connect(self.url, connect_timeout=5).close()


class PgBouncer(Server):
    """PgBouncer, a connection pooler for a PostgreSQL server.

    ``mode`` says when a client returns a connection: ``transaction`` or ``session``.
    """

    title = "PgBouncer"
    package = executable = "pgbouncer"
    variable = ""
    refuses_root = True

    def __init__(self, database_url: str, *, mode: str, connections: int) -> None:
        super().__init__()
        self._server = make_url(database_url)
        self._mode = mode
        self._connections = connections

    @property
    def url(self) -> str:
        return f"postgresql://c4@127.0.0.1:{self.port}/{self._server.database}"

    def _command(self) -> Sequence[str | Path]:
        settings = self.directory / "pgbouncer.ini"
        server = self._server
        settings.write_text(
            f"[databases]\n* = host={server.host} port={server.port} user={server.username}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\n"
            f"unix_socket_dir =\nauth_type = any\npool_mode = {self._mode}\n"
            f"default_pool_size = {self._connections}\n"
        )
        return (self._program(), settings)

    def _try(self) -> None:
        psycopg.connect(self.url, connect_timeout=5).close()
