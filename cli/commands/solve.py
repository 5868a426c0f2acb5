"""``c4 solve``: solve positions from the command line, from grids, or from standard input."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import IO, TYPE_CHECKING

import click

from cli.output import progress
from cli.positions.books import book_options, book_path
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.process import STDIN, Exit

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.positions.asking import Asker
    from cli.positions.solving import AnswerWriter
    from cli.shell.settings import Settings
    from workers.answers.question import Answer

NOT_KEPT = "Results are not stored: the database is read-only."

EXAMPLES = (
    "c4 solve 4453",
    "c4 solve --pv --no-store 22525762534622441115",
    "c4 solve --json 32164625 2252576253462244",
    "printf '44455554221\\n4566632\\n' | c4 solve -",
    "c4 solve - --format c4solver --all-moves < positions.txt",
)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@click.argument("moves", nargs=-1)
@parameters.board_option
@click.option(
    "--key",
    "keys",
    type=parameters.WholeNumber(0, parameters.LARGEST_KEY),
    multiple=True,
    metavar="KEY",
    help='Solve the position with this key, as shown by "c4 query"; can be given again.',
)
@click.option("--grid", type=click.File(), help="Also solve the text grids in this file.")
@click.option("--weak", is_flag=True, help="Prove only win, draw or loss, which is faster.")
@click.option("--score-only", is_flag=True, help="Leave out the columns' scores, which is faster.")
@click.option(
    "--pv", is_flag=True, help="Show best play (principal variation); with --json to the end."
)
@click.option(
    "--time-limit",
    type=parameters.FiniteFloat(0, min_open=True),
    metavar="SECONDS",
    help="Time limit per position; then the proven bounds are shown.",
)
@click.option(
    "--node-limit",
    type=parameters.WholeNumber(1),
    metavar="N",
    help="Maximum number of nodes searched per position.",
)
@book_options
@click.option("--no-store", is_flag=True, help="Use no database: look nothing up, store nothing.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "json", "c4solver"]),
    help="text for people, json for programs (always with -), or the classic format.",
)
@click.option("--all-moves", is_flag=True, help="With c4solver: write the scores of all columns.")
@parameters.zero_based_option
@parameters.threads_option
@parameters.table_option
@click.pass_context
def solve(
    context: click.Context,
    *,
    moves: tuple[str, ...],
    board: BoardSize,
    keys: tuple[int, ...],
    grid: IO[str] | None,
    weak: bool,
    score_only: bool,
    pv: bool,
    time_limit: float | None,
    node_limit: int | None,
    book: str | None,
    no_book: bool,
    no_store: bool,
    format_name: str | None,
    all_moves: bool,
    zero_based: bool,
    threads: int,
    table_mb: int,
) -> None:
    """Solve positions: exact scores of positions and columns.

    MOVES are the columns played so far: 4453, 4,4,5,3 or "d1 d2 e1 c1"; "" is the empty board. A
    score is for the side to move, and 0 is a draw. A win is one more than the number of stones that
    the winner has left at the end, so a sooner win is larger. A loss is the negative of the
    opponent's win.

    With -, every line of standard input is a position and is answered at once: bare moves, or a
    JSON object with "moves", "grid" or "key", and an optional "id" that is echoed. Answers are JSON
    Lines in the order of the input. The answer to a bad line is an object with "error".

    With --format c4solver, every line is repeated with its score, as by Pascal Pons's program: one
    line of output per line of input. With --all-moves the scores of all columns follow, -1000 for a
    column that cannot be played. With --weak, scores are 1, 0 and -1. An empty line is the empty
    board, and a score behind the moves is ignored. The answer to a line that cannot be read, or
    whose game is already won, is an empty line; standard error says why.

    Positions in the included book, or in that of --book, are not searched. If Ctrl-C ends a search,
    standard error shows the bounds proven so far. If a limit ends it, a guess follows the bounds:
    the percentages of random games that the side to move wins, marked with ~, and for an empty
    board the published score; "estimate" in JSON.

    With --broker, a worker searches positions that are not stored, before all jobs of "c4 analyze".
    It uses its own --threads and --table-mb. --no-store always searches in this process.
    """
    settings: Settings = context.obj
    from_stdin = moves == ("-",)
    format_name = format_name or ("json" if settings.json or from_stdin else "text")
    classic = format_name == "c4solver"
    limited = time_limit is not None or node_limit is not None
    refuse(
        context,
        (
            not moves and not keys and grid is None,
            'no position: give MOVES, "" for the empty board, or - for standard input',
        ),
        (
            "-" in moves and (len(moves) > 1 or bool(keys) or grid is not None),
            "- must be the only argument",
        ),
        (all_moves and not classic, "--all-moves needs --format c4solver"),
        (pv and (classic or weak or limited), "--pv needs exact scores without a limit"),
    )

    from cli.positions import given as positions
    from cli.positions.asking import BookFirst
    from cli.positions.solving import REMOTE_BATCH_SECONDS, BatchSolver, InputLine, SolveOptions
    from workers.answers.lines import BATCH_SECONDS
    from workers.answers.question import Question, find_book

    columns = all_moves if classic else not score_only
    options = SolveOptions(
        Question(
            columns=columns and not weak, weak=weak, time_limit=time_limit, node_limit=node_limit
        ),
        line=pv,
        children=all_moves and weak,
        classic=classic,
    )
    chosen_book = book_path(context, book, no_book=no_book)
    opened = find_book(chosen_book, board)
    requests = []
    if not from_stdin:
        positions.hint_at_one(context, moves, board, zero_based=zero_based)
        requests = positions.from_arguments(moves, board=board, zero_based=zero_based)
    requests += positions.from_keys(keys, board=board)
    if grid is not None:
        requests += positions.from_grids(grid)
    shown = progress.is_shown(settings, over_output=False)
    with ExitStack() as stack:
        broker = None if no_store else settings.open_broker()

        def make_asker() -> Asker:
            from cli.positions.asking import LocalAsker, RemoteAsker

            database = None
            if not no_store:
                database = stack.enter_context(settings.open_database(create=True))
            if database is not None and broker is not None:
                from cli.work.job import NOBODY

                return RemoteAsker(
                    database,
                    broker,
                    on_nobody=lambda: settings.say(NOBODY),
                    book=opened,
                    workers_book=chosen_book,
                    shown=shown,
                    on_interrupt=partial(_say_stored, settings),
                )
            return LocalAsker(
                database,
                table_mb=table_mb,
                threads=threads,
                book=opened,
                shown=shown,
                on_not_kept=lambda: settings.say(NOT_KEPT),
                on_interrupt=partial(_say, settings, "Proven so far"),
            )

        asker = make_asker() if opened is None else BookFirst(opened, make_asker)
        batch_seconds = BATCH_SECONDS if broker is None else REMOTE_BATCH_SECONDS
        writer = _writer(format_name, weak=weak, zero_based=zero_based)
        solving = BatchSolver(asker, options, writer, batch_seconds=batch_seconds)
        if from_stdin:
            solving.stream(STDIN, board=board, zero_based=zero_based)
        for request in requests:
            text = str(request.position.key) if request.moves is None else request.moves
            solving.answer([InputLine(request, text)])
    if solving.failures:
        context.exit(Exit.PROBLEMS)


def _say_stored(
    settings: Settings,
    position: Position,
    answer: Answer,
    is_searching: bool,  # noqa: FBT001 (a callback)
) -> None:
    _say(settings, "Stored so far", position, answer)
    if is_searching:
        settings.say('The worker stores the bounds that it has proven: see "c4 query" in a moment')


def _say(settings: Settings, what: str, position: Position, answer: Answer) -> None:
    from cli.output.render import guess, verdict
    from workers.answers.lines import estimate_open

    settings.say(f"{what}: {verdict(position, answer)}")
    if text := guess(position, answer, estimate_open(position, answer)):
        settings.say(str(text))


def _writer(format_name: str, *, weak: bool, zero_based: bool) -> AnswerWriter:
    from cli.positions.solving import ClassicWriter, JsonWriter, TextWriter

    if format_name == "c4solver":
        return ClassicWriter(weak=weak)
    return JsonWriter(zero_based) if format_name == "json" else TextWriter(zero_based)
