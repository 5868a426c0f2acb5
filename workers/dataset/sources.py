"""The order for a data set, and the search for its positions."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from c4core.arrays import canonical_keys
from c4core.dataset.card import LICENSE
from c4core.dataset.draw import (
    choose_from,
    choose_from_book,
    draw_by_plies,
    draw_from_play,
    gather,
    keep_all,
)
from c4core.dataset.exchange import read_stated
from c4core.dataset.records import are_quiet
from c4core.errors import BookBoardError, DatasetError, EmptySourceError
from c4core.files import check_regular_file
from c4core.notation import check_narrow, parse_moves
from db import games
from db.records.games import GameFilter
from workers.answers.question import find_book
from workers.match.terms import find_corpus
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from c4core.dataset.draw import Keep, Sample
    from c4core.dataset.exchange import Stated
    from c4core.dataset.lots import Shares
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.database import Database
    from db.records.games import StoredGame

    Facts = dict[str, Any]

SOURCES: Final = ("plies", "play", "strong", "games", "book", "file")

BLUNDER: Final = 0.1
"""The default share of moves in strong play that are errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The description of a data set to make."""

    source: str
    """One of :data:`SOURCES`."""
    board: BoardSize
    first_ply: int
    """Minimum number of stones."""
    last_ply: int
    """Maximum number of stones."""
    matches: tuple[int, ...]
    """The numbers of the matches, if the source is ``games``; empty for all finished matches."""
    book: str | None
    """The file of a book as the user named it; None for the included book."""
    count: int
    seed: int
    shares: Shares
    formats: tuple[str, ...]
    representations: tuple[str, ...]
    file: str | None = None
    """The path of a file of positions with scores, if the source is ``file``."""
    blunder: float = BLUNDER
    """The share of moves that are errors, 0 to 1, if the source is ``strong``."""
    quiet: bool = False
    decisive: bool = False
    license: str = LICENSE
    """The identifier of the license under which the data set is published."""

    def __post_init__(self) -> None:
        """Refuse wide boards, whose keys do not fit the column of keys."""
        check_narrow(self.board, "data sets")

    @property
    def label(self) -> str:
        """The label of the job."""
        return f"data set {self.board} from {self.source}, seed {self.seed}"

    @property
    def keep(self) -> Keep:
        """The filter for positions that may be taken."""
        return partial(are_quiet, board=self.board) if self.quiet else keep_all

    def command(self) -> str:
        """The command that makes the same files again, without their directory."""
        book = "" if self.book is None else Path(self.book).name
        file = "" if self.file is None else Path(self.file).name
        words = [
            *("c4", "dataset", "build", "--from", self.source),
            *(("--input", file) if self.source == "file" else ()),
            *(("--blunder", str(self.blunder)) if self.source == "strong" else ()),
            *("--plies", f"{self.first_ply}..{self.last_ply}"),  # words: ok
            *("--count", str(self.count), "--board", str(self.board), "--seed", str(self.seed)),
            *(word for match in self.matches for word in ("--corpus", str(match))),
            *(("--book", book) if self.source == "book" and book else ()),
            *(("--only", "quiet") if self.quiet else ()),
            *(("--only", "decisive") if self.decisive else ()),
            *("--split", str(self.shares)),
            *(word for name in self.formats for word in ("--format", name)),
            *(word for name in self.representations for word in ("--representation", name)),
            *(("--license", self.license) if self.license != LICENSE else ()),
        ]
        return shlex.join(words)


_MATCHES_AT_A_TIME: Final = 500
"""Matches in one query; both databases limit the number of parameters."""


@dataclass(slots=True)
class GamesRead:
    """The stored games that were read."""

    matches: tuple[int, ...]
    """The numbers of the finished matches whose games were read."""
    games: int = 0
    without_moves: int = 0
    """Games with only a known final grid, which have no open position."""


def choose_from_games(
    database: Database,
    board: BoardSize,
    wanted: Collection[int],
    *,
    first: int,
    last: int,
    count: int,
    seed: int,
    keep: Keep = keep_all,
) -> tuple[Sample, GamesRead]:
    """Choose different positions of stored games, each with the same probability.

    ``wanted`` has the numbers of finished matches; empty for all. ``first`` and ``last`` are
    numbers of stones.

    Raises:
        MatchTermsError: a match is not finished, is on another board, or does not exist.
    """
    games_read = GamesRead(find_corpus(database, board, wanted))
    keys = (
        position.canonical_key
        for position in _positions(database, board, games_read)
        if first <= position.ply <= last and not position.is_over
    )
    return gather(keys, count, seed, keep=keep), games_read


def _positions(database: Database, board: BoardSize, games_read: GamesRead) -> Iterator[Position]:
    """Every position of every game, including the start."""
    with database.read() as session:
        for begin in range(0, len(games_read.matches), _MATCHES_AT_A_TIME):
            matches = games_read.matches[begin : begin + _MATCHES_AT_A_TIME]
            starts = {number: games.get_terms(session, number).start for number in matches}
            for game in games.stream_games(session, GameFilter(matches=matches)):
                games_read.games += 1
                games_read.without_moves += game.moves is None
                yield from _positions_of(game, starts[game.match_id], board)


def _positions_of(game: StoredGame, start: Position, board: BoardSize) -> Sequence[Position]:
    if game.moves is None:
        return ()
    found = [start]
    for column in parse_moves(game.moves, width=board.width):
        found.append(found[-1].play(column))
    return found


class Found(NamedTuple):
    """The positions found for an order."""

    sample: Sample
    facts: Facts
    stated: Stated | None = None
    """The positions and scores in the file, if the source is ``file``."""


def find(database: Database, order: Order, number: int, games: Collection[int]) -> Found:
    """Find positions for an order; ``number`` is the maximum.

    ``games`` has the numbers of the matches to take games from; empty for all finished matches.

    Raises:
        EmptySourceError: no position was found.
        MatchTermsError: a match is not finished, is on another board, or does not exist.
        BookError: the book cannot be read, or is for another board.
        DatasetError: the file does not contain positions with scores.
        OSError: the file cannot be read.
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
    sample, games_read = choose_from_games(
        database,
        order.board,
        games,
        first=order.first_ply,
        last=order.last_ply,
        count=number,
        seed=order.seed,
        keep=order.keep,
    )
    if order.source == "strong":  # match numbers differ between databases, so leave them out
        return Found(sample, {"blunder": order.blunder, "games": games_read.games})
    facts = {
        "matches": list(games_read.matches),
        "games": games_read.games,
        "games_without_moves": games_read.without_moves,
    }
    return Found(sample, facts)


def _from_book(order: Order, number: int) -> Found:
    book = find_book(order.book, order.board)
    if book is None:
        raise BookBoardError(f"no book for {order.board} is included; choose one with --book FILE")
    info = book.info
    sample = choose_from_book(
        book, order.first_ply, order.last_ply, number, order.seed, keep=order.keep
    )
    facts = {
        "book": Path(book.path).name,
        "book_plies": f"0 to {info.last_ply}",
        "book_positions": info.positions,
    }
    return Found(sample, facts)


def _from_file(order: Order, number: int) -> Found:
    if order.file is None:
        raise DatasetError("an order from a file must name the file")
    path = Path(order.file)
    check_regular_file(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        stated = read_stated(file, name=order.file, board=order.board)
    _, plies = canonical_keys(stated.keys, order.board)
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
