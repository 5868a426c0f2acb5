"""Answering lines of a stream: those that wait are asked about together, and answered in order."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.lines import BadLine, Request
from workers.positions.results import answer_object, error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from c4core.lines import JsonValue
    from c4core.position import Position
    from workers.positions.results import Answer

    Ask = Callable[[Sequence[Position]], Sequence[Answer]]
    """Answers about each of some positions of one board."""

BATCH_SECONDS: Final = 0.1
"""About how long a batch of lines takes where this process searches."""

LARGEST_BATCH: Final = 4096
"""Lines that are answered together at most: their answers are in memory."""


class BatchSize:
    """How many waiting lines are answered together: more and more while that is quick.

    Args:
        seconds: as many lines are asked about as take about this time.
        largest: at most so many.

    Attributes:
        lines: the number for the next batch.
    """

    def __init__(self, seconds: float = BATCH_SECONDS, *, largest: int = LARGEST_BATCH) -> None:
        self.lines = 1
        self._seconds = seconds
        self._largest = largest

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Within this context a batch is answered."""
        began = time.monotonic()
        yield
        if time.monotonic() - began < self._seconds:
            self.lines = min(2 * self.lines, self._largest)
        else:
            self.lines = max(1, self.lines // 2)


class Answered(NamedTuple):
    """A line that names a position, and its answer."""

    request: Request
    answer: Answer


def answer_lines(lines: Sequence[Request | BadLine], ask: Ask) -> Iterator[Answered | BadLine]:
    """Each line, with its answer if it names a position, in order.

    Args:
        lines: their positions are of one board.
        ask: is asked about all positions together, if there are any.
    """
    positions = [line.position for line in lines if isinstance(line, Request)]
    answers = iter(ask(positions) if positions else ())
    for line in lines:
        if isinstance(line, BadLine):
            yield line
        else:
            yield Answered(line, next(answers))


def request_object(
    request: Request, answer: Answer, *, zero_based: bool = False
) -> dict[str, JsonValue]:
    """The JSON object for a line that has an answer.

    Args:
        request: the line.
        answer: its answer.
        zero_based: columns are counted from 0, as the line's moves are.
    """
    return answer_object(
        answer,
        board=request.position.board,
        ply=request.position.ply,
        moves=request.moves,
        key=None if request.moves is not None else request.position.key,
        identity=request.id,
        zero_based=zero_based,
    )


def bad_line_object(bad: BadLine) -> dict[str, JsonValue]:
    """The JSON object for a line that names no position."""
    return error_object(line=bad.line, error=bad.error, field=bad.field, identity=bad.id)
