"""Options of all commands: database, broker, amount of messages, JSON or text.

They can be given before the command's name (``c4 --db x.db status``) or after it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.shell.process import echo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from db.database import Database
    from workers.celery.broker import Broker

    Callback = Callable[[click.Context, click.Parameter, Any], Any]

NO_BROKER = "none"
"""The value of ``--broker`` that overrides the environment: use no broker."""

Decorated = TypeVar("Decorated", bound="Callable[..., Any] | click.Command")


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of the shared options."""

    db: str | None = None
    """Database URL or path as given; None if not given."""
    broker: str | None = None
    """Broker URL as given, ``none`` to work in this process; None if not given."""
    json: bool = False
    quiet: bool = False
    """Whether to leave out messages and progress."""
    verbose: bool = False

    def say(self, message: str) -> None:
        """Write a message on standard error, unless ``--quiet`` is given."""
        if not self.quiet:
            echo(message, err=True)

    def say_if_verbose(self, message: str) -> None:
        """Write a message only with ``--verbose``."""
        if self.verbose:
            echo(message, err=True)

    @property
    def url(self) -> str:
        """The database's URL or path. For the default file, create its directory."""
        return self.db or str(default_database())

    @property
    def broker_url(self) -> str | None:
        """The broker's URL; None without a broker."""
        return None if self.broker is None or self.broker.lower() == NO_BROKER else self.broker

    def open_broker(self) -> Broker | None:
        """Connect to the broker; None without one.

        Raises:
            BrokerUrlError: the URL cannot be used.
            BrokerUnreachableError: the broker does not answer.
        """
        if self.broker_url is None:
            return None
        from workers.celery.broker import Broker

        broker = Broker(self.broker_url)
        broker.check()  # fail now, not after everything is planned
        self.say_if_local()
        self.say_if_verbose(f"broker {broker.url}")
        return broker

    def say_if_local(self) -> None:
        """Warn if there is a broker, and other machines cannot see the database."""
        from workers.celery.broker import is_server

        if self.broker_url is not None and not is_server(self.url):
            self.say("The database is a file: only workers on this machine can take the work")

    def open_database(self, *, create: bool = False) -> Database:
        """Open the database.

        A missing default database is always created; a missing database that is named explicitly,
        only with ``create``.
        """
        from db.database import Database

        database = Database.open(self.url, create=create or self.db is None, on_outage=self.say)
        self.say_if_verbose(f"database {database.url}{', created' if database.created else ''}")
        return database


def default_database() -> Path:
    """The path of the default database. Its directory is created."""
    import platformdirs

    return platformdirs.user_data_path("c4", ensure_exists=True) / "c4.db"


def settings_of(context: click.Context) -> Settings:
    """The settings read so far."""
    found = context.find_object(Settings)
    return Settings() if found is None else found


def _remember(name: str) -> Callback:
    def callback(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value == "":  # only from the command line: an empty environment variable counts as unset
            raise click.BadParameter("it is empty; leave the option out, or give a value")
        if value:
            context.obj = replace(settings_of(context), **{name: value})

    return callback


def _url_option(name: str, envvar: str | None, help_text: str) -> Callable[[Decorated], Decorated]:
    return click.option(
        f"--{name}",
        metavar="URL",
        envvar=envvar,
        show_envvar=envvar is not None,
        expose_value=False,
        callback=_remember(name),
        help=help_text,
    )


def database_option(*, envvar: str | None = None) -> Callable[[Decorated], Decorated]:
    """The option ``--db``; the environment is read once, before the command's name."""
    text = "Database: a file, sqlite:///FILE or postgresql://USER@HOST/NAME."
    return _url_option("db", envvar, text)


def broker_option(*, envvar: str | None = None) -> Callable[[Decorated], Decorated]:
    """The option ``--broker``; the environment is read once, before the command's name."""
    text = "Let workers do the work: redis://HOST, amqp://USER@HOST, or none."
    return _url_option("broker", envvar, text)


def _flag(*flags: str, name: str, help_text: str) -> Callable[[Decorated], Decorated]:
    return click.option(
        *flags, is_flag=True, expose_value=False, callback=_remember(name), help=help_text
    )


json_option = _flag("--json", name="json", help_text="Write JSON for programs.")
quiet_option = _flag(
    *("-q", "--quiet"), name="quiet", help_text="No progress and no messages on standard error."
)
verbose_option = _flag(
    *("-v", "--verbose"), name="verbose", help_text="More messages on standard error."
)
