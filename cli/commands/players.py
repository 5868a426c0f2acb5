"""``c4 players``: list and describe players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from c4core.players import parse_player, player_kinds
from cli.output.formats import Column, chosen_format, list_formats, write_object, write_rows
from cli.output.tables import write_facts
from cli.shell.commands import Command, LazyGroup
from cli.shell.parameters import takes
from cli.shell.process import echo

if TYPE_CHECKING:
    from c4core.players import Parameter, PlayerKind
    from cli.shell.settings import Settings

REQUIRED = "(must be given)"


@click.group(
    cls=LazyGroup,
    examples=["c4 players list", "c4 players show minimax-windows"],
)
def players() -> None:
    """List players and describe their parameters.

    A player is written NAME, or NAME:parameter=value,parameter=value. Your own programs can play as
    exec:COMMAND, kaggle:FILE.py or python:MODULE:CALLABLE; see docs/players.md. proof:FILE plays by
    a certificate. The levels beginner, easy, medium, hard and expert are also names of players:
    "c4 players show hard" describes one.
    """


@dataclass(frozen=True, kw_only=True)
class ListGiven:
    """Parameters of ``c4 players list``."""

    format_name: str | None = list_formats()


@players.command(
    "list",
    cls=Command,
    database=False,
    json=False,
    examples=["c4 players list", "c4 players list --json"],
)
@takes(ListGiven)
@click.pass_obj
def list_(settings: Settings, given: ListGiven) -> None:
    """List the players with a summary and the source of each."""
    kinds = player_kinds()
    chosen = chosen_format(settings, given.format_name)
    columns = (
        Column("player", max(len(kind.name) for kind in kinds), lambda row: row["player"]),
        Column("how it plays", 0, lambda row: row["summary"]),
    )
    rows = map(_as_row if chosen == "csv" else _as_object, kinds)
    write_rows(rows, chosen, columns)


@players.command(
    cls=Command,
    database=False,
    examples=["c4 players show minimax-windows", "c4 players show blog-v6:depth=2 --json"],
)
@click.argument("player", metavar="PLAYER")
@click.pass_obj
def show(settings: Settings, player: str) -> None:
    """Describe a player: how it plays, and its parameters.

    Parameters that are given, as in blog-v6:depth=2, are shown.
    """
    name = player.partition(":")[0].strip()
    kind = next((kind for kind in player_kinds() if kind.name == name), None)
    # A player without a required argument cannot play, but can be shown.
    if kind is not None and not kind.stands_alone and ":" not in player:
        spec = None
    else:
        spec = parse_player(player)
        kind = spec.kind
    if settings.json:
        write_object(_as_object(kind) | ({} if spec is None else {"description": spec.full}))
        return
    facts = {"player": kind.name, "plays": kind.summary, "source": kind.source}
    facts["usage"] = kind.usage
    if spec is not None:
        facts["here"] = spec.full
    write_facts(facts)
    if kind.parameters:
        echo()
        _write_parameters(kind)


def _write_parameters(kind: PlayerKind) -> None:
    rows = [_parameter_object(parameter) for parameter in kind.parameters]
    columns = (
        _text_column("parameter", "name", rows),
        _text_column("default", "default", rows),
        _text_column("values", "values", rows),
        Column("meaning", 0, lambda row: row["about"]),
    )
    write_rows(rows, "table", columns)


def _text_column(heading: str, name: str, rows: list[dict[str, Any]]) -> Any:
    width = max(len(heading), *(len(row[name]) for row in rows))
    return Column(heading, width, lambda row: row[name])


def _as_object(kind: PlayerKind) -> dict[str, Any]:
    return {
        "player": kind.name,
        "summary": kind.summary,
        "source": kind.source,
        "usage": kind.usage,
        "argument": kind.argument,
        "parameters": [_parameter_object(parameter) for parameter in kind.parameters],
    }


def _as_row(kind: PlayerKind) -> dict[str, Any]:
    fields = _as_object(kind)
    return fields | {"parameters": [parameter["name"] for parameter in fields["parameters"]]}


def _parameter_object(parameter: Parameter) -> dict[str, str]:
    return {
        "name": parameter.name,
        "default": REQUIRED if parameter.is_required else parameter.format(parameter.default),
        "values": parameter.allowed,
        "about": parameter.about,
    }
