"""``c4 solve``: solve positions from the command line, from grids, or from standard input."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from cli.output import progress
from cli.positions import given as positions
from cli.positions.asking import BookFirst, LocalAsker, RemoteAsker
from cli.positions.books import Books
from cli.positions.solving import (
    REMOTE_BATCH_SECONDS,
    BatchSolver,
    ClassicWriter,
    InputLine,
    JsonWriter,
    SolveOptions,
    TextWriter,
)
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, argument, choice, flag, group, number, option, takes
from cli.shell.process import STDIN, Exit
from workers.answers.lines import BATCH_SECONDS, estimate_open
from workers.answers.question import Question, find_book

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


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 solve``."""

    moves: tuple[str, ...] = argument(nargs=-1)
    board: BoardSize = parameters.board()
    keys: tuple[int, ...] = number(
        parameters.WholeNumber(0, parameters.LARGEST_KEY),
        'Solve the position with this key, as shown by "c4 query"; can be given again.',
        "--key",
        multiple=True,
        metavar="KEY",
    )
    grid: IO[str] | None = option("Also solve the text grids in this file.", type=click.File())
    weak: bool = flag("Prove only win, draw or loss, which is faster.")
    score_only: bool = flag("Leave out the columns' scores, which is faster.")
    pv: bool = flag("Show best play (principal variation); with --json to the end.")
    time_limit: float | None = number(
        parameters.FiniteFloat(0, min_open=True),
        "Time limit per position; then the proven bounds are shown.",
        metavar="SECONDS",
    )
    node_limit: int | None = number(
        parameters.WholeNumber(1), "Maximum number of nodes searched per position."
    )
    books: Books = group(Books)
    no_store: bool = parameters.no_store()
    format_name: str | None = choice(
        ["text", "json", "c4solver"],
        "text for people, json for programs (always with -), or the classic format.",
        "--format",
    )
    all_moves: bool = flag("With c4solver: write the scores of all columns.")
    zero_based: bool = parameters.zero_based()
    engine: Engine = group(Engine)


@click.command(cls=Command, broker=True, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def solve(settings: Settings, given: Given) -> None:
    """Solve positions: exact scores of positions and columns.

    MOVES are the columns played so far: 4453, 4,4,5,3 or "d1 d2 e1 c1"; "" is the empty board. A
    score is for the side to move, and 0 is a draw. A win is one more than the number of stones that
    the winner has left at the end, so a sooner win is larger. A loss is the negative of the
    opponent's win. The line "why" gives a reason for the best column, if there is a short one; with
    --pv it may hold after some plies of best play, and JSON has it as "reason". See
    docs/reviews.md.

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
    from_stdin = given.moves == ("-",)
    format_name = given.format_name or ("json" if settings.json or from_stdin else "text")
    classic = format_name == "c4solver"
    limited = given.time_limit is not None or given.node_limit is not None
    refuse(
        (
            not given.moves and not given.keys and given.grid is None,
            'no position: give MOVES, "" for the empty board, or - for standard input',
        ),
        (
            "-" in given.moves
            and (len(given.moves) > 1 or bool(given.keys) or given.grid is not None),
            "- must be the only argument",
        ),
        (given.all_moves and not classic, "--all-moves needs --format c4solver"),
        (
            given.pv and (classic or given.weak or limited),
            "--pv needs exact scores without a limit",
        ),
    )

    columns = given.all_moves if classic else not given.score_only
    options = SolveOptions(
        Question(
            columns=columns and not given.weak,
            weak=given.weak,
            time_limit=given.time_limit,
            node_limit=given.node_limit,
        ),
        line=given.pv,
        children=given.all_moves and given.weak,
        classic=classic,
    )
    chosen_book = given.books.path()
    opened = find_book(chosen_book, given.board)
    requests = []
    if not from_stdin:
        where: dict[str, Any] = {"board": given.board, "zero_based": given.zero_based}
        positions.hint_at_one(given.moves, **where)
        requests = positions.from_arguments(given.moves, **where)
    requests += positions.from_keys(given.keys, board=given.board)
    if given.grid is not None:
        requests += positions.from_grids(given.grid)
    shown = progress.is_shown(settings)
    with ExitStack() as stack:
        broker = None if given.no_store else settings.open_broker()

        def make_asker() -> Asker:
            database = None
            if not given.no_store:
                database = stack.enter_context(settings.open_database(create=True))
            if database is not None and broker is not None:
                from cli.work.job import NO_WORKERS

                return RemoteAsker(
                    database,
                    broker,
                    on_nobody=lambda: settings.say(NO_WORKERS),
                    book=opened,
                    workers_book=chosen_book,
                    shown=shown,
                    on_interrupt=partial(_say_stored, settings),
                )
            return LocalAsker(
                database,
                **vars(given.engine),
                book=opened,
                shown=shown,
                on_not_kept=lambda: settings.say(NOT_KEPT),
                on_interrupt=partial(_say, settings, "Proven so far"),
            )

        asker = make_asker() if opened is None else BookFirst(opened, make_asker)
        batch_seconds = BATCH_SECONDS if broker is None else REMOTE_BATCH_SECONDS
        writer = _writer(format_name, weak=given.weak, zero_based=given.zero_based)
        solving = BatchSolver(asker, options, writer, batch_seconds=batch_seconds)
        if from_stdin:
            solving.stream(STDIN, board=given.board, zero_based=given.zero_based)
        for request in requests:
            text = str(request.position.key) if request.moves is None else request.moves
            solving.answer([InputLine(request, text)])
    if solving.failures:
        raise click.exceptions.Exit(Exit.PROBLEMS)


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
    from cli.output.render import guess, result_sentence

    settings.say(f"{what}: {result_sentence(position, answer)}")
    if text := guess(position, answer, estimate_open(position, answer)):
        settings.say(str(text))


def _writer(format_name: str, *, weak: bool, zero_based: bool) -> AnswerWriter:
    if format_name == "c4solver":
        return ClassicWriter(weak=weak)
    return JsonWriter(zero_based) if format_name == "json" else TextWriter(zero_based)
