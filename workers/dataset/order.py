"""The order for a data set: its description, the search for its positions, and its files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from c4core.book.errors import BookBoardError
from c4core.dataset.assembly import split_records
from c4core.dataset.card import Recipe, make_card
from c4core.dataset.directory import write_dataset
from c4core.dataset.drawing import draw_by_plies, draw_from_play
from c4core.dataset.errors import EmptySourceError
from c4core.dataset.sample import choose_from_book
from workers.dataset.labelling import labelling_job, read_labels
from workers.dataset.stored_games import choose_from_games
from workers.positions.book_answers import find_book
from workers.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.dataset.lots import Shares
    from c4core.dataset.sample import Sample
    from c4core.notation import BoardSize
    from db.database import Database

    Facts = dict[str, Any]

SOURCES: Final = ("plies", "play", "games", "book")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The description of a data set that is to be made."""

    source: str
    """One of :data:`SOURCES`."""
    board: BoardSize
    first_ply: int
    """Fewest stones of a position."""
    last_ply: int
    """Most stones."""
    matches: tuple[int, ...]
    """With ``games``: the numbers of the matches; empty for all finished ones."""
    book: str | None
    """A book's file as it was named; None for the book that comes with c4."""
    count: int
    """How many positions."""
    seed: int
    shares: Shares
    formats: tuple[str, ...]
    representations: tuple[str, ...]

    @property
    def label(self) -> str:
        """The label of its job."""
        return f"data set {self.board} from {self.source}, seed {self.seed}"

    def find(self, database: Database) -> Draft:
        """Find its positions.

        Raises:
            EmptySourceError: there are none.
            MatchTermsError: a match is not finished, or on another board, or does not exist.
            BookError: the book cannot be read, or is for another board.
            StorageError: the database cannot be read.
        """
        sample, facts = self._found(database)
        if not len(sample.keys):
            raise EmptySourceError(self._why_empty(facts))
        source = {
            "kind": self.source,
            "first_ply": self.first_ply,
            "last_ply": self.last_ply,
            **facts,
        }
        recipe = Recipe(
            command=self.command(),
            board=self.board,
            source=source,
            seed=self.seed,
            count=self.count,
            shares=self.shares,
            representations=self.representations,
        )
        return Draft(self, sample, recipe)

    def command(self) -> str:
        """The command that makes the same files again, without their directory."""
        book = "" if self.book is None else Path(self.book).name
        words = [
            *("c4", "dataset", "build", "--from", self.source),
            *("--plies", f"{self.first_ply}..{self.last_ply}"),
            *("--count", str(self.count), "--board", str(self.board), "--seed", str(self.seed)),
            *(word for match in self.matches for word in ("--corpus", str(match))),
            *(("--book", book) if self.source == "book" and book else ()),
            *("--split", str(self.shares)),
            *(word for name in self.formats for word in ("--format", name)),
            *(word for name in self.representations for word in ("--representation", name)),
        ]
        return shlex.join(words)

    def _found(self, database: Database) -> tuple[Sample, Facts]:
        first, last = self.first_ply, self.last_ply
        if self.source == "play":
            return draw_from_play(self.board, first, last, self.count, self.seed), {}
        if self.source == "plies":
            return draw_by_plies(self.board, first, last, self.count, self.seed), {}
        if self.source == "book":
            return self._from_book()
        sample, harvest = choose_from_games(
            database,
            self.board,
            self.matches,
            first=first,
            last=last,
            count=self.count,
            seed=self.seed,
        )
        return sample, {
            "matches": list(harvest.matches),
            "games": harvest.games,
            "games_without_moves": harvest.without_moves,
        }

    def _from_book(self) -> tuple[Sample, Facts]:
        book = find_book(self.book, self.board)
        if book is None:
            raise BookBoardError(f"this c4 came without a book for {self.board}: name one")
        info = book.info
        sample = choose_from_book(book, self.first_ply, self.last_ply, self.count, self.seed)
        return sample, {
            "book": Path(book.path).name,
            "book_kind": info.kind,
            "book_plies": f"{info.first_ply} to {info.last_ply}",
            "book_positions": info.positions,
        }

    def _why_empty(self, facts: Facts) -> str:
        plies = f"plies {self.first_ply} to {self.last_ply}"
        if self.source == "games" and not facts["matches"]:
            return f"no finished match on {self.board} is stored: there are no games to take from"
        if self.source == "games":
            read = count(facts["games"], "stored game")
            return f"{read} on {self.board}: none with moves has an open position at {plies}"
        if self.source == "book":
            return f"the book has no position at {plies}, but {facts['book_plies']}"
        return f"no random game on {self.board} goes on at {plies}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A data set whose positions are found, but not labelled yet."""

    order: Order
    sample: Sample
    recipe: Recipe
    """How the positions were found, for the card."""

    def job(
        self,
        database: Database,
        *,
        book: str | None = None,
        fresh: bool = False,
        on_planned: Callable[[int], None] = lambda _positions: None,
    ) -> int:
        """The job that labels the positions. Arguments and errors as of ``labelling_job``."""
        return labelling_job(
            database,
            self.sample.keys,
            board=self.order.board,
            book=book,
            label=self.order.label,
            fresh=fresh,
            on_planned=on_planned,
        )

    def write(
        self, database: Database, job_id: int, directory: Path, *, replace: bool = False
    ) -> dict[str, Any]:
        """Write the files of the data set; returns its card.

        Args:
            database: where the job is.
            job_id: that of :meth:`job`, done.
            directory: where the files go.
            replace: whether another data set that is there may be replaced.

        Raises:
            DatasetIncompleteError: the job is not done.
            DatasetExistsError: another data set is there.
            OSError: the files cannot be written.
            StorageError: the database cannot be read.
        """
        labels = read_labels(database, job_id, self.sample.keys, self.order.board)
        parts = split_records(self.sample.keys, labels, self.recipe)
        card = make_card(self.recipe, parts, self.sample)
        return write_dataset(directory, parts, card, formats=self.order.formats, replace=replace)
