"""``c4 book probe``: what a book says about positions."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from cli.positions import books as options
from cli.shell import exits, parameters
from cli.shell.commands import Command, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.book import Book
    from c4core.lines import BadLine, Request
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.positions.answers import Extras, Writer
    from cli.shell.settings import Settings
    from workers.positions.question import Question
    from workers.positions.results import Answer

STDIN = 0
UNKNOWN = "the book does not have it"

EXAMPLES = (
    "c4 book probe --book small.c4book 3313",
    'c4 book probe --book small.c4book --json "" 33 34',
    "printf '33\\n3344\\n' | c4 book probe --book small.c4book -",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@click.argument("moves", nargs=-1)
@click.option(
    "--book",
    "file",
    type=options.BookFile(),
    metavar="FILE",
    help=f'The book.  [default: "{options.SHIPPED}", the one that c4 came with]',
)
@options.board_option
@parameters.zero_based_option
@click.pass_context
def probe(
    context: click.Context,
    *,
    moves: tuple[str, ...],
    file: str | None,
    board: BoardSize | None,
    zero_based: bool,
) -> None:
    """Ask a book about positions; nothing is searched.

    MOVES are the columns played so far, as in 4453; "" is the empty board. A column whose score is
    not in the book is shown without one: on the book's last ply every column that does not win.

    With - every line of standard input is a position, and is answered by an object like those of
    "c4 solve". A position that is not in the book is answered by an object with "error", and the
    exit code is 1.
    """
    settings: Settings = context.obj
    refuse(
        context,
        (not moves, 'no position: give MOVES, "" for the empty board, or - for standard input'),
        ("-" in moves and len(moves) > 1, "- stands alone"),
    )
    from cli.positions import given as positions
    from cli.positions.solving import Line, Solving, Wish
    from workers.positions.question import Question

    from_stdin = moves == ("-",)
    with closing(options.open_book(file, board)) as book:
        asker = _BookAsker(book)
        writer = _writer(as_json=settings.json or from_stdin, zero_based=zero_based)
        solving = Solving(asker, Wish(Question(columns=False)), writer)
        if from_stdin:
            solving.stream(STDIN, board=book.info.board, zero_based=zero_based)
        else:
            size = book.info.board
            asked = positions.from_arguments(moves, board=size, zero_based=zero_based)
            for request in asked:
                solving.answer([Line(request, b"")])
    if writer.failures:
        context.exit(exits.PROBLEMS)


class _BookAsker:
    """Asks only a book."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def ask(self, positions: Sequence[Position], question: Question) -> list[Answer]:  # noqa: ARG002 (the answer has all that is known)
        """What the book knows about each of some positions; no score where it does not."""
        return [self._answer(position) for position in positions]

    def principal_variation(self, position: Position) -> tuple[int, ...]:
        """No moves: that takes a search."""
        del position
        return ()

    def _answer(self, position: Position) -> Answer:
        from c4core.evaluation import score_limits
        from workers.positions.results import Answer

        score = self._book.probe(position)
        if score is None:
            lower, upper = score_limits(position.ply, *position.board)
            return Answer(lower, upper, source="book")
        return Answer(score, score, self._book.scores(position), source="book")


@dataclass(slots=True)
class _Filter:
    """Writes answers, or the reason why there is none."""

    writer: Writer
    failures: int = 0
    """Lines without a score. Columns without one do not count: on the last ply all lack it."""

    def answer(self, request: Request, raw: bytes, answer: Answer, extras: Extras) -> None:
        """Write an answer."""
        from c4core.lines import BadLine

        if answer.score is not None:
            self.writer.answer(request, raw, answer, extras)
            return
        what = "the game is over" if request.position.is_over else UNKNOWN
        self.bad(BadLine(request.line, what, "moves", request.id), raw)

    def bad(self, bad: BadLine, raw: bytes) -> None:
        """Write what is wrong."""
        self.failures += 1
        self.writer.bad(bad, raw)


def _writer(*, as_json: bool, zero_based: bool) -> _Filter:
    from cli.positions.answers import JsonWriter, TextWriter

    return _Filter(JsonWriter(zero_based) if as_json else TextWriter(zero_based))
