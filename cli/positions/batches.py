"""Answering lines: asked in batches, written in order, failures counted."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from c4core.lines import BadLine, Request, read_lines
from cli.positions.answers import Extras
from cli.positions.linesource import LineSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.positions.answers import Writer
    from cli.positions.asking import Asker
    from workers.positions.question import Question
    from workers.positions.results import Answer

LOCAL_BATCH_SECONDS = 0.1
"""About how long a batch of lines takes where this process searches."""
REMOTE_BATCH_SECONDS = 1.0
"""The same where every batch is a job, which costs some tenths of a second."""
LARGEST_BATCH = 4096


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
        batch_seconds: float = LOCAL_BATCH_SECONDS,
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
        size = 1
        while lines := list(_waiting(items, source, size)):
            began = time.monotonic()
            self.answer(lines)
            if time.monotonic() - began < self._batch_seconds:
                size = min(2 * size, LARGEST_BATCH)
            else:
                size = max(1, size // 2)

    def answer(self, lines: Sequence[Line]) -> None:
        """Answer some lines, in order, and flush the output. The positions are of one board."""
        lines = [self._checked(line) for line in lines]
        positions = [line.item.position for line in lines if isinstance(line.item, Request)]
        answers = iter(self._asker.ask(positions, self._wish.question) if positions else ())
        for item, raw in lines:
            if isinstance(item, BadLine):
                self.failures += 1
                self._writer.bad(item, raw)
                continue
            answer = next(answers)
            self.failures += not self._settles(answer, item.position)
            self._writer.answer(item, raw, answer, self._extras(item.position))
        sys.stdout.flush()

    def _checked(self, line: Line) -> Line:
        item = line.item
        if self._wish.refuses_won and isinstance(item, Request) and item.position.winner:
            return Line(BadLine(item.line, "the game is won already", "moves", item.id), line.raw)
        return line

    def _settles(self, answer: Answer, position: Position) -> bool:
        """Whether the answer is complete: no limit has cut it short."""
        if self._wish.question.weak:
            return answer.value is not None
        if answer.score is None:
            return False
        scores = answer.scores
        return scores is None or all(
            scores[column] is not None for column in position.legal_columns()
        )

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
