"""Verification: intact books pass, and every kind of fault is reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core import Position, Solver
from c4core.arrays import wins_now
from c4core.book import Book
from c4core.book.layout import pack_header, read_header
from c4core.book.verify import verify
from c4core.book.writer import write_book
from tests.support.boards.small_books import small_book, whole_game

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.book.layout import Kind

START = Position(width=4, height=4)


@pytest.mark.parametrize("kind", ["complete", "sparse"])
def test_intact_books_pass(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "a.c4book"
    levels = small_book(path, width=4, height=4, kind=kind)
    seen: list[int] = []
    result = verify(Book.open(path), sample=50, progress=seen.append)
    assert result.is_sound
    assert result.problems == ()
    assert result.positions == seen[-1] == sum(len(keys) for keys, _ in levels)
    assert result.solved == 50


def test_a_sample_larger_than_the_book_is_everything(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    write_book(path, whole_game(START)[:3], start=START)
    result = verify(Book.open(path), sample=10_000, solver=Solver(table_mb=1))
    assert result.solved == result.positions


def test_a_changed_byte_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    small_book(path, width=4, height=4)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert verify(Book.open(path)).problems == ("the file does not match its checksum",)
    data[-1] ^= 1
    data[-100] ^= 1
    path.write_bytes(data)
    first, second = verify(Book.open(path)).problems
    assert "checksum" in first
    assert "a group of ply 15" in second


@pytest.mark.parametrize("kind", ["complete", "sparse"])
@pytest.mark.parametrize("ply", [3, 8, 14])
def test_a_wrong_score_is_reported(tmp_path: Path, kind: Kind, ply: int) -> None:
    levels = whole_game(START)
    keys, scores = levels[ply][0], levels[ply][1].copy()
    index = int((~wins_now(keys, width=4, height=4)).argmax())
    scores[index] += 1 if scores[index] <= 0 else -1
    levels[ply] = keys, scores
    path = tmp_path / "a.c4book"
    write_book(path, levels, start=START, kind=kind)
    result = verify(Book.open(path), sample=0)
    assert any(f"of ply {ply} contradict" in problem for problem in result.problems)
    assert any(str(keys[index]) in problem for problem in result.problems)
    assert not result.is_sound


def test_a_sample_finds_what_minimax_cannot(tmp_path: Path) -> None:
    """A book whose last ply is wrong, and the rest derived from it."""
    levels = whole_game(START)[:1]
    levels[0] = levels[0][0], np.array([3], dtype=np.int8)
    path = tmp_path / "a.c4book"
    write_book(path, levels, start=START)
    (problem,) = verify(Book.open(path)).problems
    assert "have a different score when they are solved again" in problem


def test_a_wrong_count_in_the_header_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.c4book"
    write_book(path, whole_game(START)[:5], start=START)
    data = path.read_bytes()
    info = read_header(data, "a book", file_bytes=len(data))
    *others, last = info.plies
    header = pack_header(
        replace(info, plies=(*others, replace(last, positions=last.positions - 1)))
    )
    path.write_bytes(header + data[len(header) :])
    problems = verify(Book.open(path), sample=0).problems
    assert any("the header states" in problem for problem in problems)
