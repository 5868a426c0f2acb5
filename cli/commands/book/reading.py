"""``c4 book info``, ``probe`` and ``verify``: describe, query and check a book."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from c4core.book.outline import results
from c4core.book.verify import verify as verify_book
from c4core.evaluation import score_limits
from c4core.lines import BadLine
from c4core.solver import Solver
from cli.output import progress
from cli.output.formats import Column, write_object, write_rows
from cli.output.tables import write_facts
from cli.positions import books as options, given as positions
from cli.positions.solving import BatchSolver, InputLine, JsonWriter, SolveOptions, TextWriter
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import argument, flag, number, option, takes
from cli.shell.process import STDIN, Exit, echo, run_in_background
from workers.answers.question import Answer, Question, open_bounds
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from c4core.book import Book
    from c4core.book.layout import BookInfo
    from c4core.book.verify import BookVerification
    from c4core.lines import Request
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.output.formats import Row
    from cli.positions.solving import AnswerWriter, Extras
    from cli.shell.settings import Settings

INFO_EXAMPLES = (
    "c4 book info small.c4book",
    "c4 book info small.c4book --values",
    "c4 book info small.c4book --json",
)


@dataclass(frozen=True, kw_only=True)
class InfoGiven:
    """Parameters of ``c4 book info``."""

    file: str | None = options.book_argument()
    values: bool = flag("Also count wins of x, draws, and wins of o; this reads the complete book.")


@click.command(cls=Command, database=False, examples=INFO_EXAMPLES)
@takes(InfoGiven)
@click.pass_obj
def info(settings: Settings, given: InfoGiven) -> None:
    """Describe a book, by default the included one."""
    book = options.open_book(given.file)
    rows = list(value_rows(book)) if given.values else ply_rows(book.info)
    if settings.json:
        write_object({"file": book.path, **as_object(book.info), "plies": rows})
        return
    write_facts(as_facts(book.info, book.path))
    echo()
    write_rows(rows, "table", ply_columns(values=given.values))


def as_object(info: BookInfo) -> dict[str, object]:
    """A book's header as a JSON object."""
    return {
        "board": str(info.board),
        "last_ply": info.last_ply,
        "positions": info.positions,
        "bytes": info.file_bytes,
        "engine_version": info.engine_version,
        "format_version": info.format_version,
        "plies": ply_rows(info),
    }


def ply_rows(info: BookInfo) -> list[Row]:
    """A row for every ply."""
    return [
        {"ply": section.ply, "positions": section.positions, "bytes": section.length}
        for section in info.plies
    ]


def value_rows(book: Book) -> Iterator[Row]:
    """A row for every ply, with wins of x, draws, and wins of o; reads the complete book."""
    for row, (won, drawn, lost) in zip(ply_rows(book.info), results(book), strict=True):
        yield row | {"x_wins": won, "draws": drawn, "o_wins": lost}


def as_facts(info: BookInfo, path: str) -> dict[str, str]:
    """A book's header as names and values for people."""
    each = info.file_bytes / max(info.positions, 1)
    return {
        "book": path,
        "board": str(info.board),
        "stones": f"0 to {info.last_ply}",
        "positions": f"{info.positions:,}; two mirror images count as one",
        "size": f"{count(info.file_bytes, 'byte')}, {each:.2f} a position",
        "made by": f"engine {info.engine_version}, format {info.format_version}",
    }


def _bits(row: Row) -> str:
    return f"{8 * row['bytes'] / row['positions']:.2f}" if row["positions"] else "-"


def _number(name: str) -> Callable[[Row], str]:
    return lambda row: f"{row[name]:,}"


def ply_columns(*, values: bool) -> tuple[Column, ...]:
    """The columns of a table of plies; with ``values`` also the winners."""
    columns = (
        Column("ply", 3, lambda row: str(row["ply"]), right=True),
        Column("positions", 13, _number("positions"), right=True),
        Column("bytes", 12, _number("bytes"), right=True),
        Column("bits each", 9, _bits, right=True),
    )
    if not values:
        return columns
    return (
        *columns,
        Column("x wins", 13, _number("x_wins"), right=True),
        Column("draws", 13, _number("draws"), right=True),
        Column("o wins", 13, _number("o_wins"), right=True),
    )


UNKNOWN = "the book does not have this position"

PROBE_EXAMPLES = (
    "c4 book probe --book small.c4book 3313",
    'c4 book probe --book small.c4book --json "" 33 34',
    "printf '33\\n3344\\n' | c4 book probe --book small.c4book -",
)


@dataclass(frozen=True, kw_only=True)
class ProbeGiven:
    """Parameters of ``c4 book probe``."""

    moves: tuple[str, ...] = argument(nargs=-1)
    file: str | None = option(
        f'The book.  [default: "{options.SHIPPED}", the included book]',
        "--book",
        type=options.BookFile(),
        metavar="FILE",
    )
    board: BoardSize | None = options.board_of_book()
    zero_based: bool = parameters.zero_based()


@click.command(cls=Command, database=False, examples=PROBE_EXAMPLES)
@takes(ProbeGiven)
@click.pass_obj
def probe(settings: Settings, given: ProbeGiven) -> None:
    """Query a book about positions; nothing is searched.

    MOVES are the columns played so far, as in 4453; "" is the empty board. A column has no score if
    the position after it is not in the book. On the book's last ply this is every column that does
    not win.

    With -, every line of standard input is a position. The answers are objects as from "c4
    solve". If a position is not in the book, its object has an "error", and the exit code is 1.
    """
    refuse(
        (
            not given.moves,
            'no position: give MOVES, "" for the empty board, or - for standard input',
        ),
        ("-" in given.moves and len(given.moves) > 1, "- must be the only argument"),
    )

    from_stdin = given.moves == ("-",)
    with closing(options.open_book(given.file, given.board)) as book:
        asker = _BookAsker(book)
        is_json = settings.json or from_stdin
        writer = _Filter(JsonWriter(given.zero_based) if is_json else TextWriter(given.zero_based))
        solving = BatchSolver(asker, SolveOptions(Question(columns=False)), writer)
        if from_stdin:
            solving.stream(STDIN, board=book.info.board, zero_based=given.zero_based)
        else:
            size = book.info.board
            positions.hint_at_one(given.moves, board=size, zero_based=given.zero_based)
            asked = positions.from_arguments(given.moves, board=size, zero_based=given.zero_based)
            for request in asked:
                solving.answer([InputLine(request, "")])
    if solving.failures:
        raise click.exceptions.Exit(Exit.PROBLEMS)


class _BookAsker:
    def __init__(self, book: Book) -> None:
        self._book = book

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:  # noqa: ARG002 (answers are always complete)
        return [self._answer(position) for position in positions]

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """Return no moves: a principal variation takes a search."""
        del position
        return ()

    def _answer(self, position: Position) -> Answer:
        score = self._book.probe(position)
        if score is None:
            lower, upper = score_limits(position.ply, position.board)
            return Answer(lower, upper, source="book")
        scores = self._book.scores(position)
        least, most = score_limits(position.ply + 1, position.board)
        bounds = [
            (-most, min(-least, score)) if known is None else (known, known) for known in scores
        ]
        playable = position.legal_columns()
        columns = tuple(pair if at in playable else None for at, pair in enumerate(bounds))
        return Answer(score, score, scores, source="book", open_bounds=open_bounds(columns))


@dataclass(frozen=True, slots=True)
class _Filter:
    """Writes positions without a score as bad lines."""

    writer: AnswerWriter

    def answer(self, request: Request, text: str, answer: Answer, extras: Extras) -> None:
        if answer.score is not None:
            self.writer.answer(request, text, answer, extras)
            return
        what = "the game is over" if request.position.is_over else UNKNOWN
        self.bad(BadLine(request.line, what, "moves", request.id), text)

    def bad(self, bad: BadLine, text: str) -> None:
        self.writer.bad(bad, text)


VERIFY_EXAMPLES = (
    "c4 book verify small.c4book",
    "c4 book verify small.c4book --sample 1000 --seed 7 --json",
)


@dataclass(frozen=True, kw_only=True)
class VerifyGiven:
    """Parameters of ``c4 book verify``."""

    file: str | None = options.book_argument()
    sample: int = number(parameters.WholeNumber(0), "Solve N positions again.", default=100)
    seed: int = option(
        "Seed of the choice: the same seed chooses the same positions.",
        type=int,
        metavar="N",
        default=1,
    )
    threads: int = parameters.threads()


@click.command(cls=Command, database=False, examples=VERIFY_EXAMPLES)
@takes(VerifyGiven)
@click.pass_obj
def verify(settings: Settings, given: VerifyGiven) -> None:
    """Check a book, by default the included one.

    Every byte is checked by checksums, and every score is compared with the scores of the following
    positions. Some random positions are searched without the book. Errors are listed, and the exit
    code is 1.
    """
    book = options.open_book(given.file)
    found = _verified(settings, book, given.sample, given.seed, given.threads)
    looked_at = (
        f"{count(found.positions, 'position')} read and compared with the next ply, "
        f"{found.solved:,} solved again"
    )
    if settings.json:
        write_object(
            {
                "file": book.path,
                "sound": found.is_sound,
                "positions": found.positions,
                "solved": found.solved,
                "problems": list(found.problems),
            }
        )
    else:
        for problem in found.problems:
            echo(problem)
        if found.is_sound:
            echo(f"{book.path} is right: {looked_at}")
        else:
            settings.say(f"{book.path} is wrong: {looked_at}")
    if not found.is_sound:
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _verified(
    settings: Settings, book: Book, sample: int, seed: int, threads: int
) -> BookVerification:
    solver = Solver(table_mb=16, threads=threads)
    with progress.counting("reading positions", shown=progress.is_shown(settings)) as update:
        return run_in_background(
            lambda: verify_book(book, sample=sample, seed=seed, solver=solver, progress=update),
            solver.stop,
        )
