"""The options of all commands: which database, which broker, how much talk, JSON or text.

They can be written before the command's name (``c4 --db x.db status``) and after it. What no option
and no variable says, the configuration file may say.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.shell import echo
from cli.shell.completing import BROKER, FILE, Offered
from workers.configuration import Configuration

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from db.database import Database
    from workers.celery.doorbell import Doorbell

    Callback = Callable[[click.Context, click.Parameter, Any], Any]

NO_BROKER = "none"
"""Given as the broker: use none, whatever the environment says."""

Decorated = TypeVar("Decorated", bound="Callable[..., Any] | click.Command")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the shared options say."""

    db: str | None = None
    """Database URL or path as given, None if it was not."""
    broker: str | None = None
    """Broker URL as given, ``none`` for doing the work in this process, None if it was not."""
    json: bool = False
    """Whether programs and not people read the output."""
    quiet: bool = False
    """Whether talk and progress are unwanted."""
    verbose: bool = False
    """Whether to talk more than usual."""
    priority: int | None = None
    """The priority of the job that is made or gone on with, None to leave it as it is."""
    configuration: Configuration = field(default_factory=Configuration, repr=False)
    """What the configuration file says."""
    opened: list[str] = field(default_factory=list, compare=False, repr=False)
    """The databases that were opened, for the report of a fault."""

    def say(self, message: str) -> None:
        """Talk to the person at the terminal: standard error, unless ``--quiet``."""
        if not self.quiet:
            echo.line(message, err=True)

    def say_if_verbose(self, message: str) -> None:
        """Talk with ``--verbose`` only."""
        if self.verbose:
            echo.line(message, err=True)

    @property
    def named_database(self) -> str | None:
        """The database's URL or path as it was given or configured; None for the default."""
        return self.db or self._configured("db")

    @property
    def url(self) -> str:
        """The database's URL or path: a named one, or the default file, whose directory is made."""
        return self.named_database or str(default_database())

    @property
    def broker_url(self) -> str | None:
        """The broker's URL, None without one."""
        named = self.broker or self._configured("broker")
        return None if named is None or named.lower() == NO_BROKER else named

    def _configured(self, name: str) -> str | None:
        value = self.configuration.values.get(name)
        return None if value is None else str(value)

    def open_doorbell(self) -> Doorbell | None:
        """Find the broker that the options name; None without one.

        Raises:
            BrokerUrlError: the URL is not that of a usable broker.
            BrokerUnreachableError: the broker does not answer.
        """
        if self.broker_url is None:
            return None
        from workers.celery.doorbell import Doorbell
        from workers.core.kinds import Lane

        doorbell = Doorbell(self.broker_url)
        doorbell.depth(Lane.BULK)  # better now than when everything is planned
        self.say_if_verbose(f"broker {doorbell.url}")
        return doorbell

    def open_database(self, *, create: bool = False) -> Database:
        """Open the database that the options name.

        Args:
            create: also make a database that is named explicitly; the default one is always made.
        """
        from db.database import Database

        self.opened.append(self.url)
        database = Database.open(self.url, create=create or self.named_database is None)
        self.say_if_verbose(f"database {database.url}{', created' if database.created else ''}")
        return database


def default_database(*, ensure: bool = True) -> Path:
    """The path of the default database; its directory is made, unless ``ensure`` is False."""
    import platformdirs

    return platformdirs.user_data_path("c4", ensure_exists=ensure) / "c4.db"


def settings_of(context: click.Context) -> Settings:
    """The settings as far as they are read."""
    found = context.find_object(Settings)
    return Settings() if found is None else found


def _remember(name: str) -> Callback:
    """An option callback that notes the value in the context's settings."""

    def callback(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value == "":  # on the command line; an empty variable of the environment is an unset one
            raise click.BadParameter("it is empty; leave it out, or say which one is meant")
        if value:
            context.obj = replace(settings_of(context), **{name: value})

    return callback


def _named_option(
    name: str, kind: Offered, envvar: str | None, help_text: str
) -> Callable[[Decorated], Decorated]:
    return click.option(
        f"--{name}",
        type=kind,
        metavar="URL",
        envvar=envvar,
        show_envvar=envvar is not None,
        expose_value=False,
        callback=_remember(name),
        help=help_text,
    )


def database_option(*, envvar: str | None = None) -> Callable[[Decorated], Decorated]:
    """``--db``; the environment is read once, before the command's name."""
    text = "Database: a file, sqlite:///FILE or postgresql://USER@HOST/NAME."
    return _named_option("db", FILE, envvar, text)


def broker_option(*, envvar: str | None = None) -> Callable[[Decorated], Decorated]:
    """``--broker``; the environment is read once, before the command's name."""
    text = "Let workers do it: redis://HOST, amqp://USER@HOST, or none."
    return _named_option("broker", BROKER, envvar, text)


def _flag(*flags: str, name: str, help_text: str) -> Callable[[Decorated], Decorated]:
    return click.option(
        *flags, is_flag=True, expose_value=False, callback=_remember(name), help=help_text
    )


json_option = _flag("--json", name="json", help_text="Write JSON for programs.")
quiet_option = _flag(
    *("-q", "--quiet"), name="quiet", help_text="No progress and no remarks on standard error."
)
verbose_option = _flag(
    *("-v", "--verbose"), name="verbose", help_text="Tell more on standard error."
)
