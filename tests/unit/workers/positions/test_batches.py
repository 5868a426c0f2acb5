"""Lines of a stream: how many are answered together, and in which order."""

from collections.abc import Sequence

import pytest

from c4core.lines import BadLine, Request
from c4core.position import Position
from workers.positions import batches
from workers.positions.batches import Answered, BatchSize, answer_lines
from workers.positions.results import Answer


def test_batches_grow_while_they_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(batches.time, "monotonic", lambda: now)
    size = BatchSize(0.1, largest=16)
    sizes = []
    for seconds in (0.01, 0.02, 0.04, 0.08, 0.09, 0.3, 0.3, 0.05, 9, 9, 9, 9, 9):
        sizes.append(size.lines)
        with size.measured():
            now += seconds
    assert sizes == [1, 2, 4, 8, 16, 16, 8, 4, 8, 4, 2, 1, 1]


def test_lines_keep_their_order_and_are_asked_about_once() -> None:
    asked: list[Sequence[Position]] = []

    def ask(positions: Sequence[Position]) -> list[Answer]:
        asked.append(positions)
        return [Answer(position.ply, position.ply) for position in positions]

    lines = [
        Request(1, Position("4")),
        BadLine(2, "wrong"),
        Request(3, Position("44")),
        BadLine(4, "wrong"),
    ]
    assert list(answer_lines(lines, ask)) == [
        Answered(Request(1, Position("4")), Answer(1, 1)),
        lines[1],
        Answered(Request(3, Position("44")), Answer(2, 2)),
        lines[3],
    ]
    assert asked == [[Position("4"), Position("44")]]
    assert list(answer_lines(lines[1:2], ask)) == lines[1:2]
    assert len(asked) == 1
