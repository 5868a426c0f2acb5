"""The group ``c4 games``."""

from __future__ import annotations

import click

from cli.shell.commands import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "matches": "cli.commands.games.listing:matches",
        "list": "cli.commands.games.listing:list_",
        "show": "cli.commands.games.showing:show",
        "report": "cli.commands.games.showing:report",
        "export": "cli.commands.games.exchange:export",
        "import": "cli.commands.games.exchange:import_",
        "delete": "cli.commands.games.listing:delete",
    },
    examples=[
        "c4 games matches",
        "c4 games list 1 --limit 5",
        "c4 games show 1:0",
        "c4 games export 1 > games.jsonl",
    ],
)
def games() -> None:
    """List, show, report, export and import games.

    Every game belongs to a match and is named by both numbers: 3:17 is game 17 of match 3. Matches
    are played by "c4 match" and "c4 tournament", or imported.
    """
