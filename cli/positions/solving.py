"""Read lines of positions in batches, answer them in order, and write the answers."""

from __future__ import annotations

import json
import os
import select
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, cast

from c4core.lines import BadLine, Request, parse_classic_line, parse_line, read_text_lines
from c4core.notation import DEFAULT_BOARD, format_moves
from cli.positions.given import report_bad_line
from cli.shell.process import echo, reading
from workers.answers.lines import (
    BATCH_SECONDS,
    BatchSize,
    answer_lines,
    bad_line_object,
    estimate_open,
    explain_best,
    request_object,
)
from workers.answers.question import settles
from workers.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.positions.asking import Asker
    from workers.answers.question import Answer, Question

CHUNK = 64 * 1024


class LineSource:
    """Reads a file descriptor line by line.

    ``readline`` works as for a binary file, so that ``c4core.lines.read_text_lines`` can use it.
    Unlike a file object, it shows whether the next line can be read without waiting. If it can,
    lines are answered in batches; otherwise the line is answered at once, because its sender may
    wait.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._at_end = False

    def readline(self, limit: int) -> bytes:
        """Return the next line with its end, cut at the limit; empty at the end of the input."""
        searched = 0
        while True:
            end = self._buffer.find(b"\n", searched, limit) + 1
            if end or len(self._buffer) >= limit or self._at_end:
                break
            searched = len(self._buffer)
            self._read()
        piece = bytes(self._buffer[: end or limit])
        del self._buffer[: len(piece)]
        return piece

    def is_ready(self) -> bool:
        """Whether the next line, or the end of the input, can be read without waiting."""
        if not self._at_end and b"\n" not in self._buffer and self._is_readable():
            self._read()
        return self._at_end or b"\n" in self._buffer

    def _is_readable(self) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(0))

    def _read(self) -> None:
        with reading("standard input"):
            chunk = os.read(self._descriptor, CHUNK)
        self._buffer += chunk
        self._at_end = not chunk


FULL_COLUMN = -1000
"""The score of a column that cannot be played, in the format of Pascal Pons's solver."""


@dataclass(frozen=True, slots=True)
class Extras:
    """Optional parts of an answer."""

    line: tuple[int, ...] | None = None
    """Best play to the end, as 0-based columns."""
    children: tuple[Answer | None, ...] | None = None
    """The answer after each column, for the side that moves next; None for a full column."""


class AnswerWriter(Protocol):
    """Writes the answer to a line, or its error. ``text`` is the line as it was read."""

    def answer(self, request: Request, text: str, answer: Answer, extras: Extras) -> None:
        """Write an answer."""

    def bad(self, bad: BadLine, text: str) -> None:
        """Write the answer to a bad line."""


@dataclass(frozen=True, slots=True)
class JsonWriter:
    """Writes one JSON object per line, with ``pv`` and ``reason`` if best play was requested."""

    zero_based: bool = False

    def answer(self, request: Request, text: str, answer: Answer, extras: Extras) -> None:  # noqa: ARG002 (the object has the moves)
        """Write an answer."""
        fields = request_object(request, answer, zero_based=self.zero_based, estimates=True)
        if extras.line is not None:
            fields["pv"] = format_moves(extras.line, zero_based=self.zero_based)
            reason = explain_best(request.position, answer, extras.line)
            fields["reason"] = None if reason is None else reason.to_dict()
        sys.stdout.write(json.dumps(fields) + "\n")

    def bad(self, bad: BadLine, text: str) -> None:  # noqa: ARG002 (the object has the line's number)
        """Write an object with the error."""
        sys.stdout.write(json.dumps(bad_line_object(bad)) + "\n")


@dataclass(frozen=True, slots=True)
class ClassicWriter:
    """Writes in the format of Pascal Pons's solver: the line, then its score or column scores.

    Every line has exactly one answer. The answer to a bad line is an empty line, and a line that
    was not solved is written without a score. The reason is on standard error.
    """

    weak: bool = False

    def answer(self, request: Request, text: str, answer: Answer, extras: Extras) -> None:
        """Write an answer."""
        if extras.children is not None:
            behind = [FULL_COLUMN if c is None else self._behind(c) for c in extras.children]
        elif answer.scores is not None:
            legal = set(request.position.legal_columns())
            behind = [
                score if column in legal else FULL_COLUMN
                for column, score in enumerate(answer.scores)
            ]
        else:
            behind = [self._score(answer)]
        scores = " ".join(["", *map(str, behind)])
        if None in behind:
            scores = ""
            echo(f"Line {request.line}: not solved within the limit", err=True)
        words = "".join(text.splitlines())
        if request.moves is not None and words.startswith(f"{request.moves} "):
            words = request.moves  # without the expected score that follows the moves
        sys.stdout.buffer.write(f"{words}{scores}\n".encode())

    def bad(self, bad: BadLine, text: str) -> None:  # noqa: ARG002 (the message has the number)
        """Write an empty line."""
        report_bad_line(bad)
        sys.stdout.buffer.write(b"\n")

    def _behind(self, child: Answer) -> int | None:
        score = self._score(child)
        return None if score is None else -score

    def _score(self, answer: Answer) -> int | None:
        if not self.weak:
            return answer.score
        return {"win": 1, "draw": 0, "loss": -1, None: None}[answer.value]


@dataclass(slots=True)
class TextWriter:
    """Writes who wins, best play, and the board with its columns' scores, for people."""

    zero_based: bool = False
    written: int = 0
    """Number of positions so far."""

    def answer(self, request: Request, text: str, answer: Answer, extras: Extras) -> None:  # noqa: ARG002 (shown as read)
        """Write the position and its answer."""
        from rich.text import Text

        from cli.output import render

        out = render.console()
        if self.written:
            out.print()
        self.written += 1
        if request.moves:
            out.print(Text(printable(request.moves), style="bold"))
        board = request.position.board
        if board != DEFAULT_BOARD:
            out.print(f"{board.width} columns x {board.height} rows")
        out.print(render.result_sentence(request.position, answer))
        estimate = estimate_open(request.position, answer)
        if guess := render.guess(request.position, answer, estimate):
            out.print(guess)
        if answer.best:
            noun = "best column: " if len(answer.best) == 1 else "best columns: "
            out.print(noun + render.labels(answer.best, zero_based=self.zero_based))
        if extras.line:
            out.print("best play: " + _shortened(extras.line, zero_based=self.zero_based))
        reason = explain_best(request.position, answer, extras.line)
        if reason is not None and not self.zero_based:  # its columns count from 1
            out.print(f"why: {reason.text}")
        out.print()
        out.print(
            render.board(
                request.position,
                answer.bounds,
                estimate,
                zero_based=self.zero_based,
            ),
            end="",
        )
        if not request.position.is_over:
            out.print()
            out.print(Text(render.effort(answer), style="dim"))

    def bad(self, bad: BadLine, text: str) -> None:  # noqa: ARG002 (the message says it all)
        """Report the error."""
        report_bad_line(bad)


SHOWN_MOVES = 16
"""Maximum number of moves of best play to show."""


def _shortened(line: Sequence[int], *, zero_based: bool) -> str:
    shown = format_moves(line[:SHOWN_MOVES], zero_based=zero_based)
    rest = len(line) - SHOWN_MOVES
    return f"{shown} and {rest} more; --json writes all moves" if rest > 0 else shown


REMOTE_BATCH_SECONDS = 1.0
"""Target time of a batch if workers search: each batch is a job, which adds some tenths of a
second."""


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """The question about every position, and the parts of the answer."""

    question: Question
    line: bool = False
    """Whether to add best play to the end."""
    children: bool = False
    """Whether to answer the same question after every column."""
    classic: bool = False
    """Whether lines have the format of Pascal Pons's solver, in which a won game is a bad line."""


class InputLine(NamedTuple):
    """A line of input."""

    item: Request | BadLine
    text: str
    """The line as it was read."""


class BatchSolver:
    """Answers lines and writes the answers.

    Args:
        asker: answers the questions.
        options: the question about every position.
        writer: writes the answers.
        batch_seconds: target time of a batch of waiting lines.

    Attributes:
        failures: number of lines without a complete answer.
    """

    def __init__(
        self,
        asker: Asker,
        options: SolveOptions,
        writer: AnswerWriter,
        *,
        batch_seconds: float = BATCH_SECONDS,
    ) -> None:
        self.failures = 0
        self._batch_seconds = batch_seconds
        self._asker = asker
        self._options = options
        self._writer = writer

    def stream(self, descriptor: int, *, board: BoardSize, zero_based: bool) -> None:
        """Answer the lines of a file descriptor.

        Waiting lines are answered together, in batches that grow while answers are quick. A line
        never waits for a later one.
        """
        source = LineSource(descriptor)
        parse = parse_classic_line if self._options.classic else parse_line
        read = (
            InputLine(text, "")
            if isinstance(text, BadLine)
            else InputLine(parse(text, board=board, zero_based=zero_based, line=line), text)
            for line, text in read_text_lines(cast("BinaryIO", source))
        )
        size = BatchSize(self._batch_seconds)
        while lines := list(_waiting(read, source, size.lines)):
            with size.measured():
                self.answer(lines)

    def answer(self, lines: Sequence[InputLine]) -> None:
        """Answer lines in order, and flush the output. All positions are of one board."""
        question = self._options.question
        answers = answer_lines(
            [self._checked(line.item) for line in lines],
            lambda positions: self._asker.ask(positions, question),
        )
        for answered, (_, text) in zip(answers, lines, strict=True):
            if isinstance(answered, BadLine):
                self.failures += 1
                self._writer.bad(answered, text)
                continue
            request, answer = answered
            self.failures += not settles(answer, request.position, question)
            self._writer.answer(request, text, answer, self._extras(request.position))
        sys.stdout.flush()

    def _checked(self, item: Request | BadLine) -> Request | BadLine:
        if self._options.classic and isinstance(item, Request) and item.position.winner:
            return BadLine(item.line, "the game is won already", "moves", item.id)
        return item

    def _extras(self, position: Position) -> Extras:
        line = self._asker.principal_variation(position) if self._options.line else None
        if not self._options.children:
            return Extras(line)
        columns = position.legal_columns()
        behind = self._asker.ask(
            [position.play(column) for column in columns], self._options.question
        )
        by_column = dict(zip(columns, behind, strict=True))
        return Extras(line, tuple(by_column.get(column) for column in range(position.width)))


def _waiting(lines: Iterator[InputLine], source: LineSource, limit: int) -> Iterator[InputLine]:
    """Wait for a line; then take the other lines that are ready, up to the limit."""
    for number, line in enumerate(lines, start=1):
        yield line
        if number == limit or not source.is_ready():
            return
