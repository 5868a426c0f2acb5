"""Finds the positions that an order asks for."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from c4core.arrays import canonical_keys
from c4core.dataset.draw import choose_from, choose_from_book, draw_by_plies, draw_from_play
from c4core.dataset.exchange import read_stated
from c4core.errors import BookBoardError, DatasetError, EmptySourceError
from c4core.files import check_plain
from workers.answers.books import find_book
from workers.dataset.stored_games import choose_from_games
from workers.wording import count

if TYPE_CHECKING:
    from collections.abc import Collection

    from c4core.dataset.draw import Sample
    from c4core.dataset.exchange import Stated
    from db.database import Database
    from workers.dataset.order import Order

    Facts = dict[str, Any]


class Found(NamedTuple):
    """The positions that were found for an order."""

    sample: Sample
    facts: Facts
    """Facts about the source, for the card."""
    stated: Stated | None = None
    """With ``file``: what the file says of its positions."""


def find(database: Database, order: Order, number: int, games: Collection[int]) -> Found:
    """Find positions.

    Args:
        database: has the stored games.
        order: says which positions are wanted.
        number: how many are wanted.
        games: the numbers of the matches to take games from; empty for all finished ones.

    Raises:
        EmptySourceError: there are none.
        MatchTermsError: a match is not finished, or on another board, or does not exist.
        BookError: the book cannot be read, or is for another board.
        DatasetError: the file is not one of positions with scores.
        OSError: the file cannot be read.
        StorageError: the database cannot be read.
    """
    if order.source in ("games", "strong"):
        found = _from_games(database, order, number, games)
    elif order.source == "book":
        found = _from_book(order, number)
    elif order.source == "file":
        found = _from_file(order, number)
    else:
        draw = draw_from_play if order.source == "play" else draw_by_plies
        first, last = order.first_ply, order.last_ply
        found = Found(draw(order.board, first, last, number, order.seed, keep=order.keep), {})
    if not len(found.sample.keys):
        raise EmptySourceError(_why_empty(order, found.facts))
    return found


def _from_games(database: Database, order: Order, number: int, games: Collection[int]) -> Found:
    sample, harvest = choose_from_games(
        database,
        order.board,
        games,
        first=order.first_ply,
        last=order.last_ply,
        count=number,
        seed=order.seed,
        keep=order.keep,
    )
    if order.source == "strong":  # the numbers of its matches are others in another database
        return Found(sample, {"blunder": order.blunder, "games": harvest.games})
    facts = {
        "matches": list(harvest.matches),
        "games": harvest.games,
        "games_without_moves": harvest.without_moves,
    }
    return Found(sample, facts)


def _from_book(order: Order, number: int) -> Found:
    book = find_book(order.book, order.board)
    if book is None:
        raise BookBoardError(f"this c4 came without a book for {order.board}: name one")
    info = book.info
    sample = choose_from_book(
        book, order.first_ply, order.last_ply, number, order.seed, keep=order.keep
    )
    facts = {
        "book": Path(book.path).name,
        "book_kind": info.kind,
        "book_plies": f"{info.first_ply} to {info.last_ply}",
        "book_positions": info.positions,
    }
    return Found(sample, facts)


def _from_file(order: Order, number: int) -> Found:
    if order.file is None:
        raise DatasetError("an order from a file names none")
    path = Path(order.file)
    check_plain(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        stated = read_stated(file, name=order.file, board=order.board)
    _, plies = canonical_keys(stated.keys, width=order.board.width, height=order.board.height)
    keys = stated.keys[(plies >= order.first_ply) & (plies <= order.last_ply)]
    sample = choose_from(np.unique(keys), number, order.seed, drawn=len(keys), keep=order.keep)
    facts = {
        "file": path.name,
        "file_sha256": digest,
        "file_positions": len(stated.keys),
        "file_games_over": stated.over,
    }
    return Found(sample, facts, stated)


def _why_empty(order: Order, facts: Facts) -> str:
    plies = f"plies {order.first_ply} to {order.last_ply}"
    kind = "quiet" if order.quiet else "open"
    if order.source == "games" and not facts["matches"]:
        return f"no finished match on {order.board} is stored: there are no games to take from"
    if order.source in ("games", "strong"):
        read = count(facts["games"], "stored game")
        return f"{read} on {order.board}: none has moves and {kind} positions at {plies}"
    if order.source == "book":
        return f"the book has no {kind} position at {plies}, but {facts['book_plies']}"
    if order.source == "file":
        return f"{order.file} has no {kind} position at {plies}"
    return f"no random game on {order.board} has {kind} positions at {plies}"
