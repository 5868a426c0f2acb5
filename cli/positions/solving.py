"""Answering lines: asked in batches, written in order, failures counted."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from c4core.lines import BadLine, Request, read_lines
from cli.positions.answers import Extras
from cli.positions.linesource import LineSource
from workers.positions.batches import BATCH_SECONDS, BatchSize, answer_lines
from workers.positions.results import settles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.positions.answers import Writer
    from cli.positions.asking import Asker
    from workers.positions.question import Question

REMOTE_BATCH_SECONDS = 1.0
"""About how long a batch takes where each is a job, which costs some tenths of a second."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of every position."""

    question: Question
    line: bool = False
    """Best play to the end."""
    children: bool = False
    """The answer behind every column, each to the same question."""
    refuses_won: bool = False
    """A game that is won already counts as a bad line."""


class Line(NamedTuple):
    """A line of input."""

    item: Request | BadLine
    raw: bytes
    """As it came."""


class Solving:
    """Answers lines and writes the answers.

    Args:
        asker: answers.
        wish: what is wanted of every position.
        writer: writes.
        batch_seconds: as many waiting lines as take about this time are answered together.

    Attributes:
        failures: lines without a complete answer.
    """

    def __init__(
        self,
        asker: Asker,
        wish: Wish,
        writer: Writer,
        *,
        batch_seconds: float = BATCH_SECONDS,
    ) -> None:
        self.failures = 0
        self._batch_seconds = batch_seconds
        self._asker = asker
        self._wish = wish
        self._writer = writer

    def stream(self, descriptor: int, *, board: BoardSize, zero_based: bool) -> None:
        """Answer the lines of a descriptor.

        Lines that wait are answered together, in batches that grow while answers come quickly. A
        line is answered without waiting for the next one.
        """
        source = LineSource(descriptor)
        items = read_lines(cast("BinaryIO", source), board=board, zero_based=zero_based)
        size = BatchSize(self._batch_seconds)
        while lines := list(_waiting(items, source, size.lines)):
            with size.measured():
                self.answer(lines)

    def answer(self, lines: Sequence[Line]) -> None:
        """Answer some lines, in order, and flush the output. The positions are of one board."""
        question = self._wish.question
        answers = answer_lines(
            [self._checked(line.item) for line in lines],
            lambda positions: self._asker.ask(positions, question),
        )
        for answered, (_, raw) in zip(answers, lines, strict=True):
            if isinstance(answered, BadLine):
                self.failures += 1
                self._writer.bad(answered, raw)
                continue
            request, answer = answered
            self.failures += not settles(answer, request.position, question)
            self._writer.answer(request, raw, answer, self._extras(request.position))
        sys.stdout.flush()

    def _checked(self, item: Request | BadLine) -> Request | BadLine:
        if self._wish.refuses_won and isinstance(item, Request) and item.position.winner:
            return BadLine(item.line, "the game is won already", "moves", item.id)
        return item

    def _extras(self, position: Position) -> Extras:
        line = self._asker.principal_variation(position) if self._wish.line else None
        if not self._wish.children:
            return Extras(line)
        columns = position.legal_columns()
        behind = self._asker.ask([position.play(column) for column in columns], self._wish.question)
        by_column = dict(zip(columns, behind, strict=True))
        return Extras(line, tuple(by_column.get(column) for column in range(position.width)))


def _waiting(items: Iterator[Request | BadLine], source: LineSource, limit: int) -> Iterator[Line]:
    """Wait for a line; then take those that are there already, up to the limit."""
    for number, item in enumerate(items, start=1):
        yield Line(item, source.line)
        if number == limit or not source.is_ready():
            return
