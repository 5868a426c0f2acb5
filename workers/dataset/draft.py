"""A data set on its way: positions that are found, then their labels, then the files."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset.card import Recipe, make_card, split_records
from c4core.dataset.lots import choose
from c4core.dataset.records import are_decisive
from c4core.dataset.writing import write_dataset
from c4core.errors import EmptySourceError
from workers.dataset.labelling import labelling_job, read_labels
from workers.dataset.sources import find

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from numpy.typing import NDArray

    from c4core.dataset.draw import Sample
    from c4core.dataset.exchange import Difference
    from db.database import Database
    from workers.dataset.order import Order
    from workers.dataset.sources import Found

SPARE: Final = 1.1
"""How many times the positions that seem to be needed are labelled in the next round."""

MAX_GROWTH: Final = 8
"""How many times as many positions are labelled in the next round at most."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A data set whose positions are found, but not labelled yet."""

    order: Order
    found: Found

    @classmethod
    def of(
        cls,
        database: Database,
        order: Order,
        *,
        games: Collection[int] = (),
        number: int | None = None,
    ) -> Draft:
        """Find the positions of a data set.

        Args:
            database: has the stored games.
            order: says what the data set shall be.
            games: the numbers of the matches that games are taken from, if not those of the order.
            number: how many positions to find, if not as many as are ordered.

        Raises:
            EmptySourceError: there are none.
            MatchTermsError: a match is not finished, or on another board, or does not exist.
            BookError: the book cannot be read, or is for another board.
            DatasetError: the file is not one of positions with scores.
            OSError: the file cannot be read.
            StorageError: the database cannot be read.
        """
        return cls(order, find(database, order, number or order.count, games or order.matches))

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
            self.found.sample.keys,
            board=self.order.board,
            book=book,
            label=self.order.label,
            fresh=fresh,
            on_planned=on_planned,
        )

    def labelled(self, database: Database, job_id: int) -> Labelled:
        """The positions that the order keeps, with their labels.

        Args:
            database: where the job is.
            job_id: that of :meth:`job`, done.

        Raises:
            DatasetIncompleteError: the job is not done.
            StorageError: the database cannot be read.
        """
        sample, stated = self.found.sample, self.found.stated
        labels = read_labels(database, job_id, sample.keys, self.order.board)
        difference = None if stated is None else stated.compare(sample.keys, labels)
        if not self.order.decisive:
            return Labelled(self, sample, labels, difference)
        decisive = sample.keys[are_decisive(labels)]
        kept = choose(decisive, self.order.count, self.order.seed)
        is_kept = np.isin(sample.keys, kept, assume_unique=True)
        chosen = replace(
            sample,
            keys=kept,
            left_out=len(sample.keys) - len(kept),
            is_all=sample.is_all and len(kept) == len(decisive),
        )
        return Labelled(self, chosen, labels[is_kept], difference)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A data set whose positions are labelled."""

    draft: Draft
    sample: Sample
    labels: NDArray[np.int8]
    """Shape (n, W): exact scores, in the order of the sample's keys."""
    difference: Difference | None
    """With ``file``: the comparison of the labels with those of the file."""

    def wanted(self) -> int | None:
        """How many positions to label instead, because too few of these are decisive.

        None if they are enough.
        """
        count, kept = self.draft.order.count, len(self.sample.keys)
        if kept >= count or not self.draft.order.decisive:
            return None
        growth = min(SPARE * count / max(kept, 1), MAX_GROWTH)
        return math.ceil(len(self.draft.found.sample.keys) * growth)

    def write(self, directory: Path, *, replace: bool = False) -> dict[str, Any]:
        """Write the files of the data set; returns its card.

        Args:
            directory: where the files go.
            replace: whether another data set that is there may be replaced.

        Raises:
            EmptySourceError: no position is left.
            DatasetExistsError: another data set is there.
            OSError: the files cannot be written.
        """
        order = self.draft.order
        if not len(self.sample.keys):
            raise EmptySourceError("no position is decisive: all columns have the same result")
        recipe = Recipe(
            command=order.command(),
            board=order.board,
            source=self._source(),
            seed=order.seed,
            count=order.count,
            shares=order.shares,
            representations=order.representations,
            neighbours=order.neighbours,
            quiet=order.quiet,
            decisive=order.decisive,
            license=order.license,
        )
        parts = split_records(self.sample.keys, self.labels, recipe)
        card = make_card(recipe, parts, self.sample)
        return write_dataset(directory, parts, card, formats=order.formats, replace=replace)

    def _source(self) -> dict[str, Any]:
        order = self.draft.order
        compared = self.difference
        return {
            "kind": order.source,
            "first_ply": order.first_ply,
            "last_ply": order.last_ply,
            **self.draft.found.facts,
            **(
                {}
                if compared is None
                else {
                    "file_labels": "results" if compared.is_weak else "exact scores",
                    "file_labels_compared": compared.positions,
                    "file_labels_different": compared.different,
                }
            ),
        }
