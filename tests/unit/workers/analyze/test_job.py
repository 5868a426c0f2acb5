"""Units of jobs: their size, and payloads that keep the content of the lines."""

import io
import itertools
import json
from collections.abc import Iterator

import pytest

from c4core.book import Book
from c4core.lines import BadLine, Request, read_lines
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from db.database import Database
from tests.support.boards.games import random_games
from workers.analyze.job import (
    UNIT_LINES,
    UNIT_SECONDS,
    decode_lines,
    encode_lines,
    plan_units,
    submit,
)
from workers.answers.question import NO_BOOK, Question, plies_answered
from workers.core.follow import iterate_units
from workers.core.submit import expected_seconds

(EASY,) = random_games(1, empty=12)
GUESS = [expected_seconds(DEFAULT_BOARD, ply, columns=True) for ply in range(43)]


def lines(*texts: str, zero_based: bool = False) -> list[Request | BadLine]:
    data = "\n".join(texts).encode()
    return list(read_lines(io.BytesIO(data), board=DEFAULT_BOARD, zero_based=zero_based))


def test_a_payload_keeps_the_lines() -> None:
    written = lines(
        "4453",
        '{"id": 7, "moves": ""}',
        "nonsense",
        json.dumps({"id": [1], "grid": str(Position("4453"))}),
        json.dumps({"key": Position("11").key}),
        '{"id": "x", "moves": "9"}',
        '{"id": false, "moves": "1"}',
    )
    carried = json.loads(json.dumps(encode_lines(written)))
    assert list(decode_lines(carried, board=DEFAULT_BOARD)) == written
    assert carried["entries"][0] == "4453"
    written = lines("3342", '{"id": 1, "moves": "06"}', zero_based=True)
    carried = encode_lines(written)
    assert list(decode_lines(carried, board=DEFAULT_BOARD, zero_based=True)) == written


def test_units_hold_all_lines_in_order() -> None:
    written = lines(*[EASY, "wrong", EASY] * 1000)
    plans = list(plan_units(written, GUESS))
    decoded = [line for plan in plans for line in decode_lines(plan.payload, board=DEFAULT_BOARD)]
    assert decoded == written
    assert sum(plan.positions for plan in plans) == 2000
    assert len(plans) == 3000 / UNIT_LINES
    (plan,) = plan_units(lines("wrong", "worse"), GUESS)
    assert plan.positions == 0
    assert list(plan_units([], GUESS)) == []


def test_units_of_hard_positions_are_small() -> None:
    written = lines("4", "44", "443", "4431")
    assert len(list(plan_units(written, GUESS))) == 4
    for plan in plan_units(lines(*["4453" + "12" * 2 + "67"] * 200), GUESS):
        requests = [
            line
            for line in decode_lines(plan.payload, board=DEFAULT_BOARD)
            if isinstance(line, Request)
        ]
        cost = sum(GUESS[request.position.ply] for request in requests)
        assert cost <= UNIT_SECONDS or len(requests) == 1


@pytest.mark.parametrize("board", [BoardSize(1, 1), BoardSize(9, 6), BoardSize(16, 3)])
def test_a_position_with_more_empty_squares_takes_longer(board: BoardSize) -> None:
    seconds = [expected_seconds(board, ply, columns=True) for ply in range(board.cells + 1)]
    assert seconds[-1] > 0
    assert seconds == sorted(seconds, reverse=True)
    assert expected_seconds(board, 0, columns=False) < seconds[0]


def test_positions_in_a_book_take_no_time(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = Book.shipped()
    monkeypatch.setattr("workers.answers.question._shipped", lambda _board: shipped)
    opening = lines(*["4444"] * UNIT_LINES)
    in_book = submit(sqlite, opening, board=DEFAULT_BOARD).job_id
    searched = submit(sqlite, opening, board=DEFAULT_BOARD, book=NO_BOOK).job_id
    assert len(list(iterate_units(sqlite, in_book))) == 1
    assert len(list(iterate_units(sqlite, searched))) > UNIT_LINES / 4
    assert list(plies_answered(shipped, Question())) == list(range(12))
    assert list(plies_answered(shipped, Question(columns=False))) == list(range(13))
    assert not plies_answered(None, Question())


def test_planning_reads_no_further_than_needed() -> None:
    read = 0

    def endless() -> Iterator[Request | BadLine]:
        nonlocal read
        for number in itertools.count(1):
            read += 1
            yield Request(number, Position(EASY), EASY)

    plans = plan_units(endless(), GUESS)
    next(plans)
    next(plans)
    assert read == 2 * UNIT_LINES + 1
