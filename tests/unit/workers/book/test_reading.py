"""A book as a tree: counts, compared with a walk over the complete tree."""

from pathlib import Path

import pytest

from c4core.book import Book
from c4core.position import Position
from tests.support.boards.small_books import small_book
from workers.book import reading as exploring
from workers.book.reading import counted_ply, explore


def below(book: Book, position: Position, ply: int) -> set[int]:
    """The keys of the book's positions on a ply that can follow, found by walking there."""
    if position.is_over:
        return set()
    if position.ply == ply:
        return {position.canonical_key} if book.probe(position) is not None else set()
    return set[int]().union(
        *(below(book, position.play(column), ply) for column in position.legal_columns())
    )


@pytest.mark.parametrize("moves", ["", "3", "1231", "4443322"])
def test_counts_agree_with_a_walk(
    moves: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploring, "DEPTH", 3)
    path = tmp_path / "small.c4book"
    small_book(path, board="4x4")
    with Book.open(path) as book:
        position = Position(moves, board="4x4")
        ply = counted_ply(book, position)
        assert ply == position.ply + 4
        found = explore(book, position)
        assert [move.column for move in found] == list(position.legal_columns())
        for move in found:
            assert move.score == book.scores(position)[move.column]
            assert move.position == position.play(move.column)
            assert move.continuations == len(below(book, move.position, ply))


def test_the_end_of_a_game_and_of_a_book(tmp_path: Path) -> None:
    path = tmp_path / "small.c4book"
    small_book(path, board="4x4")
    with Book.open(path) as book:
        assert explore(book, Position("1212121", board="4x4")) == []
        winning = explore(book, Position("121212", board="4x4"))
        assert winning[0].score is not None
        assert winning[0].score > 0
        assert winning[0].continuations == 0  # the game ends there
        assert counted_ply(book, winning[0].position) <= book.info.last_ply
