"""The tree of commands."""

from __future__ import annotations

import click

from cli.shell import echo, exits, settings
from cli.shell.commands import LazyGroup

COMMANDS = {
    "solve": "cli.commands.solve:solve",
    "analyze": "cli.commands.analyze:analyze",
    "deep": "cli.commands.deep:deep",
    "book": "cli.commands.book:book",
    "review": "cli.commands.review:review",
    "show": "cli.commands.show:show",
    "prove": "cli.commands.certificate.prove:prove",
    "certificate": "cli.commands.certificate:certificate",
    "count": "cli.commands.count:count",
    "query": "cli.query.command:query",
    "jobs": "cli.jobs.command:jobs",
    "status": "cli.jobs.status:status",
    "match": "cli.commands.match:match",
    "tournament": "cli.commands.tournament:tournament",
    "dataset": "cli.commands.dataset:dataset",
    "play": "cli.commands.play.command:play",
    "games": "cli.commands.games:games",
    "players": "cli.commands.players:players",
    "engine": "cli.commands.engine:engine",
    "learn": "cli.commands.learn:learn",
    "serve": "cli.serve.command:serve",
    "worker": "cli.worker.command:worker",
    "db": "cli.database.command:database",
    "config": "cli.commands.config:config",
    "completion": "cli.commands.completion:completion",
    "bench": "cli.commands.bench:bench",
}

EXAMPLES = (
    "c4 solve 4453",
    "c4 analyze --sample --score-only | head -3",
    "c4 query --ply 20 --value win --limit 5",
)


class Program(LazyGroup):
    """The group at the top, whose help ends with the exit codes."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the exit codes."""
        super().format_epilog(ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in exits.HELP])


def _version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if value and not context.resilient_parsing:
        from c4core.version import ENGINE_VERSION, __version__

        echo.line(f"c4 {__version__} (engine {ENGINE_VERSION})")
        context.exit()


@click.group(cls=Program, lazy=COMMANDS, examples=EXAMPLES)
@settings.database_option(envvar="C4_DB")
@settings.broker_option(envvar="C4_BROKER")
@settings.json_option
@settings.quiet_option
@settings.verbose_option
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version of the package and of the engine.",
)
def c4() -> None:
    """Exact Connect Four analysis: solve positions, keep them, query them.

    Moves are column numbers counted from 1, as in 4453. A score is seen from the side to move:
    positive wins, 0 draws, negative loses; the larger the number, the sooner.

    Results are kept in a database, by default a file in your data directory, and no position is
    solved twice. With --broker the work is done by "c4 worker" processes on any number of machines
    that share the database.
    """
