"""How ``c4 solve`` writes its answers: for people, as JSON Lines, or like the classic solver."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from c4core.notation import format_moves
from cli.shell import echo
from workers.positions.batches import bad_line_object, request_object

if TYPE_CHECKING:
    from c4core.lines import BadLine, Request
    from workers.positions.results import Answer

FULL_COLUMN = -1000
"""What the classic solver writes for a column that cannot be played."""


@dataclass(frozen=True, slots=True)
class Extras:
    """What is shown beside an answer, where it was asked for."""

    line: tuple[int, ...] | None = None
    """Best play to the end, 0-based columns."""
    children: tuple[Answer | None, ...] | None = None
    """The answer behind each column, for the side that moves there; None for a full column."""


class Writer(Protocol):
    """Writes the answer to a line, or what is wrong with it. ``raw`` is the line as it came."""

    def answer(self, request: Request, raw: bytes, answer: Answer, extras: Extras) -> None:
        """Write an answer."""

    def bad(self, bad: BadLine, raw: bytes) -> None:
        """Write what stands in place of an answer."""


@dataclass(frozen=True, slots=True)
class JsonWriter:
    """One object a line, with ``pv`` where best play was asked for."""

    zero_based: bool = False

    def answer(self, request: Request, raw: bytes, answer: Answer, extras: Extras) -> None:  # noqa: ARG002 (the object has the moves)
        """Write an answer."""
        fields = request_object(request, answer, zero_based=self.zero_based)
        if extras.line is not None:
            fields["pv"] = format_moves(extras.line, zero_based=self.zero_based)
        sys.stdout.write(json.dumps(fields) + "\n")

    def bad(self, bad: BadLine, raw: bytes) -> None:  # noqa: ARG002 (the object has the line's number)
        """Write the object that says what is wrong."""
        sys.stdout.write(json.dumps(bad_line_object(bad)) + "\n")


@dataclass(frozen=True, slots=True)
class ClassicWriter:
    """The protocol of Pascal Pons's solver: the line, then its score or its columns' scores.

    A line without an answer is written as it came, without a score, so that answers stay beside
    their lines; standard error says what is wrong with it.
    """

    weak: bool = False

    def answer(self, request: Request, raw: bytes, answer: Answer, extras: Extras) -> None:
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
        if None in behind:
            self._without_score(request.line, "not solved within the limit", raw)
        else:
            self._write(raw, " ".join(["", *map(str, behind)]))

    def bad(self, bad: BadLine, raw: bytes) -> None:
        """Write the line as it came."""
        self._without_score(bad.line, bad.error, raw)

    def _without_score(self, number: int, reason: str, raw: bytes) -> None:
        echo.line(f"Line {number}: {reason}", err=True)
        self._write(raw, "")

    def _write(self, raw: bytes, scores: str) -> None:
        sys.stdout.buffer.write(raw.rstrip(b"\r\n") + scores.encode() + b"\n")

    def _behind(self, child: Answer) -> int | None:
        score = self._score(child)
        return None if score is None else -score

    def _score(self, answer: Answer) -> int | None:
        if not self.weak:
            return answer.score
        return {"win": 1, "draw": 0, "loss": -1, None: None}[answer.value]


@dataclass(slots=True)
class TextWriter:
    """A board, its columns' scores and a sentence, for people."""

    zero_based: bool = False
    written: int = 0
    """Positions so far."""

    def answer(self, request: Request, raw: bytes, answer: Answer, extras: Extras) -> None:  # noqa: ARG002 (shown as read)
        """Write the position and all that is known about it."""
        from rich.text import Text

        from cli.output import render

        out = render.console()
        if self.written:
            out.print()
        self.written += 1
        if request.moves:
            out.print(Text(request.moves, style="bold"))
        out.print(
            render.board(
                request.position,
                answer.scores,
                zero_based=self.zero_based,
            )
        )
        out.print(render.verdict(request.position, answer))
        if answer.best:
            noun = "best column: " if len(answer.best) == 1 else "best columns: "
            out.print(noun + render.labels(answer.best, zero_based=self.zero_based))
        if extras.line:
            out.print("best play: " + format_moves(extras.line, zero_based=self.zero_based))
        if not request.position.is_over:
            out.print(Text(render.effort(answer), style="dim"))

    def bad(self, bad: BadLine, raw: bytes) -> None:  # noqa: ARG002 (the message says it all)
        """Tell what is wrong."""
        echo.line(f"Line {bad.line}: {bad.error}", err=True)
