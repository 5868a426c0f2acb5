"""Making a job and leaving the work to others: ``--detach``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.shell import echo

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.shell.settings import Settings
    from cli.work.backend import Backend
    from db.database import Database

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")


def detach_option(
    help_text: str = "Only make the job and write its number.",
) -> Callable[[Decorated], Decorated]:
    """``--detach``."""
    return click.option("--detach", is_flag=True, help=help_text)


def leave(
    settings: Settings,
    database: Database,
    job_id: int,
    backend: Backend,
    *,
    as_json: bool | None = None,
    afterwards: str = "",
) -> None:
    """Leave a job that was made to others, and write its number.

    Args:
        settings: how much talk.
        database: where the job lives.
        job_id: its number.
        backend: who shall do the work.
        as_json: write an object; None where only the settings say so.
        afterwards: what the same command does when the job is done.
    """
    backend.call(settings, database, job_id)
    if settings.json if as_json is None else as_json:
        from cli.output.formats import write_object

        write_object({"job": job_id})
    else:
        echo.line(str(job_id))
    if backend.doorbell is None:
        text = f"Work on it with: {backend.resumption(job_id)}"
    else:
        text = f"Watch it with: c4 jobs watch {job_id}"
    if afterwards:
        text += f". When it is done, the same command {afterwards}."
    settings.say(text)
