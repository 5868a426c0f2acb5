"""``c4 puzzles``: positions with a single good move, from games or random play."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import click

from c4core.lines import BadLine
from cli.output import drawing, render
from cli.output.formats import (
    STANDARD_OUTPUT,
    Column,
    chosen_format,
    list_formats,
    opened,
    output_file,
    write_rows,
)
from cli.positions.games import STDIN, read_names, stream_games
from cli.positions.given import report_bad_line
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, argument, flag, group, number, takes
from cli.shell.process import Exit, run_in_background
from workers.answers.service import AnswerService, SearchStop
from workers.match.puzzles import PuzzleSearch, puzzle_object, puzzles_picture
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.arena.files import GameEntry
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from workers.match.puzzles import Puzzle

COUNT: Final = 10
"""The default number of puzzles from random play."""

EXAMPLES: Final = (
    "c4 puzzles --count 3",
    "c4 puzzles --seed 7 --boards",
    "c4 puzzles 1 --jsonl > puzzles.jsonl",
    "c4 puzzles 1:0 games.jsonl --output puzzles.csv",
    "c4 puzzles --count 6 --plot puzzles.svg",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 puzzles``."""

    games: tuple[str, ...] = argument("[GAME]...", nargs=-1)
    board: BoardSize = parameters.board()
    count: int | None = number(
        parameters.WholeNumber(1),
        f"Write at most N puzzles.  [default: all of the games, {COUNT} of random play]",
    )
    seed: int | None = parameters.seed(
        "Seed of random play: the same seed gives the same puzzles.  [default: 0]", default=None
    )
    boards: bool = flag("Draw the boards.")
    format_name: str | None = list_formats()
    output: str | None = output_file()
    plots: tuple[str, ...] = drawing.plot(
        "Draw the boards into an .svg or .png; can be given again."
    )
    time_limit: float | None = number(
        parameters.FiniteFloat(0),
        "Stop after this time, with the puzzles that were found.",
        metavar="SECONDS",
    )
    no_store: bool = parameters.no_store()
    engine: Engine = group(Engine)


@click.command(cls=Command, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_context
def puzzles(context: click.Context, given: Given) -> None:
    """Find positions with a single move that keeps a win or a draw.

    A GAME is the number of a MATCH with all its stored games, the MATCH:NUMBER of one of them, a
    file, - for standard input, or moves, as "c4 review" takes them. A number of at most seven
    digits is a match. Without GAMEs, the positions come from random play in which both sides win
    and block if they can.

    The move must not be obvious: it does not win at once, and it is not the only one that does not
    lose at once. At most 30 cells are empty. A position and its mirror image are one puzzle.

    "keeps" is the result for the side to move, "column" the solution, "line" best play from there
    to the end, and "length" the number of its moves. "difficulty" is the number of positions that
    a search without book and database visits to find who wins.
    """
    settings: Settings = context.obj
    chosen = chosen_format(settings, given.format_name, given.output)
    is_file = given.output not in (None, STANDARD_OUTPUT)
    refuse(
        (given.games.count(STDIN) > 1, "- can be given only once"),
        (bool(given.games) and given.seed is not None, "--seed is for random play, without GAMEs"),
        (given.boards and chosen != "table", "--boards needs the table format"),
        (
            chosen == "parquet" or (is_file and chosen == "table"),
            "--output needs a format: end FILE in .csv, .json or .jsonl",
        ),
    )
    drawing.check_pictures(given.plots)
    named = read_names(context, given.games, given.board, has_matches=True)
    refuse((named.has_stored and given.no_store, "a stored game needs the database"))

    found: list[Puzzle] = []
    bad: list[BadLine] = []
    with ExitStack() as stack:
        database = None
        if not given.no_store:
            database = stack.enter_context(settings.open_database(create=not named.has_stored))
        service = AnswerService(database, **vars(given.engine))
        stack.callback(service.close)
        stop = SearchStop()
        search = PuzzleSearch(service, budget=given.time_limit, stop=stop)
        if given.games:
            source = search.all_of(_without_bad(stream_games(named, given.board, database), bad))
            source = islice(source, given.count)
        else:
            source = search.random(given.board, seed=given.seed or 0, count=given.count or COUNT)
        shown = _noted(_in_background(source, stop), found)
        with opened(given.output, chosen) as target:
            if given.boards:
                _write_boards(shown)
            else:
                rows = map(puzzle_object, shown)
                write_rows(rows, chosen, _COLUMNS, names=_NAMES, target=target)
    wanted = given.count if given.games else given.count or COUNT
    if not search.is_complete:
        settings.say("The time limit is reached.")
    if not found or (wanted is not None and len(found) < wanted):
        settings.say(f"Found {count(len(found), 'puzzle')}.")
    if found:
        for name in given.plots:
            drawing.draw_picture(name, puzzles_picture(found))
    for line in bad:
        report_bad_line(line)
    if bad:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _without_bad(entries: Iterable[GameEntry | BadLine], bad: list[BadLine]) -> Iterator[GameEntry]:
    """Yield the games; append the bad lines to ``bad``."""
    for entry in entries:
        if isinstance(entry, BadLine):
            bad.append(entry)
        else:
            yield entry


def _in_background(source: Iterator[Puzzle], stop: SearchStop) -> Iterator[Puzzle]:
    """Search for each puzzle in another thread, so that Ctrl-C is handled at once."""
    while (puzzle := run_in_background(partial(next, source, None), stop.set)) is not None:
        yield puzzle


def _noted(source: Iterable[Puzzle], found: list[Puzzle]) -> Iterator[Puzzle]:
    """Yield the puzzles, and append them to ``found``."""
    for puzzle in source:
        found.append(puzzle)
        yield puzzle


_NAMES: Final = (
    "match",
    "number",
    "board",
    "moves",
    "key",
    "grid",
    "ply",
    "side",
    "keeps",
    "solution",
    "line",
    "length",
    "difficulty",
)
"""The fields of :func:`workers.match.puzzles.puzzle_object`."""

_COLUMNS: Final = (
    Column("side", 4, lambda row: row["side"]),
    Column("keeps", 5, lambda row: row["keeps"]),
    Column("column", 6, lambda row: row["line"][0], right=True),
    Column("length", 6, lambda row: str(row["length"]), right=True),
    Column("difficulty", 10, lambda row: f"{row['difficulty']:,}", right=True),
    Column("position", 24, lambda row: row["moves"] or f"key {row['key']}"),
    Column("line", 1, lambda row: row["line"]),
)


def _write_boards(source: Iterable[Puzzle]) -> None:
    """Draw every board with the question above it; the solutions follow at the end."""
    out = render.console()
    solutions = []
    for place, puzzle in enumerate(source, start=1):
        fields = puzzle_object(puzzle)
        length = count(fields["length"], "move")
        solutions.append(
            f"{place}. {fields['line']} ({length}), difficulty {fields['difficulty']:,}"
        )
        out.print(f"{place}. {puzzle.position.turn} to move and {puzzle.keeps}", style="bold")
        out.print(render.board(puzzle.position, None))
    if solutions:
        out.print("Solutions", style="bold")
    for solution in solutions:
        out.print(solution)
